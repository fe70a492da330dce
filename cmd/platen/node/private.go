package node

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// others are the permissions that nobody but the owner may have.
const others = 0o077

// makePrivate takes everything in a directory, and the directory, from all but its owner, except what is
// below the path except. It returns how many files and directories others could reach. Symbolic
// links are not followed.
func makePrivate(dir, except string) (found int, err error) {
	var errs []error
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && path == except {
			return fs.SkipDir
		}
		var info fs.FileInfo
		if err == nil {
			info, err = entry.Info()
		}
		if err == nil && info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm()&others != 0 {
			found++
			err = os.Chmod(path, info.Mode().Perm()&^others)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // else it was removed meanwhile
			errs = append(errs, err)
		}
		return nil
	})
	return found, errors.Join(errs...)
}

// makeFilesPrivate does so with the directory of results. There may be millions of them: it looks into
// those directories only that others could read.
func makeFilesPrivate(dir string) (found int, err error) {
	info, err := os.Stat(dir)
	if err != nil {
		return 0, err
	}
	if info.Mode().Perm()&others != 0 {
		return makePrivate(dir, "")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.IsDir() || info.Mode().Perm()&others == 0 {
			continue
		}
		n, err := makePrivate(filepath.Join(dir, entry.Name()), "")
		found, errs = found+n, append(errs, err)
	}
	return found, errors.Join(errs...)
}

// tellPrivate says what others could reach, and what they still can.
func (n *Node) tellPrivate(what, dir string, found int, err error) {
	if found > 0 {
		n.logger.Warn(what+" could be reached by others and is private now", "dir", dir, "files", found)
	}
	if err != nil {
		n.logger.Error(what+" cannot be made private", "dir", dir, "error", err)
	}
}
