package browserpool

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/go-rod/rod/lib/cdp"
)

// A refusal that comes of a dead renderer is a crash, and the job may be tried
// again; one of a page that lives is the document's own.
func TestReason(t *testing.T) {
	pool := openPool(t, Config{Slots: 1})
	refusal := verdict("print", &cdp.Error{Code: -32000, Message: "Printing failed"})
	var alive, dead error
	lease, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Return()
	alive = lease.page.reason(t.Context(), refusal)
	killRenderers(t, pool.Stats().BrowserPID)
	dead = lease.page.reason(t.Context(), refusal)
	if !errors.Is(alive, ErrRender) || Retryable(alive) {
		t.Errorf("a living page: got %v, want ErrRender", alive)
	}
	if !errors.Is(dead, ErrCrashed) || !Retryable(dead) {
		t.Errorf("a dead page: got %v, want ErrCrashed", dead)
	}
}

// killRenderers kills all renderers of a browser.
func killRenderers(t *testing.T, browser int) {
	t.Helper()
	killed := 0
	found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range found {
		command, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(command), "--type=renderer") {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if group, err := syscall.Getpgid(pid); err == nil && group == browser && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	if killed == 0 {
		t.Fatal("the browser has no renderer")
	}
}
