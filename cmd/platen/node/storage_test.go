package node

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"time"

	"platen.dev/events/disk"
)

// A data directory that cannot be made private is refused with the cause, and nothing says that it is private.
func TestPrepareDataOfOthers(t *testing.T) {
	var logged bytes.Buffer
	cfg := NewConfig()
	cfg.Data = "/proc/self/ns" // nobody changes it
	b := newBase(cfg, Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	if err := prepareData(b); !errors.Is(err, syscall.EPERM) || !strings.Contains(err.Error(), "chmod") {
		t.Errorf("got %v", err)
	}
	if strings.Contains(logged.String(), "is private now") {
		t.Errorf("logged %s", &logged)
	}
}

// A second node is refused before it changes anything in the data directory, whatever log both have.
func TestDataDirectoryInUse(t *testing.T) {
	cfg := NewConfig()
	cfg.Data = t.TempDir()
	first, second := newBase(cfg, Options{}), newBase(cfg, Options{})
	if err := prepareData(first); err != nil {
		t.Fatal(err)
	}
	if err := prepareData(second); !errors.Is(err, disk.ErrInUse) {
		t.Errorf("the second node: %v", err)
	}
	if err := first.close(time.Second, time.Second); err != nil {
		t.Fatal(err)
	}
	if err := prepareData(second); err != nil {
		t.Errorf("after the end of the first: %v", err)
	}
	if err := second.close(time.Second, time.Second); err != nil {
		t.Error(err)
	}
}
