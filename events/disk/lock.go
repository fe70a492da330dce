package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// ErrInUse means that a directory is open in this or another process.
var ErrInUse = errors.New("another platen uses the directory: stop it first, or give this one another directory")

// Lock makes a directory the caller's until it closes the lock, or its process ends. The error is ErrInUse if it is another's.
func Lock(dir string) (io.Closer, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", dir, InUse(err)), f.Close())
	}
	return f, nil
}

// InUse returns ErrInUse for the error of a lock that another has, and any other error as it is.
func InUse(err error) error {
	const bySelf = "lock held by current process" // Pebble has no sentinel for it
	if errors.Is(err, syscall.EAGAIN) || err != nil && err.Error() == bySelf {
		return ErrInUse
	}
	return err
}
