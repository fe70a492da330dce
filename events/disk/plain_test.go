package disk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events/testkit"
)

// What a damaged file is called has no line of Pebble's own, and still counts as damage.
func TestPlain(t *testing.T) {
	dir, db := filled(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatal(tables, err)
	}
	content, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	copy(content, strings.Repeat("damaged ", 4096/8))
	if err := os.WriteFile(tables[0], content, 0o600); err != nil {
		t.Fatal(err)
	}
	if db, err = pebble.Open(dir, NewGuard("db", testkit.Silent()).Options(&pebble.Options{FormatMajorVersion: pebble.FormatNewest})); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, _, err = db.Get([]byte{0, 0, 0})
	if err == nil || !strings.Contains(err.Error(), "<") {
		t.Fatalf("got %v: this test proves nothing", err)
	}
	if plain := Plain(err); !Damaged(plain) || strings.Contains(plain.Error(), "<") || !strings.Contains(plain.Error(), "checksum") {
		t.Errorf("got %v", plain)
	}
}
