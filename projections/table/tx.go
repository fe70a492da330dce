// Package table holds the parts of a replica's tables: rows by key, the transaction in which projections fold envelopes into them, and the tables
// that deciders and read models share. It knows no store.
package table

import "fmt"

// Reader reads committed values by key.
type Reader interface {
	// Get returns the value, which the caller may keep, and nil for an unknown key.
	Get(key []byte) ([]byte, error)
}

// Writer takes the writes of a Tx when it commits.
type Writer interface {
	Set(key, value []byte) error
	Delete(key []byte) error
}

// Tx is the transaction in which projections fold a run of envelopes. A write is visible to
// later reads of the same Tx and reaches the store with Flush. Values stay decoded until
// then, so a job that changes four times in one run is encoded once. The first error
// sticks, and Flush returns it.
type Tx struct {
	base  Reader
	slots map[string]*slot
	err   error
}

type slot struct {
	value   any
	present bool
	dirty   bool
}

// NewTx begins a Tx over base.
func NewTx(base Reader) *Tx { return &Tx{base: base, slots: map[string]*slot{}} }

// fail makes err the outcome of the Tx, unless it has already failed.
func (tx *Tx) fail(err error) {
	if tx.err == nil {
		tx.err = err
	}
}

// Err returns the first error so far.
func (tx *Tx) Err() error { return tx.err }

// Flush hands every write to w, in no particular order. If it fails, some writes may have been made.
func (tx *Tx) Flush(w Writer) error {
	for key, s := range tx.slots {
		if tx.err != nil {
			return tx.err
		}
		if s.dirty {
			tx.fail(s.flush(w, []byte(key)))
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
