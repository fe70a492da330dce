package node

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"syscall"
	"testing"
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
