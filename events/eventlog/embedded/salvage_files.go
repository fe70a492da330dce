package embedded

import (
	"bytes"
	"math"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// readTable calls put with the entries of a table, skipping damaged blocks. prefixes are those of the partitions whose records it may have, in order.
// wrong is the damage; err is an error of put.
func readTable(path string, prefixes [][]byte, put func(key, value []byte) error) (wrong, err error) {
	for first := []byte{0}; ; {
		last, damage, err := readFrom(path, first, put)
		if err != nil || damage == nil {
			return wrong, err
		}
		if wrong == nil {
			wrong = damage
		}
		if first = behindDamage(path, last, prefixes); first == nil {
			return wrong, nil
		}
	}
}

// openTable returns an iterator over a table.
func openTable(path string) (*pebble.Iterator, error) {
	f, err := vfs.Default.Open(path)
	if err != nil {
		return nil, err
	}
	o := &pebble.Options{}
	o.EnsureDefaults()
	return pebble.NewExternalIter(o, &pebble.IterOptions{}, [][]sstable.ReadableFile{{f}})
}

// readFrom calls put with the entries of a table from a key on, until one cannot be read. last is the last key read.
func readFrom(path string, first []byte, put func(key, value []byte) error) (last []byte, damage, err error) {
	iter, err := openTable(path)
	if err != nil {
		return first, err, nil
	}
	defer iter.Close()
	last = first
	for ok := iter.SeekGE(first); ok; ok = iter.Next() {
		value, err := iter.ValueAndErr()
		if err != nil {
			return last, err, nil
		}
		last = bytes.Clone(iter.Key())
		if err := put(last, value); err != nil {
			return last, nil, err
		}
	}
	return last, iter.Error(), nil
}

// behindDamage returns the smallest key of a record after last from which a table can be read again; nil if there is none.
func behindDamage(path string, last []byte, prefixes [][]byte) []byte {
	for _, prefix := range prefixes {
		from := int64(-1)
		switch {
		case bytes.HasPrefix(last, prefix) && len(last) == len(prefix)+8:
			from = offsetOf(last)
		case bytes.Compare(prefix, last) < 0:
			continue
		}
		if offset, ok := firstReadable(path, prefix, from); ok {
			return recordKey(prefix, offset)
		}
	}
	return nil
}

// firstReadable returns the smallest offset after from at which a table can be read, or false if all its remaining records of the partition are
// damaged. It takes everything up to the first readable block for one damaged range.
func firstReadable(path string, prefix []byte, from int64) (int64, bool) {
	step := int64(1)
	for !readable(path, recordKey(prefix, from+step)) {
		if step > math.MaxInt64/4 {
			return 0, false
		}
		step *= 2
	}
	bad, good := from+step/2, from+step
	for bad+1 < good {
		if middle := bad + (good-bad)/2; readable(path, recordKey(prefix, middle)) {
			good = middle
		} else {
			bad = middle
		}
	}
	return good, true
}

// readable reports whether the first entry of a table from a key on can be read, or there is none.
func readable(path string, key []byte) bool {
	iter, err := openTable(path)
	if err != nil {
		return false
	}
	defer iter.Close()
	if !iter.SeekGE(key) {
		return iter.Error() == nil
	}
	_, err = iter.ValueAndErr()
	return err == nil
}
