package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Scrub verifies the checksums of all blocks of the tables and write-ahead logs of a Pebble database, bypassing the database, which may be in use. It
// returns the damaged files, with the reasons. pace is called with the size of each file after it was read, and may wait; its error ends the scrub.
func Scrub(ctx context.Context, dir string, pace func(bytes int) error) (damaged map[string]error, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	damaged = map[string]error{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !slices.Contains([]string{".sst", ".log"}, filepath.Ext(e.Name())) {
			continue // it is gone, or has no blocks
		}
		if wrong := scrubFile(filepath.Join(dir, e.Name())); wrong != nil {
			damaged[e.Name()] = wrong
		}
		if err := errors.Join(pace(int(info.Size())), ctx.Err()); err != nil {
			return damaged, err
		}
	}
	return damaged, nil
}

// scrubFile returns the damage in a file.
func scrubFile(path string) error {
	if filepath.Ext(path) == ".log" {
		return damageOf(path, checkWAL)
	}
	return damageOf(path, checkTable)
}

// looks is how often a file must look damaged, one time after another, to be damaged: it may be being written.
const looks = 3

// damageOf returns the damage that a check finds in a file. A file that has since been removed is not damaged.
func damageOf(path string, check func(path string) error) (err error) {
	for range looks {
		if err = check(path); err == nil || errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if _, gone := os.Stat(path); gone != nil {
			return nil
		}
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

func checkTable(path string) error {
	f, err := vfs.Default.Open(path)
	if err != nil {
		return err
	}
	readable, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	r, err := sstable.NewReader(context.Background(), readable, sstable.ReaderOptions{})
	if err != nil {
		return errors.Join(err, readable.Close())
	}
	return errors.Join(r.ValidateBlockChecksums(), r.Close())
}

// checkWAL verifies what later entries prove to have been durable. Beyond the last such entry, damage cannot be told from a torn write.
func checkWAL(path string) error {
	wrong, err := ReadWAL(path, func(_, _ []byte) error { return nil })
	wrong = slices.DeleteFunc(wrong, func(err error) bool { return errors.Is(err, record.ErrUnexpectedEOF) })
	return errors.Join(append(wrong, err)...)
}
