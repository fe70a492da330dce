package projections

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"

	"platen.dev/events/disk"
)

// The memory that Pebble may use, in bytes.
const (
	cacheBytes    = 32 << 20
	memtableBytes = 8 << 20
)

// schema is the version of all tables together. Raise it whenever a projection writes other
// bytes than before: then every replica is emptied and folds the journal again.
var (
	schemaKey = []byte("\x00schema")
	schema    = []byte{7}
)

// openStore opens the store, and empties it first if its tables have another schema.
func openStore(cfg Config, guard *disk.Guard) (*pebble.DB, error) {
	db, err := openPebble(cfg, guard)
	if err != nil {
		return nil, err
	}
	have, err := get(db, schemaKey)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if bytes.Equal(have, schema) {
		return db, nil
	}
	if err := errors.Join(db.Close(), cfg.FS.RemoveAll(cfg.Dir)); err != nil {
		return nil, err
	}
	if db, err = openPebble(cfg, guard); err != nil {
		return nil, err
	}
	return db, db.Set(schemaKey, schema, pebble.Sync)
}

func openPebble(cfg Config, guard *disk.Guard) (*pebble.DB, error) {
	cache := pebble.NewCache(cacheBytes)
	defer cache.Unref()
	opts := guard.Options(&pebble.Options{
		FS:           cfg.FS,
		Cache:        cache,
		MemTableSize: memtableBytes,
	})
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	return pebble.Open(cfg.Dir, opts)
}

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
