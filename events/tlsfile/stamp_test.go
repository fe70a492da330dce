package tlsfile

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A stamp changes with the size of a file, with its time, and when it comes or goes.
func TestStamp(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	seen := map[Stamp]string{StampOf(first, second): "no files"}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"the first file", func() error { return os.WriteFile(first, []byte("x"), 0o600) }},
		{"another time", func() error { return os.Chtimes(first, time.Time{}, time.Unix(1, 0)) }},
		{"another size", func() error { return os.Truncate(first, 2) }},
		{"no rights", func() error { return os.Chmod(first, 0) }},
		{"the second file", func() error { return os.WriteFile(second, []byte("x"), 0o600) }},
		{"the second alone", func() error { return os.Remove(first) }},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		stamp := StampOf(first, second)
		if before, known := seen[stamp]; known {
			t.Errorf("%s has the stamp of %s", step.name, before)
		}
		if stamp != StampOf(first, second) {
			t.Errorf("%s has two stamps", step.name)
		}
		seen[stamp] = step.name
	}
}
