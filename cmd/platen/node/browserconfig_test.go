package node

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/browserpool/chromium"
)

// Root's node does not start if its browsers cannot have another user, and says what to do. The
// browsers are without a sandbox only where the operator says so.
func TestRootNeedsASandbox(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root's browsers have another user; run this test as root")
	}
	cfg := NewConfig()
	cfg.Data, cfg.Listen, cfg.Partitions = filepath.Join(t.TempDir(), "data"), "127.0.0.1:0", 1
	cfg.Browser.User = "root"
	_, err := Start(t.Context(), cfg, Options{})
	if err == nil || !strings.Contains(err.Error(), "--allow-root-no-sandbox") || !strings.Contains(err.Error(), "root has the id 0") {
		t.Fatalf("the node starts, or does not say why it cannot: %v", err)
	}
	cfg.Browser.AllowRootNoSandbox = true
	n, err := Start(t.Context(), cfg, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
}

// A browser that lacks open files is not to run as root without a sandbox.
func TestExplainOpenFiles(t *testing.T) {
	err := BrowserConfig{}.explain(errors.New("browser is gone: Check failed: Too many open files (24)"), 0)
	if !strings.Contains(err.Error(), "LimitNOFILE") || strings.Contains(err.Error(), "sandbox") {
		t.Errorf("got %v", err)
	}
}

// Root is told to do without a sandbox only where that may be what the browser lacks.
func TestExplainToRoot(t *testing.T) {
	missing := BrowserConfig{Path: "/nope"}
	_, err := chromium.Find(missing.Path)
	if err = missing.explain(err, 0); !strings.HasPrefix(err.Error(), "browser.path: ") || !strings.Contains(err.Error(), "/nope") || strings.Contains(err.Error(), "sandbox") {
		t.Errorf("a path that does not exist: %v", err)
	}
	for said, advised := range map[string]bool{
		"start browser: browser is gone: No usable sandbox!": true,
		"start browser: browser is gone: Failed to move to new namespace: PID namespaces supported, but failed: errno = Operation not permitted": true,
		"start browser: browser is gone: it exited silently (signal: killed)":                                                                    false,
		"FATAL:credentials.cc(127)] Check failed: . : Permission denied (13)":                                                                    true,
		"start browser: fork/exec /usr/bin/browser: cannot allocate memory":                                                                      false,
	} {
		if err := (BrowserConfig{}).explain(errors.New(said), 0); strings.Contains(err.Error(), "--allow-root-no-sandbox") != advised {
			t.Errorf("got %v", err)
		}
	}
	if err := (BrowserConfig{}).explain(chromium.ErrNotInstalled, 0); !errors.Is(err, chromium.ErrNotInstalled) || strings.Contains(err.Error(), "sandbox") {
		t.Errorf("no browser: %v", err)
	}
}
