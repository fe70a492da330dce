package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

// A node makes its data directory private, and removes what a killed process left in its work
// directory. It leaves nothing among the temporary files of the system.
func TestWorkDirectory(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // nodes in processes of their own
	m := newMachine(t)
	if err := os.Chmod(m.data, 0o755); err != nil {
		t.Fatal(err)
	}
	p := m.start(t)
	checkPrivate(t, m.data)
	checkPrivate(t, m.work())
	if m.browserDir() != m.temp {
		checkEmpty(t, m.temp)
	}
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
	if got := m.profiles(); got > settledBrowsers {
		t.Errorf("%d browser profiles", got)
	}
	for _, path := range []string{left, written} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s of a killed process is still there", path)
		}
	}
	p.stop(t)
	checkEmpty(t, m.work())
	checkEmpty(t, m.temp)
}

// A node removes others' access to its directories, including earlier content, and neither it nor
// its browsers leave core dumps.
func TestNothingIsForOthers(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	files := filepath.Join(t.TempDir(), "results")
	m := newMachine(t, "--dev", "--files", files)
	p := m.start(t)
	p.stop(t)
	for _, root := range []string{m.data, files} {
		walk(t, root, func(path string, info fs.FileInfo) {
			if err := os.Chmod(path, info.Mode().Perm()|0o044|(info.Mode().Perm()&0o100)>>3); err != nil {
				t.Fatal(err)
			}
		})
	}
	p = m.start(t)
	seen := 0
	for _, root := range []string{m.data, files} {
		walk(t, root, func(path string, info fs.FileInfo) {
			seen++
			if strings.HasPrefix(path, m.work()) && path != m.work() { // the browser's, below a private directory
				return
			}
			if info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has %s", path, info.Mode())
			}
		})
	}
	if seen < 25 {
		t.Errorf("only %d files were looked at", seen)
	}
	processes := append(m.browsers(), strconv.Itoa(p.cmd.Process.Pid))
	if len(processes) < 2 {
		t.Error("there is no browser")
	}
	for _, pid := range processes {
		limits, err := os.ReadFile(fmt.Sprintf("/proc/%s/limits", pid))
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`(?m)^Max core file size +[01] +[01] `).Match(limits) {
			t.Errorf("process %s may leave a core dump: %s", pid, limits)
		}
	}
	p.stop(t)
}

// walk calls f for everything in a directory that stays there meanwhile.
func walk(t *testing.T, root string, f func(path string, info fs.FileInfo)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil {
			var info fs.FileInfo
			if info, err = entry.Info(); err == nil && info.Mode()&fs.ModeSymlink == 0 {
				f(path, info)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
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
