package node

import (
	"errors"
	"os"
	"path/filepath"
)

// writeFile writes a file that only its owner may read. After a crash it is there whole or
// not at all.
func writeFile(path string, b []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // renamed already if all went well
	_, err = temp.Write(b)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
