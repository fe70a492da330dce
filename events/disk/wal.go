package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/record"
)

// WALBlock is the block size of a write-ahead log. Each block begins with a chunk, so reading can resume there.
const WALBlock = 32 << 10

// ReadWAL calls put with the entries set by the batches in a Pebble write-ahead log, skipping damaged batches. wrong lists the damage; err is an
// error of put. A write at the end torn by a crash is not damage.
func ReadWAL(path string, put func(key, value []byte) error) (wrong []error, err error) {
	f, err := os.Open(path)
	if err != nil {
		return []error{err}, nil
	}
	defer f.Close()
	info, err := f.Stat()
	number, notOne := strconv.ParseUint(strings.TrimSuffix(filepath.Base(path), ".log"), 10, 64)
	if err := errors.Join(err, notOne); err != nil {
		return []error{err}, nil
	}
	for from := int64(0); from < info.Size(); {
		r := newWALReader(record.NewReader, io.NewSectionReader(f, from, info.Size()-from), number)
		at, damage, err := readBatches(r, put)
		if err != nil || damage == nil {
			return wrong, err
		}
		if !errors.Is(damage, record.ErrUnexpectedEOF) || from+at+WALBlock < info.Size() { // at the end it is a write torn by a crash
			wrong = append(wrong, fmt.Errorf("from byte %d on: %w", from+at, damage))
		}
		from = (from+at)/WALBlock*WALBlock + WALBlock
	}
	return wrong, nil
}

// newWALReader is record.NewReader for its number parameter, whose type cannot be named here.
func newWALReader[T ~uint64](open func(io.Reader, T) *record.Reader, r io.Reader, number uint64) *record.Reader {
	return open(r, T(number))
}

// readBatches calls put with the entries of batches until one is damaged, or all are read. at is the position of the last one.
func readBatches(r *record.Reader, put func(key, value []byte) error) (at int64, damage, err error) {
	for {
		at = r.Offset()
		next, err := r.Next()
		if errors.Is(err, io.EOF) {
			return at, nil, nil
		}
		var repr []byte
		if err == nil {
			repr, err = io.ReadAll(next)
		}
		if err != nil {
			return at, err, nil
		}
		if err := putBatch(repr, put); err != nil {
			return at, nil, err
		}
	}
}

func putBatch(repr []byte, put func(key, value []byte) error) error {
	var b pebble.Batch
	if b.SetRepr(repr) != nil {
		return nil
	}
	for r := b.Reader(); ; {
		kind, key, value, ok, err := r.Next()
		if !ok || err != nil {
			return nil
		}
		if kind == pebble.InternalKeyKindSet {
			if err := put(key, value); err != nil {
				return err
			}
		}
	}
}
