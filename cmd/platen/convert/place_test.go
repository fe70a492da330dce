package convert

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"platen.dev/events/disk"
)

// A node's directory is removed by a later process if its own is gone: not while it is locked, no link, and nothing of another name.
func TestLeftovers(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	running, remove, err := makePlace(dir, lockPlace)
	if err != nil {
		t.Fatal(err)
	}
	killed, other, link := filepath.Join(dir, placeName+"killed"), filepath.Join(dir, "platen-convert-of-a-former-version"), filepath.Join(dir, placeName+"link")
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
func TestHasRoom(t *testing.T) {
	dir := t.TempDir()
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		t.Fatal(err)
	}
	free, _ := disk.Space(stat)
	for name, tc := range map[string]struct {
		dir   string
		least int64
		want  bool
	}{
		"none": {filepath.Join(dir, "none"), 0, false}, "no size": {"/proc", 1, false}, "enough": {dir, free / 2, true}, "too little": {dir, math.MaxInt64, false},
	} {
		if got := hasRoom(tc.dir, tc.least); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// A node's directory is on the disk if memory has no room, or takes no directory.
func TestPlaces(t *testing.T) {
	memory, onDisk := t.TempDir(), t.TempDir()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		places
		want string
	}{
		"in memory":             {places{memory, 0, onDisk}, memory},
		"without room":          {places{memory, math.MaxInt64, onDisk}, onDisk},
		"without a directory":   {places{file, 0, onDisk}, onDisk},
		"without any in memory": {places{filepath.Join(memory, "none"), 0, onDisk}, onDisk},
	} {
		dir, remove, err := tc.make()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := filepath.Dir(dir); got != tc.want {
			t.Errorf("%s: in %s, want %s", name, got, tc.want)
		}
		if err := remove(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A directory that another process takes for a leftover before it is locked is made anew, some times.
func TestTakenForLeftover(t *testing.T) {
	within := t.TempDir()
	for _, tc := range []struct {
		taken, locks int
		made         bool
	}{{0, 1, true}, {tries - 1, tries, true}, {tries, tries, false}} {
		locks := 0
		dir, remove, err := makePlace(within, func(dir string) (*os.File, error) {
			if locks++; locks <= tc.taken {
				removeLeftovers(within)
			}
			return lockPlace(dir)
		})
		if (err == nil) != tc.made || err != nil && !errors.Is(err, os.ErrNotExist) || locks != tc.locks {
			t.Errorf("taken %d times: %q, %v after %d attempts", tc.taken, dir, err, locks)
		}
		if err == nil {
			err = remove()
		}
		if left, readErr := os.ReadDir(within); tc.made && err != nil || readErr != nil || len(left) > 0 {
			t.Errorf("taken %d times: %v are left, %v, %v", tc.taken, left, err, readErr)
		}
	}
}
