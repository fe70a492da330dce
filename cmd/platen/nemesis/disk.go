package nemesis

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Disk is a small file system in memory.
type Disk struct{ Dir string }

// NewDisk mounts a disk of a size in MiB at a directory, which it creates.
func NewDisk(dir string, mebibytes int) (Disk, error) {
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = unix.Mount("nemesis", dir, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=700", mebibytes))
	}
	if err != nil {
		return Disk{}, fmt.Errorf("mount a disk at %s: %w", dir, err)
	}
	return Disk{dir}, nil
}

// Share mounts the disk at another directory, too, which it creates.
func (d Disk) Share(dir string) (Disk, error) {
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = unix.Mount(d.Dir, dir, "", unix.MS_BIND, "")
	}
	if err != nil {
		return Disk{}, fmt.Errorf("mount %s at %s: %w", d.Dir, dir, err)
	}
	return Disk{dir}, nil
}

func (d Disk) ballast() string { return filepath.Join(d.Dir, "ballast") }

// Fill takes all the free space.
func (d Disk) Fill() error {
	f, err := os.Create(d.ballast())
	if err != nil {
		return fmt.Errorf("fill %s: %w", d.Dir, err)
	}
	defer f.Close()
	for block := make([]byte, 1<<20); len(block) > 0; {
		n, err := f.Write(block)
		switch {
		case errors.Is(err, unix.ENOSPC) && n == 0:
			block = block[:len(block)/2]
		case err != nil && !errors.Is(err, unix.ENOSPC):
			return fmt.Errorf("fill %s: %w", d.Dir, err)
		}
	}
	return nil
}

// Empty frees what Fill took.
func (d Disk) Empty() error { return os.Remove(d.ballast()) }

// Protect makes this mount of a shared disk read-only, or writable again. Other mounts of the disk
// are unaffected.
func (d Disk) Protect(readOnly bool) error {
	flags := uintptr(unix.MS_REMOUNT | unix.MS_BIND)
	if readOnly {
		flags |= unix.MS_RDONLY
	}
	var err error
	for range 200 { // a file being written keeps it writable
		if err = unix.Mount("", d.Dir, "", flags, ""); !errors.Is(err, unix.EBUSY) {
			break
		}
		<-time.After(10 * time.Millisecond)
	}
	if err != nil {
		return fmt.Errorf("remount %s: %w", d.Dir, err)
	}
	return nil
}
