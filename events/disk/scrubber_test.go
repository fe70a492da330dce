package disk

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"platen.dev/events/testkit"
)

// A pass tells of each damaged file, and counts them. One that is interrupted changes nothing.
func TestScrubber(t *testing.T) {
	dir, db := filled(t)
	defer db.Close()
	var found []error
	s := NewScrubber("db", func() string { return dir }, func(err error) { found = append(found, err) }, testkit.Silent())
	unpaced := func(int) error { return nil }
	if s.Pass(t.Context(), unpaced); len(found) > 0 || s.Damaged() != 0 {
		t.Fatalf("of a whole database %d files are damaged: %v", s.Damaged(), found)
	}
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatal(tables, err)
	}
	content, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/3] ^= 4
	if err := os.WriteFile(tables[0], content, 0o600); err != nil {
		t.Fatal(err)
	}
	passed := time.Now()
	s.passed.Store(&passed)
	if s.Pass(t.Context(), func(int) error { return errors.New("interrupted") }); len(found) > 0 || *s.passed.Load() != passed {
		t.Errorf("a pass that was interrupted has found %v", found)
	}
	if s.Pass(t.Context(), unpaced); len(found) != 1 || !errors.Is(found[0], ErrDamaged) || s.Damaged() != 1 || *s.passed.Load() == passed {
		t.Errorf("%d files are damaged: %v", s.Damaged(), found)
	}
}
