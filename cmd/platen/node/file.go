package node

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"

	"platen.dev/events/disk"
)

// newFile begins the names of files that are being written.
const newFile = ".new-"

// writeFile writes a file that only its owner may read. After a crash it is there whole or
// not at all; once writeFile has returned, it survives power loss.
func writeFile(path string, b []byte) error {
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
	return disk.SyncDir(vfs.Default, filepath.Dir(path))
}

// removeNewFiles removes the files that a killed process was writing in a directory.
func removeNewFiles(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, newFile+"*"))
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}
