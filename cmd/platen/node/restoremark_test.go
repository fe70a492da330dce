package node

import (
	"errors"
	"os"
	"path/filepath"
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
