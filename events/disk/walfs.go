package disk

import "github.com/cockroachdb/pebble/v2/vfs"

// walCategory is Pebble's category for the files of its write-ahead log.
const walCategory vfs.DiskWriteCategory = "pebble-wal"

// fs is the file system of a guarded database. When Pebble cannot continue its write-ahead log, it
// panics and unlocks a mutex twice on the way, which no recover survives. So an error from the log,
// or from the sync of a directory, never reaches Pebble: it breaks the database, and the call does
// not return.
type fs struct {
	vfs.FS
	guard *Guard
}

func (f fs) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	created, err := f.FS.Create(name, category)
	return f.opened(created, err, category)
}

func (f fs) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	reused, err := f.FS.ReuseForWrite(oldname, newname, category)
	return f.opened(reused, err, category)
}

func (f fs) opened(opened vfs.File, err error, category vfs.DiskWriteCategory) (vfs.File, error) {
	if category != walCategory {
		return opened, err
	}
	f.guard.must(err)
	return file{opened, f.guard}, nil
}

// OpenDir returns a directory for Pebble to sync.
func (f fs) OpenDir(name string) (vfs.File, error) {
	dir, err := f.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return file{dir, f.guard}, nil
}

func (f fs) Unwrap() vfs.FS { return f.FS }

// file is a write-ahead log or a directory.
type file struct {
	vfs.File
	guard *Guard
}

func (f file) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	f.guard.must(err)
	return n, nil
}

func (f file) Sync() error {
	f.guard.must(f.File.Sync())
	return nil
}

func (f file) SyncData() error {
	f.guard.must(f.File.SyncData())
	return nil
}

func (f file) SyncTo(length int64) (fullSync bool, err error) {
	fullSync, err = f.File.SyncTo(length)
	f.guard.must(err)
	return fullSync, nil
}
