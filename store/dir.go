package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const (
	// tempDir, inside the root, holds files that are being written, each locked by
	// its writer. No shard has its name.
	tempDir    = "temp"
	copyBuffer = 256 << 10
)

// Dir keeps files in a directory:
//
//	<root>/<two hex digits of the name's hash>/<name>
//	<root>/temp/<random>              files being written
//
// All methods may be called from any goroutine, and by several processes on one
// directory. Files are readable by their owner only.
type Dir struct{ root string }

// OpenDir opens a directory, making it if needed, and removes what processes that
// are no more have left half-written.
func OpenDir(root string) (*Dir, error) {
	d := &Dir{root: root}
	if err := os.MkdirAll(filepath.Join(root, tempDir), 0o700); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := d.sweep(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	return d, nil
}

// Put stores what r has, under name, and returns its size in bytes. Whatever
// stood there before is replaced at once: a reader sees the old or the new file,
// never a mixture. When Put returns nil, the file survives power loss; when it
// returns an error, what stood there before still stands. Content above limit
// bytes is ErrTooLarge. It uses a fixed amount of memory.
func (d *Dir) Put(ctx context.Context, name string, r io.Reader, limit int64) (size int64, err error) {
	if err := checkName(name); err != nil {
		return 0, err
	}
	temp, size, err := d.write(ctx, r, limit)
	if err != nil {
		return 0, fmt.Errorf("put %s: %w", name, err)
	}
	defer func() { _ = temp.Close() }() // synced already; until it has its name, its lock keeps the sweeps away
	if err := d.publish(temp.Name(), name); err != nil {
		_ = os.Remove(temp.Name())
		return 0, fmt.Errorf("put %s: %w", name, err)
	}
	return size, nil
}

// Open opens the file called name, or returns ErrNotExist.
func (d *Dir) Open(ctx context.Context, name string) (*File, error) {
	if err := errors.Join(ctx.Err(), checkName(name)); err != nil {
		return nil, err
	}
	f, err := os.Open(d.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open %s: %w", name, ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	return &File{ReadSeekCloser: f, Size: info.Size()}, nil
}

// Delete removes the file called name for good; that there is none is no error.
func (d *Dir) Delete(ctx context.Context, name string) error {
	if err := errors.Join(ctx.Err(), checkName(name)); err != nil {
		return err
	}
	path := d.path(name)
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	return nil
}

func (d *Dir) path(name string) string {
	hash := sha256.Sum256([]byte(name))
	return filepath.Join(d.root, hex.EncodeToString(hash[:1]), name)
}

// write fills a temporary file, makes its content durable and leaves it open, hence locked.
func (d *Dir) write(ctx context.Context, r io.Reader, limit int64) (f *os.File, size int64, err error) {
	f, err = os.CreateTemp(filepath.Join(d.root, tempDir), "put-*")
	if err != nil {
		return nil, 0, err
	}
	if err = lock(f); err == nil {
		size, err = copyLimited(ctx, f, r, limit)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return f, size, nil
}

// copyLimited copies until r ends, ctx ends or more than limit bytes have come.
func copyLimited(ctx context.Context, w io.Writer, r io.Reader, limit int64) (size int64, err error) {
	source := io.LimitReader(contextReader{ctx, r}, limit+1)
	// The struct hides ReadFrom, which would bring its own way of copying.
	size, err = io.CopyBuffer(struct{ io.Writer }{w}, source, make([]byte, copyBuffer))
	if err == nil && size > limit {
		err = ErrTooLarge
	}
	return size, err
}

// publish gives a finished file its name, durably.
func (d *Dir) publish(temp, name string) error {
	path := d.path(name)
	shard := filepath.Dir(path)
	if err := d.ensureShard(shard); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	return syncDir(shard)
}

// ensureShard makes a shard's directory; a new one is synced into its parent.
func (d *Dir) ensureShard(shard string) error {
	err := os.Mkdir(shard, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncDir(d.root)
}

// sweep removes the temporary files whose writer is dead, which shows in their
// lock. A file between its making and its locking may be hit too: its Put then
// fails like any other.
func (d *Dir) sweep() error {
	paths, err := filepath.Glob(filepath.Join(d.root, tempDir, "put-*"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			continue // renamed or removed by its writer
		}
		if lock(f) == nil {
			_ = os.Remove(path)
		}
		_ = f.Close()
	}
	return nil
}

// lock fails when another open file holds the lock, which ends with its process.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// contextReader ends with ctx.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}
