package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sys/unix"

	"platen.dev/events/disk"
)

const (
	// tempDir, inside the root, holds the files being written, each locked by its writer. Hash
	// directories have other names.
	tempDir    = "temp"
	tempPrefix = "put-"
	copyBuffer = 256 << 10
	hashDirs   = 256
	// category identifies these files to the file system.
	category vfs.DiskWriteCategory = "platen-files"
)

// Dir keeps files in a directory:
//
//	<root>/<first two hex digits of the name's SHA-256>/<name>
//	<root>/temp/put-<random>          files being written
//
// Acknowledged files survive power loss. Only the owner of a file can read it.
type Dir struct {
	fs   vfs.FS
	root string
	made sync.Map // the hash directories that survive power loss, by path
	// opened is that OpenDir has made the directories, so that they are there unless somebody takes them away.
	opened bool
}

var _ Files = (*Dir)(nil)

// OpenDir opens a directory, durably creating it if necessary. It removes incomplete files whose
// writers have ended.
func OpenDir(root string) (*Dir, error) { return openDirOn(vfs.Default, root) }

// DirToRead returns a directory whose files are only read: nothing is created or removed, and no file exists in one that does not.
func DirToRead(root string) *Dir { return &Dir{fs: vfs.Default, root: root} }

// IsDir reports whether OpenDir has made a directory.
func IsDir(root string) bool {
	info, err := vfs.Default.Stat(filepath.Join(root, tempDir))
	return err == nil && info.IsDir()
}

func openDirOn(fs vfs.FS, root string) (*Dir, error) {
	d := &Dir{fs: fs, root: root, opened: true}
	if err := disk.MkdirAll(fs, d.temp(), 0o700); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := d.syncHashDirs(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := d.removeAbandoned(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	return d, nil
}

// Remake makes the directories again that OpenDir and Put have made, after somebody has removed them.
func (d *Dir) Remake() error {
	d.made.Clear()
	if err := errors.Join(disk.MkdirAll(d.fs, d.temp(), 0o700), d.syncHashDirs()); err != nil {
		return fmt.Errorf("make the store again: %w", err)
	}
	return nil
}

// Put implements Files. Its last step is syncing the hash directory; if only that fails, the new
// file may be there although Put returns an error.
func (d *Dir) Put(ctx context.Context, name string, r io.Reader, limit int64) (size int64, err error) {
	if err := CheckName(name); err != nil {
		return 0, err
	}
	temp := d.fs.PathJoin(d.temp(), tempPrefix+rand.Text())
	f, size, err := d.write(ctx, temp, r, limit)
	if err != nil {
		return 0, fmt.Errorf("put %s: %w", name, err)
	}
	defer func() { _ = f.Close() }() // already synced; until the rename, its lock protects it from removeAbandoned
	if err := d.publish(temp, name); err != nil {
		_ = d.fs.Remove(temp)
		return 0, fmt.Errorf("put %s: %w", name, err)
	}
	return size, nil
}

// Open implements Files.
func (d *Dir) Open(ctx context.Context, name string) (*File, error) {
	if err := errors.Join(ctx.Err(), CheckName(name)); err != nil {
		return nil, err
	}
	f, err := d.fs.Open(d.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open %s: %w", name, cmp.Or(d.gone(), ErrNotExist))
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	return &File{content{io.NewSectionReader(f, 0, info.Size()), f}, info.Size()}, nil
}

// content reads a file.
type content struct {
	*io.SectionReader
	io.Closer
}

// Delete implements Files.
func (d *Dir) Delete(ctx context.Context, name string) error {
	if err := errors.Join(ctx.Err(), CheckName(name)); err != nil {
		return err
	}
	path := d.path(name)
	err := d.fs.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = d.gone()
	} else if err == nil {
		err = disk.SyncDir(d.fs, d.fs.PathDir(path))
	}
	if err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	return nil
}

// gone returns ErrGone if the directory that OpenDir has made is not there: then a file that is not there may still exist.
func (d *Dir) gone() error {
	if _, err := d.fs.Stat(d.temp()); d.opened && errors.Is(err, fs.ErrNotExist) {
		return ErrGone
	}
	return nil
}

func (d *Dir) temp() string { return d.fs.PathJoin(d.root, tempDir) }

// Path returns where a file is, for people.
func (d *Dir) Path(name string) string { return d.path(name) }

func (d *Dir) path(name string) string {
	hash := sha256.Sum256([]byte(name))
	return d.fs.PathJoin(d.hashDir(hash[0]), name)
}

func (d *Dir) hashDir(hash byte) string {
	return d.fs.PathJoin(d.root, hex.EncodeToString([]byte{hash}))
}

// write writes and syncs a temporary file, and returns it open, as closing it would unlock
// it.
func (d *Dir) write(ctx context.Context, path string, r io.Reader, limit int64) (f vfs.File, size int64, err error) {
	if f, err = d.fs.Create(path, category); err != nil {
		return nil, 0, err
	}
	if err = errors.Join(lock(f), makePrivate(f)); err == nil {
		size, err = copyLimited(ctx, f, r, limit)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close(), d.fs.Remove(path))
	}
	return f, size, nil
}

// buffers are for copying: most files are smaller than a buffer, which would otherwise become
// garbage after each.
var buffers = sync.Pool{New: func() any { return new([copyBuffer]byte) }}

// copyLimited copies r to w. It stops with an error when ctx ends, and with ErrTooLarge
// after limit bytes.
func copyLimited(ctx context.Context, w io.Writer, r io.Reader, limit int64) (size int64, err error) {
	source := io.LimitReader(contextReader{ctx, r}, limit+1)
	buffer := buffers.Get().(*[copyBuffer]byte)
	defer buffers.Put(buffer)
	// The struct hides ReadFrom, which io.CopyBuffer would use instead of the buffer.
	size, err = io.CopyBuffer(struct{ io.Writer }{w}, source, buffer[:])
	if err == nil && size > limit {
		err = ErrTooLarge
	}
	return size, err
}

// publish durably renames a temporary file to its final path.
func (d *Dir) publish(temp, name string) error {
	path := d.path(name)
	dir := d.fs.PathDir(path)
	err := d.moveInto(dir, temp, path)
	if _, there := d.fs.Stat(temp); errors.Is(err, fs.ErrNotExist) && there == nil { // somebody has removed the directory
		d.made.Delete(dir)
		err = d.moveInto(dir, temp, path)
	}
	return err
}

func (d *Dir) moveInto(dir, temp, path string) error {
	if err := d.makeHashDir(dir); err != nil {
		return err
	}
	if err := d.fs.Rename(temp, path); err != nil {
		return err
	}
	return disk.SyncDir(d.fs, dir)
}

// makeHashDir durably makes a hash directory, the first time that a file needs it: to make all 256
// took most of the time in which a new node opens its files.
func (d *Dir) makeHashDir(dir string) error {
	if _, ok := d.made.Load(dir); ok {
		return nil
	}
	if err := errors.Join(d.fs.MkdirAll(dir, 0o700), disk.SyncDir(d.fs, d.root)); err != nil {
		return err
	}
	d.made.Store(dir, true)
	return nil
}

// syncHashDirs makes the existing hash directories survive power loss: they may have been made a
// moment before a crash, or by another node, and not be durable yet.
func (d *Dir) syncHashDirs() error {
	names, err := d.fs.List(d.root)
	if err != nil {
		return err
	}
	if err := disk.SyncDir(d.fs, d.root); err != nil {
		return err
	}
	for _, name := range names {
		d.made.Store(d.fs.PathJoin(d.root, name), true)
	}
	return nil
}

// removeAbandoned removes the temporary files that no process has locked, because their writers
// have ended. It may also remove a file that was created but is not locked yet; that Put then
// fails. One that its writer renames meanwhile is made again, empty, and removed.
func (d *Dir) removeAbandoned() error {
	names, err := d.fs.List(d.temp())
	if err != nil {
		return err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, tempPrefix) {
			continue
		}
		path := d.fs.PathJoin(d.temp(), name)
		f, err := d.fs.OpenReadWrite(path, category) // NFS locks only what may be written
		if err != nil {
			continue
		}
		if lock(f) == nil {
			_ = d.fs.Remove(path)
		}
		_ = f.Close()
	}
	return nil
}

// lock locks a file, or fails if it is locked. The lock ends when the file is closed, or at the
// latest with its process. A file in memory, as in tests, needs none.
func lock(f vfs.File) error {
	if f.Fd() == vfs.InvalidFd {
		return nil
	}
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}

func makePrivate(f vfs.File) error {
	if f.Fd() == vfs.InvalidFd {
		return nil
	}
	return unix.Fchmod(int(f.Fd()), 0o600)
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
