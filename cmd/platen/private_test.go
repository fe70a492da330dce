package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A node makes its data directory private, and removes what a killed process left in its work
// directory. It leaves nothing among the temporary files of the system.
func TestWorkDirectory(t *testing.T) {
	t.Parallel() // nodes in processes of their own
	m := newMachine(t)
	if err := os.Chmod(m.data, 0o755); err != nil {
		t.Fatal(err)
	}
	p := m.start(t)
	checkPrivate(t, m.data)
	checkPrivate(t, m.work())
	checkEmpty(t, m.temp)
	p.kill()
	if m.profiles() == 0 {
		t.Error("the killed node left no browser profile: this test proves nothing")
	}
	left, written := filepath.Join(m.work(), "left", "behind"), filepath.Join(m.data, ".new-123")
	if err := errors.Join(os.MkdirAll(left, 0o755), os.WriteFile(written, []byte("secret"), 0o600)); err != nil {
		t.Fatal(err)
	}
	m.awaitNoBrowsers(t)
	p = m.start(t)
	if got := m.profiles(); got != 1 {
		t.Errorf("%d browser profiles", got)
	}
	for _, path := range []string{left, written} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s of a killed process is still there", path)
		}
	}
	p.stop(t)
	checkEmpty(t, m.work())
}

func checkPrivate(t *testing.T, dir string) {
	t.Helper()
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o700 {
		t.Errorf("%s has mode %s", dir, got)
	}
}
