package chromium

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A binary that does not report its version does not hold up the start.
func TestSilentVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexec sleep 600\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if agent := agentOf(path, time.Millisecond); agent != "" {
		t.Errorf("the user agent is %q", agent)
	}
}
