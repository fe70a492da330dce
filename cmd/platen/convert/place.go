package convert

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"platen.dev/events/disk"
)

// leastRoom is how much must be free in memory for a node to keep its data there, in bytes. Containers have 64 MB unless told otherwise.
const leastRoom = 1 << 30

// placeName begins the names of locked directories of nodes. Those of former versions, platen-convert-, have no lock, and may be in use.
const placeName = "platen-conversion-"

// places are the directories in which a node may keep its data.
type places struct {
	memory string // an in-memory file system, if the machine has one: nothing of the node outlives the process
	room   int64  // how many bytes must be free there
	disk   string
}

func usualPlaces() places { return places{"/dev/shm", leastRoom, os.TempDir()} }

// make makes a directory for a node, in memory if that has room and allows it.
func (p places) make() (dir string, remove func() error, err error) {
	if hasRoom(p.memory, p.room) {
		if dir, remove, err = makePlace(p.memory, lockPlace); err == nil {
			return dir, remove, nil
		}
	}
	return makePlace(p.disk, lockPlace)
}

// hasRoom reports whether a directory can be written to, and a number of bytes is free there.
func hasRoom(dir string, least int64) bool {
	var stat unix.Statfs_t
	if unix.Statfs(dir, &stat) != nil || unix.Access(dir, unix.W_OK) != nil {
		return false
	}
	free, _ := disk.Space(stat)
	return free >= least
}

// tries is how often a directory is made that another process takes for a leftover before it is locked.
const tries = 3

// makePlace makes a directory for a node in another one, locked by lock until remove is called or the process ends.
func makePlace(within string, lock func(dir string) (*os.File, error)) (dir string, remove func() error, err error) {
	for range tries {
		if dir, err = os.MkdirTemp(within, placeName); err != nil {
			return "", nil, err
		}
		locked, lockErr := lock(dir)
		if err = lockErr; err == nil {
			return dir, func() error { return errors.Join(os.RemoveAll(dir), locked.Close()) }, nil
		}
		_ = os.Remove(dir) // it is empty
	}
	return "", nil, err
}

var errNotLeft = errors.New("it is another's")

// lockPlace locks a directory of this user, which is there until it is unlocked. No link is followed.
func lockPlace(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	var locked, named unix.Stat_t
	err = unix.Fstat(int(f.Fd()), &locked)
	if err == nil && locked.Uid != uint32(os.Geteuid()) {
		err = errNotLeft
	}
	if err == nil {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if err == nil { // who had it may have removed it
		err = unix.Lstat(dir, &named)
	}
	if err == nil && (named.Dev != locked.Dev || named.Ino != locked.Ino) {
		err = errNotLeft
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// removeLeftovers removes what killed processes of this user have left in directories: keys and documents.
func removeLeftovers(all ...string) {
	for _, within := range all {
		left, _ := filepath.Glob(filepath.Join(within, placeName+"*")) // the pattern is valid
		for _, dir := range left {
			lock, err := lockPlace(dir)
			if err != nil {
				continue
			}
			_ = os.RemoveAll(dir) // the next process tries again
			_ = lock.Close()
		}
	}
}
