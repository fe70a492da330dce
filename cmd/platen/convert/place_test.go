package convert

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A node's directory is removed by a later process if its own is gone: not while it is locked, no link, and nothing of another name.
func TestLeftovers(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	running, remove, err := makePlace(dir)
	if err != nil {
		t.Fatal(err)
	}
	killed, other, link := filepath.Join(dir, placeName+"killed"), filepath.Join(dir, "other"), filepath.Join(dir, placeName+"link")
	file, kept := filepath.Join(dir, placeName+"file"), filepath.Join(elsewhere, "kept")
	for _, d := range []string{filepath.Join(killed, "log"), other, kept} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.WriteFile(filepath.Join(killed, "dev-keys.json"), nil, 0o600), os.WriteFile(file, nil, 0o600), os.Symlink(elsewhere, link)); err != nil {
		t.Fatal(err)
	}
	removeLeftovers(dir, filepath.Join(dir, "none"))
	for path, want := range map[string]bool{running: true, killed: false, other: true, link: true, file: true, kept: true} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s is there: %t, want %t", path, err == nil, want)
		}
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(running); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory that is removed: %v", err)
	}
	if os.Geteuid() != 0 {
		return
	}
	foreign := filepath.Join(dir, placeName+"foreign")
	if err := errors.Join(os.Mkdir(foreign, 0o700), os.Chown(foreign, 12345, 12345)); err != nil {
		t.Fatal(err)
	}
	removeLeftovers(dir)
	if _, err := os.Lstat(foreign); err != nil {
		t.Errorf("another user's directory: %v", err)
	}
}

// Memory is used if there is enough of it.
func TestRoomiest(t *testing.T) {
	dir := t.TempDir()
	if got := roomiest(filepath.Join(dir, "none"), dir); got != dir {
		t.Errorf("without memory: %s", got)
	}
	if got := roomiest("/proc", dir); got != dir {
		t.Errorf("with memory of no size: %s", got)
	}
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err == nil && stat.Bavail*uint64(stat.Bsize) >= leastRoom {
		if got := roomiest(dir, "/"); got != dir {
			t.Errorf("with enough: %s", got)
		}
	}
}
