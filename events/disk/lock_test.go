package disk

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2"
)

// A directory, and a database, that is in use says so, in the same words; it can be had when the user has ended.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	lock, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir); !errors.Is(err, ErrInUse) {
		t.Errorf("the second lock: %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if lock, err = Lock(dir); err != nil {
		t.Fatalf("after its end: %v", err)
	}
	defer lock.Close()
	db, err := pebble.Open(dir, &pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := pebble.Open(dir, &pebble.Options{}); !errors.Is(Opening(err), ErrInUse) {
		t.Errorf("the second database: %v", Opening(err))
	}
}
