package node

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The mark of a restore keeps nodes away from its beginning on, and other restores from when it writes. It lapses with a restore that ends before.
func TestRestoreMark(t *testing.T) {
	c := StorageConfig{Data: filepath.Join(t.TempDir(), "new")}
	is := func(when string, want error) {
		t.Helper()
		if err := c.checkFinished(); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", when, err, want)
		}
	}
	begin := func() *mark {
		t.Helper()
		m, err := c.beginRestore()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	lapse := func(m *mark) {
		t.Helper()
		if err := m.lapse(); err != nil {
			t.Error(err)
		}
	}
	is("before", nil)
	failed := begin()
	is("while it reads", errUnread)
	lapse(failed)
	is("after it has failed", nil)
	begin() // and is killed
	again := begin()
	lapse(again)
	is("after another has failed, for the first may be under way", errUnread)
	writing := begin()
	if err := writing.set("backup-1"); err != nil {
		t.Fatal(err)
	}
	lapse(writing)
	is("while it writes", errUnfinished)
	if _, err := c.beginRestore(); !errors.Is(err, errUnfinished) {
		t.Errorf("another restore: %v", err)
	}
	if err := writing.remove(); err != nil {
		t.Error(err)
	}
	is("after it has ended", nil)
	if err := os.Mkdir(filepath.Join(c.Data, "replica"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := c.beginRestore(); err == nil {
		t.Error("a restore begins where a node has been")
	}
	is("where a node has been", nil)
}

// Only a mark that is there asks for the directory to be removed: a path that cannot be looked at is told as such.
func TestNoMarkIsNoRestore(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for data, want := range map[string]error{
		file: syscall.ENOTDIR,
		filepath.Join(dir, strings.Repeat("x", 300)): syscall.ENAMETOOLONG,
	} {
		if err := (StorageConfig{Data: data}).checkFinished(); !errors.Is(err, want) || !strings.Contains(err.Error(), data) || strings.Contains(err.Error(), "remove") {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	marked := StorageConfig{Data: dir}
	if err := os.Mkdir(marked.unfinishedPath(), 0o700); err != nil { // which nobody can read as a file
		t.Fatal(err)
	}
	if err := marked.checkFinished(); !errors.Is(err, errUnfinished) {
		t.Errorf("a mark that cannot be read: %v", err)
	}
}

// Another user's data directory is not to be removed; nor does another error advise anything.
func TestMarkOfAnotherUser(t *testing.T) {
	c := StorageConfig{Data: t.TempDir()}
	err := c.unseen(&os.PathError{Op: "lstat", Path: c.unfinishedPath(), Err: syscall.EACCES}, 1000)
	said := err.Error()
	if !errors.Is(err, syscall.EACCES) || !strings.Contains(said, "for uid 1000: run platen as ") || !strings.Contains(said, "chown") || strings.Contains(said, "remove") {
		t.Errorf("got %v", err)
	}
	if err := c.unseen(syscall.EIO, 1000); err.Error() != syscall.EIO.Error() {
		t.Errorf("got %v", err)
	}
}
