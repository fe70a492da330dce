package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A node whose start fails while its first browser is being opened leaves nothing of it.
func TestFailedStartLeavesNoBrowser(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, "--files", file)
	p := m.launch(t)
	if said := p.awaitFailure(t); !strings.Contains(said, "platen: start snapshots: open store: ") {
		t.Errorf("the node wrote %s", said)
	}
	m.awaitNoBrowsers(t)
	if got := m.profiles(); got > 0 {
		t.Errorf("%d browser profiles are left", got)
	}
}
