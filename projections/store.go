package projections

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"platen.dev/events/disk"
	"platen.dev/projections/table"
)

// The memory that Pebble may use, in bytes.
const (
	cacheBytes    = 32 << 20
	memtableBytes = 8 << 20
)

// store is a Pebble database with the tables of a replica.
type store struct {
	cfg     Config
	db      *pebble.DB
	options *pebble.Options
	guard   *disk.Guard
	// partitions is the number of partitions of the log.
	partitions int32
}

// openStore opens the store in cfg.Dir, creating it if it does not exist.
func openStore(cfg Config, guard *disk.Guard, opts *pebble.Options) (*store, error) {
	cache := pebble.NewCache(cacheBytes)
	defer cache.Unref()
	opts.FS, opts.Cache, opts.MemTableSize = cfg.FS, cmp.Or(opts.Cache, cache), memtableBytes
	guard.Options(opts)
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	db, err := pebble.Open(cfg.Dir, opts)
	if err != nil {
		return nil, err
	}
	opts.EnsureDefaults() // Open works on a copy
	return &store{cfg: cfg, db: db, options: opts, guard: guard, partitions: cfg.Log.Partitions()}, nil
}

// Get implements table.Reader.
func (s *store) Get(key []byte) ([]byte, error) { return get(s.db, key) }

// rowsIn reads the rows of a database, or of a snapshot of one.
type rowsIn struct{ reader pebble.Reader }

// Get implements table.Reader.
func (r rowsIn) Get(key []byte) ([]byte, error) { return get(r.reader, key) }

// cursor returns the cursor of a partition; false if the store has nothing of it.
func (s *store) cursor(partition int32) (Cursor, bool, error) { return cursorIn(s, partition) }

// cursorIn returns the cursor of a partition, Origin and false if r has nothing of it.
func cursorIn(r table.Reader, partition int32) (Cursor, bool, error) {
	c, ok, err := cursors.Get(r, cursorKey(partition))
	if err == nil && !ok {
		c = Origin()
	}
	return c, ok, err
}

// openScratch opens an empty store for the duration of a rebuild. Nothing in it survives.
func openScratch(cfg Config) (*store, error) {
	if cfg.FS == nil {
		cfg.FS = vfs.Default
	}
	if err := cfg.FS.RemoveAll(cfg.Dir); err != nil {
		return nil, err
	}
	guard := disk.NewGuard("scratch store", cfg.Logger)
	cache := pebble.NewCache(scratchCacheBytes)
	defer cache.Unref()
	var s *store
	err := guard.Open(func() (err error) {
		s, err = openStore(cfg, guard, &pebble.Options{Cache: cache, DisableWAL: true})
		return err
	})
	return s, err
}

// scratchCacheBytes is the size of a scratch store's cache.
const scratchCacheBytes = 8 << 20

func get(db pebble.Reader, key []byte) ([]byte, error) {
	v, closer, err := db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read replica: %w", err)
	}
	defer closer.Close()
	return append([]byte{}, v...), nil
}

func scan(db pebble.Reader, prefix []byte, visit func(key, value []byte) bool) error {
	return scanFrom(db, prefix, prefix, visit)
}

// scanFrom visits the keys with a prefix, starting at the first key >= first.
func scanFrom(db pebble.Reader, prefix, first []byte, visit func(key, value []byte) bool) error {
	iter, err := db.NewIter(&pebble.IterOptions{LowerBound: first, UpperBound: after(prefix)})
	if err != nil {
		return fmt.Errorf("scan replica: %w", err)
	}
	for ok := iter.First(); ok; ok = iter.Next() {
		if !visit(iter.Key(), iter.Value()) {
			break
		}
	}
	return iter.Close()
}

// after returns the smallest key above all keys with the prefix, nil if there is no such key.
func after(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}

// eachRow visits the rows of a partition in r, in key order, until visit fails or ctx ends. Key and
// value are valid only during the call.
func eachRow(ctx context.Context, r pebble.Reader, partition, partitions int32, visit func(key, value []byte) error) error {
	iter, err := r.NewIter(nil)
	if err != nil {
		return err
	}
	defer iter.Close()
	for table := firstTable; table <= lastTable; table++ {
		prefix := spanOf(byte(table), partition)
		for ok := iter.SeekGE(prefix); ok && bytes.HasPrefix(iter.Key(), prefix); ok = iter.Next() {
			if byte(table) == apiKeys.Name && !ofPartition(iter.Value(), partition, partitions) {
				continue
			}
			if err := visit(iter.Key(), iter.Value()); err != nil {
				return err
			}
		}
		if err := errors.Join(iter.Error(), ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}
