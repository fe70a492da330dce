package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// Each implements Files.
func (d *Dir) Each(ctx context.Context, visit func(name string, size int64, stored time.Time) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for hash := range hashDirs {
		dir := d.hashDir(byte(hash))
		names, err := d.fs.List(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("list files: %w", err)
		}
		for _, name := range names {
			info, err := d.fs.Stat(d.fs.PathJoin(dir, name))
			if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() || CheckName(name) != nil {
				continue
			}
			if err != nil {
				return fmt.Errorf("list files: %w", err)
			}
			if err := errors.Join(ctx.Err(), visit(name, info.Size(), info.ModTime())); err != nil {
				return err
			}
		}
	}
	if err := d.gone(); err != nil { // what was listed is not all
		return fmt.Errorf("list files: %w", err)
	}
	return nil
}
