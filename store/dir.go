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
	// tempDir, inside the root, has the files that are being written, each locked by its
	// writer. Hash directories have other names.
	tempDir    = "temp"
	copyBuffer = 256 << 10
)

// Dir keeps files in a directory:
//
//	<root>/<first two hex digits of the name's SHA-256>/<name>
//	<root>/temp/put-<random>          files being written
//
// It is safe for concurrent use, also by several processes on one directory. Only the owner
// of a file can read it.
type Dir struct{ root string }

// OpenDir opens a directory, which it creates if it does not exist. It removes incomplete
// files whose writers have ended.
func OpenDir(root string) (*Dir, error) {
	d := &Dir{root: root}
	if err := os.MkdirAll(filepath.Join(root, tempDir), 0o700); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := d.removeAbandoned(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	return d, nil
}

// Put stores the content of r as the file name, and returns its size in bytes. It replaces
// an existing file atomically: a reader sees the old or the new file, never a mixture. When
// Put returns nil, the file survives power loss. When it returns an error, an existing file
// is unchanged, unless only the last step, syncing the directory, failed. Content of more
// than limit bytes gives ErrTooLarge. Put takes a fixed amount of memory.
func (d *Dir) Put(ctx context.Context, name string, r io.Reader, limit int64) (size int64, err error) {
	if err := checkName(name); err != nil {
		return 0, err
	}
	temp, size, err := d.write(ctx, r, limit)
	if err != nil {
		return 0, fmt.Errorf("put %s: %w", name, err)
	}
	defer func() { _ = temp.Close() }() // synced already; until it is renamed, its lock protects it from removeAbandoned
	if err := d.publish(temp.Name(), name); err != nil {
		_ = os.Remove(temp.Name())
		return 0, fmt.Errorf("put %s: %w", name, err)
	}
	return size, nil
}

// Open opens a file for reading, or returns ErrNotExist. The caller closes it.
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

// Delete durably deletes a file. It returns nil if the file does not exist.
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

// write writes and syncs a temporary file, and returns it open, as closing it would unlock
// it.
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

// copyLimited copies r to w. It stops with an error when ctx ends, and with ErrTooLarge
// after limit bytes.
func copyLimited(ctx context.Context, w io.Writer, r io.Reader, limit int64) (size int64, err error) {
	source := io.LimitReader(contextReader{ctx, r}, limit+1)
	// The struct hides ReadFrom, with which io.CopyBuffer would not use the buffer.
	size, err = io.CopyBuffer(struct{ io.Writer }{w}, source, make([]byte, copyBuffer))
	if err == nil && size > limit {
		err = ErrTooLarge
	}
	return size, err
}

// publish durably renames a temporary file to its final path.
func (d *Dir) publish(temp, name string) error {
	path := d.path(name)
	if err := d.ensureHashDir(filepath.Dir(path)); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// ensureHashDir durably creates a hash directory if it does not exist.
func (d *Dir) ensureHashDir(path string) error {
	err := os.Mkdir(path, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncDir(d.root)
}

// removeAbandoned removes the temporary files that no process has locked, as their writers
// have ended. It may also remove a file that was created but is not locked yet; that Put
// then fails.
func (d *Dir) removeAbandoned() error {
	paths, err := filepath.Glob(filepath.Join(d.root, tempDir, "put-*"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			continue // its writer has renamed or removed it
		}
		if lock(f) == nil {
			_ = os.Remove(path)
		}
		_ = f.Close()
	}
	return nil
}

// lock locks a file, or fails if it is locked. The lock ends when the file is closed, at the
// latest when its process ends.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// contextReader fails once ctx has ended.
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
