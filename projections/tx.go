package projections

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// Reader reads committed values by key.
type Reader interface {
	// Get returns the value, which the caller may keep, and nil when there is none.
	Get(key []byte) ([]byte, error)
}

// Writer takes the writes of a Tx when it commits.
type Writer interface {
	Set(key, value []byte) error
	Delete(key []byte) error
}

// Tx is what the projections of a run of envelopes read and write: a write is
// seen by later reads of the same Tx and reaches the store on Flush. Values stay
// decoded in between, so that a job that changes four times in one run is
// encoded once. The first error sticks and is returned by Flush.
type Tx struct {
	base  Reader
	slots map[string]*slot
	err   error
	// callers tells that what a remembered API key leads to may have changed.
	callers bool
}

type slot struct {
	value   any
	present bool
	dirty   bool
}

// NewTx begins a Tx over base.
func NewTx(base Reader) *Tx { return &Tx{base: base, slots: map[string]*slot{}} }

// Fail makes err the outcome of the Tx, unless it failed before.
func (tx *Tx) Fail(err error) {
	if tx.err == nil {
		tx.err = err
	}
}

// Flush hands every write to w.
func (tx *Tx) Flush(w Writer) error {
	for key, s := range tx.slots {
		if tx.err != nil {
			return tx.err
		}
		if s.dirty {
			tx.Fail(s.flush(w, []byte(key)))
		}
	}
	return tx.err
}

func (s *slot) flush(w Writer, key []byte) error {
	if !s.present {
		return w.Delete(key)
	}
	b, err := encoder.Marshal(s.value)
	if err != nil {
		return fmt.Errorf("encode %x: %w", key, err)
	}
	return w.Set(key, b)
}

var encoder, decoder = modes()

func modes() (cbor.EncMode, cbor.DecMode) {
	enc, encErr := cbor.CoreDetEncOptions().EncMode()
	dec, decErr := cbor.DecOptions{}.DecMode()
	if err := errors.Join(encErr, decErr); err != nil {
		panic(err)
	}
	return enc, dec
}

// Table is a typed range of keys under one table byte.
type Table[T any] struct{ Name byte }

// Key is the table's key for a partition and the rest of the key.
func (t Table[T]) Key(partition int32, rest ...byte) []byte {
	key := make([]byte, 3, 3+len(rest))
	key[0] = t.Name
	binary.BigEndian.PutUint16(key[1:], uint16(partition))
	return append(key, rest...)
}

// Get reads a committed value; false when there is none.
func (t Table[T]) Get(r Reader, key []byte) (v T, ok bool, err error) {
	b, err := r.Get(key)
	if err != nil || b == nil {
		return v, false, err
	}
	if v, err = t.Decode(b); err != nil {
		return v, false, fmt.Errorf("decode %x: %w", key, err)
	}
	return v, true, nil
}

// Decode reads a value of the table from its bytes.
func (t Table[T]) Decode(b []byte) (v T, err error) {
	err = decoder.Unmarshal(b, &v)
	return v, err
}

// Load reads a value as the Tx sees it.
func (t Table[T]) Load(tx *Tx, key []byte) (T, bool) {
	if s, ok := tx.slots[string(key)]; ok {
		v, _ := s.value.(T)
		return v, s.present
	}
	v, ok, err := t.Get(tx.base, key)
	if err != nil {
		tx.Fail(err)
	}
	tx.slots[string(key)] = &slot{value: v, present: ok}
	return v, ok
}

// Put writes a value.
func (t Table[T]) Put(tx *Tx, key []byte, v T) {
	tx.slots[string(key)] = &slot{value: v, present: true, dirty: true}
}

// Delete removes a value.
func (t Table[T]) Delete(tx *Tx, key []byte) {
	tx.slots[string(key)] = &slot{dirty: true}
}
