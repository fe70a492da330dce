package embedded

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

// crashed returns a copy of the directory of a log that is open: what a crash leaves.
func crashed(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "crashed")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// wal returns the newest write-ahead log.
func wal(t *testing.T, dir string) (name string, content []byte) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	name = names[len(names)-1]
	if content, err = os.ReadFile(name); err != nil {
		t.Fatal(err)
	}
	return name, content
}

// Once the log was idle, damage to a record at its end can be told from a write torn by a crash. Then no acknowledged record is lost silently.
func TestDamageInTheLastBatch(t *testing.T) {
	for name, tc := range map[string]struct {
		fenceAfter time.Duration
		harm       func(content []byte) []byte
		damaged    bool
		end        int64
	}{
		"a flipped bit in it":              {settle, flipLast, true, 0},
		"a flipped bit, and no fence":      {time.Hour, flipLast, false, 2},
		"torn, before it was acknowledged": {time.Hour, tearLast, false, 2},
		"a torn fence":                     {settle, func(b []byte) []byte { return b[:len(b)-3] }, false, 3},
		"nothing":                          {settle, func(b []byte) []byte { return b }, false, 3},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "log")
			l, err := Open(Config{Dir: dir, Partitions: 1, Logger: testkit.Silent(), fenceAfter: tc.fenceAfter})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			for _, value := range []string{"first", "second", "the last record"} {
				if _, err := eventlog.AppendWait(t.Context(), l, "t", 0, eventlog.Record{Value: []byte(value)}); err != nil {
					t.Fatal(err)
				}
			}
			testkit.Eventually(t, "the log is fenced", func() bool {
				_, content := wal(t, dir)
				return tc.fenceAfter > time.Minute || bytes.HasSuffix(bytes.TrimRight(content, "\x00"), []byte("fence--"))
			})
			copied := crashed(t, dir)
			file, content := wal(t, copied)
			if err := os.WriteFile(file, tc.harm(bytes.TrimRight(content, "\x00")), 0o600); err != nil {
				t.Fatal(err)
			}
			after, err := Open(Config{Dir: copied, Partitions: 1, Logger: testkit.Silent()})
			if errors.Is(err, ErrDamaged) != tc.damaged || !tc.damaged && err != nil {
				t.Fatalf("it opens with %v", err)
			}
			if err != nil {
				return
			}
			defer after.Close()
			if _, end, err := after.Bounds(t.Context(), "t", 0); err != nil || end != tc.end {
				t.Errorf("the log ends at %d, %v, want %d", end, err, tc.end)
			}
		})
	}
}

// settle is enough time for Pebble to record how far the log is durable, which it does just after reporting it.
const settle = 250 * time.Millisecond

func flipLast(content []byte) []byte {
	content[bytes.Index(content, []byte("the last record"))] ^= 1
	return content
}

func tearLast(content []byte) []byte {
	return content[:bytes.Index(content, []byte("the last record"))+4]
}
