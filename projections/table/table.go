package table

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// Table is a set of rows of one type. All its keys begin with the byte Name.
type Table[T any] struct{ Name byte }

// ErrUndecodable means that a row is not as it was written, or that this version cannot read it.
var ErrUndecodable = errors.New("a row cannot be decoded")

// keyPrefix is the length of what precedes a row's own part of its key: the table's name
// and the partition.
const keyPrefix = 3

// Key returns the key of a row: the table's name, the partition, and the row's own part.
// Without a row it is the prefix of the partition's keys in the table.
func (t Table[T]) Key(partition int32, row ...byte) []byte {
	key := make([]byte, keyPrefix, keyPrefix+len(row))
	key[0] = t.Name
	binary.BigEndian.PutUint16(key[1:], uint16(partition))
	return append(key, row...)
}

// Row returns the row's own part of a key that Key returned. It shares the key's memory.
func (t Table[T]) Row(key []byte) []byte { return key[keyPrefix:] }

// Partition returns the partition of a key that Key returned.
func (t Table[T]) Partition(key []byte) int32 { return int32(binary.BigEndian.Uint16(key[1:])) }

// Get reads a committed value; ok is false if the table has no such row.
func (t Table[T]) Get(r Reader, key []byte) (v T, ok bool, err error) {
	b, err := r.Get(key)
	if err != nil || b == nil {
		return v, false, err
	}
	v, err = t.decodeRow(r, key, b)
	return v, err == nil, err
}

// Each calls visit with the rows whose keys begin with prefix, in order, until visit returns false. The key is valid only during the call.
func (t Table[T]) Each(s scanner, prefix []byte, visit func(key []byte, v T) bool) error {
	var decodeErr error
	err := s.Scan(prefix, func(key, value []byte) bool {
		var v T
		v, decodeErr = t.decodeRow(s, key, value)
		return decodeErr == nil && visit(key, v)
	})
	return errors.Join(err, decodeErr)
}

// scanner visits rows by their keys, as a replica does.
type scanner interface {
	Scan(prefix []byte, visit func(key, value []byte) bool) error
}

// decodeRow decodes a row read from rows, which are told if that fails.
func (t Table[T]) decodeRow(rows any, key, value []byte) (v T, err error) {
	if v, err = t.Decode(value); err == nil {
		return v, nil
	}
	err = fmt.Errorf("%w: decode %x: %w", ErrUndecodable, key, err)
	if o, ok := rows.(DamageObserver); ok {
		o.ObserveDamage(key, err)
	}
	return v, err
}

// DamageObserver holds rows, and is told of those that cannot be decoded.
type DamageObserver interface {
	ObserveDamage(key []byte, why error)
}

// Decode decodes a value of the table.
func (t Table[T]) Decode(b []byte) (v T, err error) {
	err = decoder.Unmarshal(b, &v)
	return v, err
}

// Load reads a value including the writes of tx; false if the table has no such row. An
// error of the store fails tx.
func (t Table[T]) Load(tx *Tx, key []byte) (T, bool) {
	if s, ok := tx.slots[string(key)]; ok {
		v, _ := s.value.(T)
		return v, s.present
	}
	v, ok, err := t.Get(tx.base, key)
	if err != nil {
		tx.fail(err)
	}
	tx.slots[string(key)] = &slot{value: v, present: ok}
	return v, ok
}

// Put writes a value. The caller must not change anything that the value refers to afterwards.
func (t Table[T]) Put(tx *Tx, key []byte, v T) {
	tx.slots[string(key)] = &slot{value: v, present: true, dirty: true}
}

// Delete removes a row.
func (t Table[T]) Delete(tx *Tx, key []byte) {
	tx.slots[string(key)] = &slot{dirty: true}
}

// Encode encodes a value of any table.
func Encode(v any) ([]byte, error) { return encoder.Marshal(v) }

var encoder, decoder = modes()

func modes() (cbor.EncMode, cbor.DecMode) {
	enc, encErr := cbor.CoreDetEncOptions().EncMode()
	dec, decErr := cbor.DecOptions{}.DecMode()
	if err := errors.Join(encErr, decErr); err != nil {
		panic(err)
	}
	return enc, dec
}
