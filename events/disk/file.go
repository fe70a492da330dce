package disk

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// newFile is the name prefix of files being written.
const newFile = ".new-"

// WriteFile writes a file that only its owner may read, replacing any existing one. After a crash the file is the new one or the old one, whole; once
// WriteFile has returned, it survives power loss.
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

// RemoveNewFiles removes the files that a killed process was writing in a directory.
func RemoveNewFiles(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, newFile+"*"))
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}
