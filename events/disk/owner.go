package disk

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// Owner names the user who owns a file, for people; "" if it cannot be looked at.
func Owner(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	id := strconv.Itoa(int(is.Uid))
	if found, err := user.LookupId(id); err == nil {
		return found.Username
	}
	return "uid " + id
}

// KeepOwner gives what root has made in a directory to the directory's owner: a service that runs as another user could not use it. It does nothing in
// a process of another user. It follows no symbolic links but dir itself, and leaves files with several names alone, as one may be outside.
func KeepOwner(dir string) error { return GiveTo(dir, dir) }

// GiveTo is KeepOwner with the owner of another directory. It does nothing if dir does not exist.
func GiveTo(other, dir string) error {
	owner, err := os.Stat(other)
	if err != nil {
		return err
	}
	if dir, err = filepath.EvalSymlinks(dir); errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	to, is := owner.Sys().(*syscall.Stat_t)
	if !is || os.Geteuid() != 0 || to.Uid == 0 {
		return nil
	}
	var errs []error
	_ = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		var info os.FileInfo
		if err == nil {
			info, err = entry.Info()
		}
		if err == nil && madeByRoot(info) {
			err = os.Lchown(path, int(to.Uid), int(to.Gid))
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) { // else it was removed meanwhile
			errs = append(errs, err)
		}
		return nil
	})
	return errors.Join(errs...)
}

func madeByRoot(info os.FileInfo) bool {
	is, ok := info.Sys().(*syscall.Stat_t)
	return ok && is.Uid == 0 && (info.IsDir() || is.Nlink == 1)
}
