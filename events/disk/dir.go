package disk

import (
	"errors"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// MkdirAll creates a directory with all missing parents, and syncs the parent of each, so that the
// directory survives power loss. It leaves existing directories as they are.
func MkdirAll(fs vfs.FS, dir string, perm os.FileMode) error {
	if info, err := fs.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := fs.PathDir(dir)
	if parent != dir {
		if err := MkdirAll(fs, parent, perm); err != nil {
			return err
		}
	}
	if err := fs.MkdirAll(dir, perm); err != nil {
		return err
	}
	return SyncDir(fs, parent)
}

// SyncDir makes the entries of a directory survive power loss.
func SyncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
