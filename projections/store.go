package projections

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
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
	schema    = []byte{4}
)

// openStore opens the store, and empties it first if its tables have another schema.
func openStore(cfg Config) (*pebble.DB, error) {
	db, err := openPebble(cfg)
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
	if err := errors.Join(db.Close(), os.RemoveAll(cfg.Dir)); err != nil {
		return nil, err
	}
	if db, err = openPebble(cfg); err != nil {
		return nil, err
	}
	return db, db.Set(schemaKey, schema, pebble.Sync)
}

func openPebble(cfg Config) (*pebble.DB, error) {
	cache := pebble.NewCache(cacheBytes)
	defer cache.Unref()
	opts := &pebble.Options{
		Cache:        cache,
		MemTableSize: memtableBytes,
		Logger:       errorLogger{cfg.Logger},
	}
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	return pebble.Open(cfg.Dir, opts)
}

// errorLogger passes Pebble's errors on and drops its informational messages.
type errorLogger struct{ log *slog.Logger }

func (errorLogger) Infof(string, ...any) {}
func (l errorLogger) Errorf(format string, args ...any) {
	l.log.Error("replica store", "error", fmt.Sprintf(format, args...))
}

// Fatalf panics, because it must not return: Pebble calls it when the store can no longer be
// trusted.
func (l errorLogger) Fatalf(format string, args ...any) {
	panic("replica store: " + fmt.Sprintf(format, args...))
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
