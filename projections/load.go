package projections

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"platen.dev/events/disk"
)

// tableBytes is the approximate size of a Pebble table made of loaded rows.
const tableBytes = 64 << 20

// load atomically replaces all rows of a partition, including the cursor: concurrent readers find
// the old or the new ones, and so does the next start after a crash. Rows that are not of the
// partition, or not in key order, are refused.
func (s *store) load(ctx context.Context, partition int32, rows Rows) (Cursor, error) {
	l := &loader{store: s, partition: partition, dir: s.cfg.FS.PathJoin(s.loads(), fmt.Sprint(partition))}
	defer s.cfg.FS.RemoveAll(l.dir)
	if err := l.write(ctx, rows); err != nil {
		return Cursor{}, fmt.Errorf("load partition %d: %w", partition, errors.Join(err, l.closeWriter()))
	}
	if !l.cursor.ok {
		return Cursor{}, fmt.Errorf("load partition %d: the rows have no cursor", partition)
	}
	if err := s.db.Ingest(ctx, l.paths); err != nil {
		return Cursor{}, fmt.Errorf("load partition %d: %w", partition, err)
	}
	return l.cursor.Cursor, nil
}

// loads returns the directory for rows being loaded.
func (s *store) loads() string { return s.cfg.FS.PathJoin(s.cfg.Dir, "load") }

// loader writes rows to tables of Pebble, which the store then ingests all at once.
type loader struct {
	store     *store
	partition int32
	dir       string
	paths     []string
	// old are the tables in which the store has rows of the partition: true until the deletion of them
	// all is written.
	old map[byte]bool
	// keys are the new rows of the API keys, which are interleaved with those of other partitions. A
	// nil value deletes.
	keys map[string][]byte

	table  byte // of the open writer
	writer *sstable.Writer
	last   []byte
	cursor struct {
		Cursor
		ok bool
	}
}

func (l *loader) write(ctx context.Context, rows Rows) error {
	if err := l.begin(ctx); err != nil {
		return err
	}
	if err := rows(l.put); err != nil {
		return err
	}
	return l.end()
}

func (l *loader) begin(ctx context.Context) error {
	l.old, l.keys = map[byte]bool{}, map[string][]byte{}
	fs := l.store.cfg.FS
	if err := errors.Join(fs.RemoveAll(l.dir), disk.MkdirAll(fs, l.dir, 0o700)); err != nil {
		return err
	}
	return eachRow(ctx, l.store.db, l.partition, l.store.partitions, func(key, _ []byte) error {
		if key[0] == apiKeys.Name {
			l.keys[string(key)] = nil
		} else {
			l.old[key[0]] = true
		}
		return nil
	})
}

// put takes the next row.
func (l *loader) put(key, value []byte) error {
	if bytes.Compare(key, l.last) <= 0 {
		return fmt.Errorf("key %x does not come after %x", key, l.last)
	}
	if err := checkRow(key, value, l.partition, l.store.partitions); err != nil {
		return err
	}
	l.last = append(l.last[:0], key...)
	switch key[0] {
	case apiKeys.Name:
		l.keys[string(key)] = bytes.Clone(value)
		return nil
	case cursors.Name:
		if err := l.takeCursor(key, value); err != nil {
			return err
		}
	}
	if err := l.open(key[0]); err != nil {
		return err
	}
	return l.writer.Set(key, value)
}

func (l *loader) takeCursor(key, value []byte) (err error) {
	l.cursor.ok = bytes.Equal(key, cursorKey(l.partition))
	l.cursor.Cursor, err = cursors.Decode(value)
	if err != nil || !l.cursor.ok {
		return fmt.Errorf("the row of the cursor, %x, is not one: %w", key, err)
	}
	return nil
}

// open makes the writer write to a table. Everything after the deletion of old rows must be in the
// same file: files ingested together must not overlap.
func (l *loader) open(table byte) error {
	clears, had := l.old[table]
	if l.writer != nil && l.table == table && (had || l.writer.Raw().EstimatedSize() < tableBytes) {
		return nil
	}
	if err := errors.Join(l.closeWriter(), l.openWriter()); err != nil {
		return err
	}
	l.table = table
	if !clears {
		return nil
	}
	l.old[table] = false
	span := spanOf(table, l.partition)
	return l.writer.DeleteRange(span, after(span))
}

func (l *loader) openWriter() error {
	path := l.store.cfg.FS.PathJoin(l.dir, fmt.Sprintf("%04d.sst", len(l.paths)))
	f, err := l.store.cfg.FS.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	l.paths = append(l.paths, path)
	l.writer = sstable.NewWriter(objstorageprovider.NewFileWritable(f), l.store.options.MakeWriterOptions(6, l.store.db.TableFormat()))
	return nil
}

func (l *loader) closeWriter() error {
	if l.writer == nil {
		return nil
	}
	err := l.writer.Close()
	l.writer = nil
	return err
}

// end writes everything that is not in row order: the deletions in tables without rows now, and the
// API keys.
func (l *loader) end() error {
	for table, clears := range l.old {
		if clears {
			if err := l.open(table); err != nil {
				return err
			}
		}
	}
	if err := l.closeWriter(); err != nil || len(l.keys) == 0 {
		return err
	}
	if err := l.openWriter(); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(l.keys)) {
		if err := l.putKey([]byte(key), l.keys[key]); err != nil {
			return err
		}
	}
	return l.closeWriter()
}

// putKey writes the new value of an API key, or its deletion.
func (l *loader) putKey(key, value []byte) error {
	if value == nil {
		return l.writer.Delete(key)
	}
	return l.writer.Set(key, value)
}
