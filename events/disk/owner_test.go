package disk

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What root makes in a directory of somebody else becomes theirs, but not a file that has a name elsewhere, nor what a link leads to.
func TestKeepOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	outside, dir := t.TempDir(), t.TempDir()
	target := filepath.Join(outside, "target")
	err := errors.Join(
		os.WriteFile(target, nil, 0o600), os.MkdirAll(filepath.Join(dir, "deep", "er"), 0o700), os.WriteFile(filepath.Join(dir, "deep", "file"), nil, 0o600),
		os.Link(target, filepath.Join(dir, "hard")), os.Symlink(outside, filepath.Join(dir, "soft")), os.Chown(filepath.Join(dir, "deep", "er"), 77, 77),
	)
	if err != nil {
		t.Fatal(err)
	}
	owners := func(want map[string]uint32) {
		t.Helper()
		for path, uid := range want {
			info, err := os.Lstat(path)
			if err != nil || info.Sys().(*syscall.Stat_t).Uid != uid {
				t.Errorf("%s is of %+v, %v, want %d", path, info.Sys(), err, uid)
			}
		}
	}
	file := filepath.Join(dir, "deep", "file")
	if err := KeepOwner(dir); err != nil {
		t.Fatal(err)
	}
	owners(map[string]uint32{file: 0})
	link := filepath.Join(outside, "link")
	if err := errors.Join(os.Chown(dir, 1234, 1234), os.Symlink(dir, link), KeepOwner(link)); err != nil {
		t.Fatal(err)
	}
	owners(map[string]uint32{
		file: 1234, filepath.Join(dir, "deep"): 1234, filepath.Join(dir, "deep", "er"): 77, filepath.Join(dir, "soft"): 1234,
		target: 0, outside: 0, link: 0, filepath.Join(dir, "hard"): 0,
	})
	if err := errors.Join(GiveTo(dir, outside), GiveTo(dir, filepath.Join(outside, "none"))); err != nil {
		t.Error(err)
	}
	owners(map[string]uint32{outside: 1234})
	if err := KeepOwner(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory that does not exist: %v", err)
	}
}
