package ledger

import (
	"fmt"
	"math"
	"slices"
)

// Batch holds the entries at the contiguous offsets Lo to Hi of one partition of a topic: each
// offset may have none, one or several.
type Batch struct {
	Topic     string
	Partition int32
	Lo, Hi    int64
	// Entries are in the order of their offsets, at most MaxBatch. The back ends do not change them.
	Entries []Entry
}

// String names the batch in errors.
func (b Batch) String() string {
	return fmt.Sprintf("%s/%d [%d, %d]", b.Topic, b.Partition, b.Lo, b.Hi)
}

// Hashed is an entry with its hash.
type Hashed struct {
	*Entry
	Hash uint64
}

// Distinct checks a batch and returns its entries with their hashes, without those that repeat an
// earlier one. It returns ErrInvalid if the contract does not allow the batch, and ErrConflict if
// two entries have one id and different content. Back ends call it before anything else.
func (b Batch) Distinct() ([]Hashed, error) {
	if err := b.validate(); err != nil {
		return nil, fmt.Errorf("%w: batch %s: %w", ErrInvalid, b, err)
	}
	seen := make(map[string]uint64, len(b.Entries))
	distinct := make([]Hashed, 0, len(b.Entries))
	for i := range b.Entries {
		e := &b.Entries[i]
		if err := e.Validate(); err != nil {
			return nil, err
		}
		hash := e.Hash()
		earlier, repeated := seen[e.ID]
		if repeated && earlier != hash {
			return nil, Conflict(e.ID)
		}
		if !repeated {
			seen[e.ID] = hash
			distinct = append(distinct, Hashed{e, hash})
		}
	}
	return distinct, nil
}

// Conflict returns ErrConflict for an entry.
func Conflict(id string) error { return fmt.Errorf("%w under the id %q", ErrConflict, id) }

func (b Batch) validate() error {
	if err := checkText("topic", b.Topic, 1, MaxName); err != nil {
		return err
	}
	switch {
	case b.Partition < 0:
		return fmt.Errorf("the partition is negative")
	case b.Lo < 0 || b.Hi < b.Lo || b.Hi == math.MaxInt64:
		return fmt.Errorf("the offsets are not a valid range")
	case len(b.Entries) > MaxBatch:
		return fmt.Errorf("%d entries, more than %d", len(b.Entries), MaxBatch)
	}
	last := b.Lo
	for _, e := range b.Entries {
		at := e.Source
		if at.Topic != b.Topic || at.Partition != b.Partition || at.Offset < last || at.Offset > b.Hi {
			return fmt.Errorf("entry %.140q comes from %s/%d at %d, which is not there or not in order", e.ID, at.Topic, at.Partition, at.Offset)
		}
		last = at.Offset
	}
	return nil
}

// Summarize returns the figures of entries, or ErrOverflow.
func Summarize(entries []Hashed) (Figures, error) {
	var units, bytes Sum
	f := Figures{Entries: int64(len(entries))}
	for _, e := range entries {
		units.Add(e.Units)
		bytes.Add(e.Bytes)
		f.Xor ^= e.Hash
	}
	return f.With(units, bytes)
}

// Plus returns the sum of two figures, or ErrOverflow.
func (f Figures) Plus(other Figures) (Figures, error) {
	var units, bytes Sum
	for _, one := range []Figures{f, other} {
		units.Add(one.Units)
		bytes.Add(one.Bytes)
	}
	return Figures{Entries: f.Entries + other.Entries, Xor: f.Xor ^ other.Xor}.With(units, bytes)
}

// With returns f with both sums set, or ErrOverflow.
func (f Figures) With(units, bytes Sum) (_ Figures, err error) {
	if f.Units, err = units.Int64(); err != nil {
		return Figures{}, err
	}
	f.Bytes, err = bytes.Int64()
	return f, err
}

// Plan returns the marker to write for a batch, given Next and the result of Distinct. Offsets
// below next were appended before: the marker covers those from next on. If there are none,
// repeated is true, and an earlier marker with the same bounds must equal m. A batch that begins
// above next is ErrHole.
func (b Batch) Plan(next int64, entries []Hashed) (m Marker, repeated bool, err error) {
	if b.Lo > next {
		return Marker{}, false, fmt.Errorf("%w: batch %s, next is %d", ErrHole, b, next)
	}
	if repeated = b.Hi < next; !repeated && b.Lo < next {
		b = b.from(next)
		if entries, err = b.Distinct(); err != nil { // an earlier duplicate below next may have hidden an entry
			return Marker{}, false, err
		}
	}
	figures, err := Summarize(entries)
	return Marker{b.Lo, b.Hi, figures}, repeated, err
}

// from returns the part of a batch from an offset on.
func (b Batch) from(offset int64) Batch {
	first := slices.IndexFunc(b.Entries, func(e Entry) bool { return e.Source.Offset >= offset })
	if first < 0 {
		first = len(b.Entries)
	}
	b.Lo, b.Entries = offset, b.Entries[first:]
	return b
}

// CheckRepeated returns ErrConflict if the existing marker's figures differ from those of a batch
// with the same bounds. The batch may have more entries: its reader may understand records that
// were skipped before.
func CheckRepeated(b Batch, have, want Marker) error {
	if have != want && have.Entries >= want.Entries {
		return fmt.Errorf("%w: batch %s was appended with %d entries, %d units, %d bytes and hash %016x, and now has %d, %d, %d and %016x",
			ErrConflict, b, have.Entries, have.Units, have.Bytes, have.Xor, want.Entries, want.Units, want.Bytes, want.Xor)
	}
	return nil
}
