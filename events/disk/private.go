package disk

import (
	"errors"
	"os"
	"path/filepath"
)

// Others are the permissions that only the owner of a node's files may have.
const Others = 0o077

// MakePrivate removes the access of others to a directory and everything in it, except below the path
// except. It returns how many files and directories others could reach until then. It does not follow symbolic
// links.
func MakePrivate(dir, except string) (found int, err error) {
	var errs []error
	_ = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && path == except {
			return filepath.SkipDir
		}
		var info os.FileInfo
		if err == nil {
			info, err = entry.Info()
		}
		if err == nil && info.Mode()&os.ModeSymlink == 0 && info.Mode().Perm()&Others != 0 {
			if err = os.Chmod(path, info.Mode().Perm()&^Others); err == nil {
				found++
			}
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) { // else it was removed meanwhile
			errs = append(errs, err)
		}
		return nil
	})
	return found, errors.Join(errs...)
}

// MakeFilesPrivate is MakePrivate for the directory of results. There may be millions of them, so it
// looks only into those directories that others could read.
func MakeFilesPrivate(dir string) (found int, err error) {
	info, err := os.Stat(dir)
	if err != nil {
		return 0, err
	}
	if info.Mode().Perm()&Others != 0 {
		return MakePrivate(dir, "")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.IsDir() || info.Mode().Perm()&Others == 0 {
			continue
		}
		n, err := MakePrivate(filepath.Join(dir, entry.Name()), "")
		found, errs = found+n, append(errs, err)
	}
	return found, errors.Join(errs...)
}
