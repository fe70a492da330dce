package disk

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// newFile begins the names of files that are being written.
const newFile = ".new-"

// WriteFile writes a file that only its owner may read, in place of one that is there. After a crash the file is the new one or the
// one before, whole; once WriteFile has returned, it survives power loss.
func WriteFile(path string, b []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), newFile+"*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // renamed already if all went well
	_, err = temp.Write(b)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return SyncDir(vfs.Default, filepath.Dir(path))
}

// RemoveNewFiles removes the files that a process was writing in a directory when it was killed.
func RemoveNewFiles(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, newFile+"*"))
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}
