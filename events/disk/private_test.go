package disk

import (
	"os"
	"path/filepath"
	"testing"
)

// tree makes files, and directories that end in a slash, with modes.
func tree(t *testing.T, modes map[string]os.FileMode) string {
	t.Helper()
	dir := t.TempDir()
	for name := range modes {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if name[len(name)-1] != '/' {
			if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
		} else if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range modes {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func checkModes(t *testing.T, dir string, want map[string]os.FileMode) {
	t.Helper()
	for name, mode := range want {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != mode {
			t.Errorf("%s has %s, want %s", name, got, mode)
		}
	}
}

// Files in a data directory that others could reach become unreachable. Targets of links are left alone.
func TestMakePrivate(t *testing.T) {
	outside := tree(t, map[string]os.FileMode{"theirs": 0o644})
	dir := tree(t, map[string]os.FileMode{"log/": 0o755, "log/1.log": 0o644, "ledger.db": 0o660, "run": 0o755, "seal.key": 0o400, "work/": 0o700, "files/": 0o755, "files/a": 0o644})
	if err := os.Symlink(filepath.Join(outside, "theirs"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	found, err := MakePrivate(dir, filepath.Join(dir, "files"))
	if err != nil || found != 5 {
		t.Errorf("found %d, %v", found, err)
	}
	checkModes(t, dir, map[string]os.FileMode{".": 0o700, "log/": 0o700, "log/1.log": 0o600, "ledger.db": 0o600, "run": 0o700, "seal.key": 0o400, "files/": 0o755, "files/a": 0o644})
	checkModes(t, outside, map[string]os.FileMode{"theirs": 0o644})
	if found, err := MakePrivate(dir, filepath.Join(dir, "files")); err != nil || found != 0 {
		t.Errorf("the second time found %d, %v", found, err)
	}
}

// In the results, only directories that others could read are examined.
func TestMakeFilesPrivate(t *testing.T) {
	modes := map[string]os.FileMode{"00/": 0o755, "00/a": 0o644, "01/": 0o700, "01/b": 0o644, "temp/": 0o700}
	dir := tree(t, modes)
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if found, err := MakeFilesPrivate(dir); err != nil || found != 2 {
		t.Errorf("found %d, %v", found, err)
	}
	checkModes(t, dir, map[string]os.FileMode{"00/": 0o700, "00/a": 0o600, "01/b": 0o644})
	if err := os.Chmod(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if found, err := MakeFilesPrivate(dir); err != nil || found != 2 {
		t.Errorf("with an open root found %d, %v", found, err)
	}
	checkModes(t, dir, map[string]os.FileMode{".": 0o700, "01/b": 0o600})
}

// What cannot be made private is not counted as if it were.
func TestMakePrivateFails(t *testing.T) {
	if found, err := MakePrivate("/proc/self/ns", ""); found != 0 || err == nil { // nobody changes it
		t.Errorf("found %d, %v", found, err)
	}
}
