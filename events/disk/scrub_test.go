package disk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events/testkit"
)

// filled returns the directory of a database with several tables, that is open and has something in its write-ahead log, too.
func filled(t *testing.T) (dir string, db *pebble.DB) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "db")
	db, err := pebble.Open(dir, NewGuard("db", testkit.Silent()).Options(&pebble.Options{FormatMajorVersion: pebble.FormatNewest, DisableAutomaticCompactions: true}))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		for k := range 500 {
			if err := db.Set([]byte{byte(i), byte(k), byte(k >> 8)}, make([]byte, 300), pebble.NoSync); err != nil {
				t.Fatal(err)
			}
		}
		if i < 3 {
			if err := db.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := db.LogData(make([]byte, 3*WALBlock), pebble.Sync); err != nil {
		t.Fatal(err)
	}
	return dir, db
}

// A scrub finds the damaged files, and no others, while the database is in use.
func TestScrub(t *testing.T) {
	dir, db := filled(t)
	defer db.Close()
	read := int64(0)
	scrub := func() map[string]error {
		t.Helper()
		damaged, err := Scrub(t.Context(), dir, func(bytes int) error { read += int64(bytes); return nil })
		if err != nil {
			t.Fatal(err)
		}
		return damaged
	}
	if damaged := scrub(); len(damaged) > 0 || read == 0 {
		t.Fatalf("%d bytes were read, damaged: %v", read, damaged)
	}
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) < 3 {
		t.Fatal(tables, err)
	}
	content, err := os.ReadFile(tables[1])
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/3] ^= 4
	if err := os.WriteFile(tables[1], content, 0o600); err != nil {
		t.Fatal(err)
	}
	if damaged := scrub(); len(damaged) != 1 || !errors.Is(damaged[filepath.Base(tables[1])], ErrDamaged) {
		t.Errorf("damaged: %v, want %s", damaged, tables[1])
	}
}

// A file is damaged only if it looks so each time: it may be being written, or be removed, between two looks.
func TestDamageOf(t *testing.T) {
	path, wrong := filepath.Join(t.TempDir(), "file"), errors.New("wrong")
	for name, tc := range map[string]struct {
		found []error // at each look
		gone  bool    // after the last of these
		want  error
	}{
		"whole":                    {[]error{nil}, false, nil},
		"whole at the second look": {[]error{wrong, nil}, false, nil},
		"whole at the last look":   {[]error{wrong, wrong, nil}, false, nil},
		"removed after the first":  {[]error{wrong}, true, nil},
		"removed before the last":  {[]error{wrong, wrong, os.ErrNotExist}, false, nil},
		"damaged":                  {[]error{wrong, wrong, wrong}, false, wrong},
	} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		looked := 0
		err := damageOf(path, func(string) error {
			looked++
			if looked == len(tc.found) && tc.gone {
				_ = os.Remove(path)
			}
			return tc.found[looked-1]
		})
		if looked != len(tc.found) || !errors.Is(err, tc.want) || (err != nil) != (tc.want != nil) {
			t.Errorf("%s: %v after %d looks", name, err, looked)
		}
	}
}

// A scrub ends with its context.
func TestScrubEnds(t *testing.T) {
	dir, db := filled(t)
	defer db.Close()
	ctx, cancel := context.WithCancel(t.Context())
	files := 0
	_, err := Scrub(ctx, dir, func(int) error { files++; cancel(); return nil })
	if files != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("after %d files: %v", files, err)
	}
	if _, err := Scrub(t.Context(), filepath.Join(dir, "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}

// BenchmarkScrub reports the rate of a scrub that does not pause; its pauses reduce that to a share of a core.
func BenchmarkScrub(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "db")
	db, err := pebble.Open(dir, NewGuard("db", testkit.Silent()).Options(&pebble.Options{}))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	rng := testkit.Rand(b)
	value := make([]byte, 4000)
	for k := range 20_000 {
		for i := range value {
			value[i] = byte(rng.Uint32() & 0x3f)
		}
		if err := db.Set([]byte{byte(k), byte(k >> 8)}, value, pebble.NoSync); err != nil {
			b.Fatal(err)
		}
	}
	if err := db.Flush(); err != nil {
		b.Fatal(err)
	}
	total := int64(0)
	for b.Loop() {
		if _, err := Scrub(b.Context(), dir, func(bytes int) error { total += int64(bytes); return nil }); err != nil {
			b.Fatal(err)
		}
	}
	rate := float64(total) / b.Elapsed().Seconds()
	b.ReportMetric(rate/(1<<20), "MB/s")
	b.ReportMetric(100*(8<<20)/rate, "%core")
}
