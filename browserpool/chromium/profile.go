package chromium

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// profilePrefix begins the name of every profile directory.
const profilePrefix = "platen-browser-"

// profileLocks holds the open lock file of each profile of this process: as long as it is
// open, no other process takes the directory for one that a killed process left.
var profileLocks sync.Map

// makeProfile makes a profile directory under parent, after removing the profiles that
// killed processes left there. It belongs to owner, unless that is nil.
func makeProfile(parent string, owner *syscall.Credential) (string, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	if owner != nil {
		parent = firstReachable(parent, os.TempDir(), "/tmp", "/var/tmp")
	}
	sweepProfiles(parent)
	dir, err := os.MkdirTemp(parent, profilePrefix)
	if err != nil {
		return "", fmt.Errorf("browser profile: %w", err)
	}
	err = lockProfile(dir)
	if err == nil && owner != nil {
		err = os.Chown(dir, int(owner.Uid), int(owner.Gid))
	}
	if err != nil {
		removeProfile(dir)
		return "", fmt.Errorf("browser profile: %w", err)
	}
	return dir, nil
}

// lockProfile makes the lock file, which appears locked: others may sweep the directory meanwhile.
func lockProfile(dir string) error {
	path := filepath.Join(dir, "lock")
	lock, err := os.OpenFile(path+".new", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		_ = lock.Close()
		return err
	}
	profileLocks.Store(dir, lock)
	return nil
}

// removeProfile removes the directory and then releases it.
func removeProfile(dir string) {
	_ = os.RemoveAll(dir)
	if lock, ok := profileLocks.LoadAndDelete(dir); ok {
		_ = lock.(*os.File).Close()
	}
}

// sweepProfiles removes the profiles whose process is gone. One that is just being made
// has no lock file yet and is left alone.
func sweepProfiles(parent string) {
	found, _ := filepath.Glob(filepath.Join(parent, profilePrefix+"*"))
	for _, dir := range found {
		// In a directory that others may write to, it may be anything.
		lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			_ = os.RemoveAll(dir)
		}
		_ = lock.Close()
	}
}
