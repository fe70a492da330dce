package backup_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"platen.dev/store"
)

// files is a store in memory: with many of them, tests would wait for the disk.
type files struct {
	mu     sync.Mutex
	all    map[string][]byte
	stored map[string]time.Time
}

func newFiles() *files { return &files{all: map[string][]byte{}, stored: map[string]time.Time{}} }

func (f *files) Put(_ context.Context, name string, r io.Reader, limit int64) (int64, error) {
	if err := store.CheckName(name); err != nil {
		return 0, err
	}
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = store.ErrTooLarge
	}
	if err != nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all[name], f.stored[name] = b, time.Now()
	return int64(len(b)), nil
}

func (f *files) Open(_ context.Context, name string) (*store.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b, there := f.all[name]
	if !there {
		return nil, fmt.Errorf("open %s: %w", name, store.ErrNotExist)
	}
	return &store.File{ReadCloser: io.NopCloser(bytes.NewReader(b)), Size: int64(len(b))}, nil
}

func (f *files) Delete(_ context.Context, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.all, name)
	return nil
}

func (f *files) Each(_ context.Context, visit func(string, int64, time.Time) error) error {
	f.mu.Lock()
	stored := maps.Clone(f.stored)
	sizes := map[string]int64{}
	for name, content := range f.all {
		sizes[name] = int64(len(content))
	}
	names := slices.Sorted(maps.Keys(f.all))
	f.mu.Unlock()
	for _, name := range names {
		if err := visit(name, sizes[name], stored[name]); err != nil {
			return err
		}
	}
	return nil
}
