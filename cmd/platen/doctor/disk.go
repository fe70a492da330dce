package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"platen.dev/events/disk"
)

const (
	// slowSync is how long a sync may take: every request waits for it.
	slowSync = 20 * time.Millisecond
	syncs    = 15
)

// Reserve returns how much of a total must stay free on a disk.
type Reserve func(total int64) int64

// Disk checks that a directory of the node is writable, has room, and is fast. It need not exist yet. waits says whether requests wait for a sync.
func Disk(name, dir string, bytes, inodes Reserve, waits bool) Check {
	return Check{"disk of " + name, func(context.Context) []Finding {
		there, err := nearest(dir)
		if err != nil {
			return []Finding{fail("make a directory that the node's user may write to", "%s: %s", dir, err)}
		}
		all := room(there, bytes, inodes)
		took, err := syncTime(there)
		if err != nil {
			return append(all, unwritable(there, err))
		}
		if waits {
			all = append(all, latency(took))
		}
		return all
	}}
}

// Directory checks that a directory of the node is writable, or can be made.
func Directory(name, dir string) Check {
	return Check{"directory of " + name, func(context.Context) []Finding {
		there, err := nearest(dir)
		if err != nil {
			return []Finding{fail("make a directory that the node's user may write to", "%s: %s", dir, err)}
		}
		if _, err := syncTime(there); err != nil {
			return []Finding{unwritable(there, err)}
		}
		return []Finding{ok("%s can be written", there)}
	}}
}

func unwritable(dir string, err error) Finding {
	do := "give it to the node's user (chown), or run this command as that user"
	if errors.Is(err, syscall.EROFS) {
		do = "mount its disk for writing (in a systemd unit, ReadWritePaths=), or choose another directory"
	}
	return fail(do, "%s cannot be written: %s", dir, err)
}

// nearest returns the directory or its nearest existing parent.
func nearest(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		info, err := os.Stat(dir)
		switch {
		case err == nil && !info.IsDir():
			return "", fmt.Errorf("%s is not a directory", dir)
		case err == nil:
			return dir, nil
		case !errors.Is(err, fs.ErrNotExist) || dir == "/":
			return "", err
		}
		dir = filepath.Dir(dir)
	}
}

func room(dir string, bytes, inodes Reserve) []Finding {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return []Finding{fail("mount the disk", "%s: %s", dir, err)}
	}
	free, total := disk.Space(stat)
	all := []Finding{roomFinding(dir, free, bytes(total))}
	if stat.Files == 0 { // the file system makes inodes as it needs them
		return all
	}
	return append(all, inodeFindings(dir, int64(stat.Ffree), inodes(int64(stat.Files)))...)
}

// inodeFindings are none while there are enough inodes.
func inodeFindings(dir string, free, reserve int64) []Finding {
	const do = "remove files, or give it a file system with more inodes"
	switch {
	case free < reserve:
		return []Finding{fail(do, "%s has %d inodes free, below its reserve of %d no jobs are taken", dir, free, reserve)}
	case free < 4*reserve:
		return []Finding{warn(do, "%s has %d inodes free, and its reserve is %d", dir, free, reserve)}
	}
	return nil
}

func roomFinding(dir string, free, reserve int64) Finding {
	switch {
	case free < reserve:
		return fail("make room, or give it a larger disk", "%s has %d MB free, below its reserve of %d MB no jobs are taken", dir, free>>20, reserve>>20)
	case free < 4*reserve:
		return warn("give it a larger disk", "%s has %d MB free, and its reserve is %d MB", dir, free>>20, reserve>>20)
	}
	return ok("%s has %d MB free", dir, free>>20)
}

// syncTime returns the median time for a small write to become durable.
func syncTime(dir string) (time.Duration, error) {
	f, err := os.CreateTemp(dir, ".platen-doctor-")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	var took []time.Duration
	for range syncs {
		began := time.Now()
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

func latency(took time.Duration) Finding {
	if took > slowSync {
		return warn("use a local SSD", "a write is durable after %s only, and requests wait for it", took.Round(time.Millisecond))
	}
	return ok("a write is durable after %s", took.Round(10*time.Microsecond))
}
