package projections

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events"
	"platen.dev/projections/table"
)

// Rows visits all rows of a partition in the order of their keys, until visit fails. Key and value
// are valid only during the call.
type Rows func(visit func(key, value []byte) error) error

// The names of tables. 0 is for keys that describe the store itself.
const (
	firstTable = 1
	lastTable  = 255
)

// spanOf returns the key prefix of a partition in a table. The index of API keys has no partitions:
// its span is the whole table.
func spanOf(name byte, partition int32) []byte {
	if name == apiKeys.Name {
		return []byte{name}
	}
	return table.Table[any]{Name: name}.Key(partition)
}

// ofPartition reports whether a row of the index of API keys belongs to an account of the partition.
func ofPartition(value []byte, partition, partitions int32) bool {
	ref, err := apiKeys.Decode(value)
	return err == nil && events.Partition(ref.Account, partitions) == partition
}

// checkRow returns an error for anything that cannot be a row of the partition.
func checkRow(key, value []byte, partition, partitions int32) error {
	if len(key) == 0 || key[0] < firstTable || !bytes.HasPrefix(key, spanOf(key[0], partition)) {
		return fmt.Errorf("key %x is not one of partition %d", key, partition)
	}
	if key[0] == apiKeys.Name && (len(key) != len(apiKeyKey([32]byte{})) || !ofPartition(value, partition, partitions)) {
		return fmt.Errorf("API key %x is not one of partition %d", key, partition)
	}
	return nil
}

// Frozen is a partition of a replica frozen at one cursor while folding continues.
type Frozen struct {
	// Cursor is how far the partition was folded.
	Cursor     Cursor
	partition  int32
	partitions int32
	reader     pebble.Reader
	close      func() error
}

// Freeze returns a partition as it is now. The caller closes it: until then the store keeps what is
// overwritten.
func (r *Replica) Freeze(partition int32) (*Frozen, error) {
	if err := r.guard().Err(); err != nil {
		return nil, err
	}
	s := r.store.Load()
	snapshot := s.db.NewSnapshot()
	f := &Frozen{partition: partition, partitions: s.partitions, reader: snapshot, close: snapshot.Close}
	var err error
	if f.Cursor, _, err = cursorIn(rowsIn{snapshot}, partition); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// CursorOf returns how far a partition was folded, the origin if it was not.
func (f *Frozen) CursorOf(partition int32) (Cursor, error) {
	c, _, err := cursorIn(rowsIn{f.reader}, partition)
	return c, err
}

// Partition returns which partition it is.
func (f *Frozen) Partition() int32 { return f.partition }

// Rows returns all rows of the partition, including its cursor. They end with an error when ctx ends.
func (f *Frozen) Rows(ctx context.Context) Rows {
	return func(visit func(key, value []byte) error) error {
		return eachRow(ctx, f.reader, f.partition, f.partitions, visit)
	}
}

// Get implements table.Reader.
func (f *Frozen) Get(key []byte) ([]byte, error) { return get(f.reader, key) }

// Scan calls visit with every key that begins with prefix, in order, until visit returns false. Key and
// value are valid only during the call.
func (f *Frozen) Scan(prefix []byte, visit func(key, value []byte) bool) error {
	return scan(f.reader, prefix, visit)
}

// ScanFrom is Scan starting at the first key >= first.
func (f *Frozen) ScanFrom(prefix, first []byte, visit func(key, value []byte) bool) error {
	return scanFrom(f.reader, prefix, first, visit)
}

// Close releases the rows.
func (f *Frozen) Close() error { return f.close() }
