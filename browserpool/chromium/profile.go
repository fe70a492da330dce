package chromium

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// profilePrefix begins the name of every profile directory.
const profilePrefix = "platen-browser-"

// lockName is the file of a profile that its process holds locked.
const lockName = "lock"

// profileLocks holds the open lock file of each profile of this process: as long as it is
// open, no other process takes the directory for one that a killed process left.
var profileLocks sync.Map

// ProfilesDir returns the directory in which browsers of these options keep their profiles, with all their temporary files.
func (o Options) ProfilesDir() string {
	as, _ := o.owner() // without an owner no browser starts
	return profilesDir(o.TempDir, as)
}

func profilesDir(parent string, owner *syscall.Credential) string {
	parent = cmp.Or(parent, os.TempDir())
	if owner == nil {
		return parent
	}
	return firstReachable(parent, os.TempDir(), "/tmp", "/var/tmp")
}

// makeProfile makes a profile directory under parent, after removing the profiles that
// killed processes left there. It belongs to owner, unless that is nil.
func makeProfile(parent string, owner *syscall.Credential) (string, error) {
	parent = profilesDir(parent, owner)
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

// lockProfile makes the lock file, already locked: other processes may be sweeping the directory.
func lockProfile(dir string) error {
	path := filepath.Join(dir, lockName)
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
	removeLocked(dir, os.RemoveAll)
	if lock, ok := profileLocks.LoadAndDelete(dir); ok {
		_ = lock.(*os.File).Close()
	}
}

// sweepProfiles removes the profiles whose process is gone. One that is just being made
// has no lock file yet and is left alone.
func sweepProfiles(parent string) {
	for _, dir := range profilesIn(parent) {
		// In a directory that others may write to, it may be anything. NFS locks only what may be written.
		lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			removeLocked(dir, os.RemoveAll)
		}
		_ = lock.Close()
	}
}

func profilesIn(parent string) []string {
	found, _ := filepath.Glob(filepath.Join(parent, profilePrefix+"*"))
	return found
}

// removeLocked removes a directory, the lock file last: helpers of a killed browser may still write there, and a later sweep needs the
// lock file to finish a removal that failed or was interrupted. The directory is opened once and addressed by its descriptor, because
// the browser's user could replace it by a link.
func removeLocked(dir string, removeAll func(string) error) {
	d, err := os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer d.Close()
	inside := fmt.Sprintf("/proc/self/fd/%d", d.Fd())
	names, err := d.Readdirnames(-1)
	for _, name := range names {
		if name != lockName {
			err = errors.Join(err, removeAll(filepath.Join(inside, name)))
		}
	}
	if err == nil {
		err = removeAll(dir)
	}
	if err != nil {
		if lock, err := os.OpenFile(filepath.Join(inside, lockName), os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			_ = lock.Close()
		}
	}
}
