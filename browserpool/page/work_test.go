package page

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/go-rod/rod/lib/cdp"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
)

// An error caused by a dead renderer is a crash, and the job may be retried; if the page is alive, the error is due to the document.
func TestCrashCause(t *testing.T) {
	browser := ownBrowser(t, chromium.Options{})
	slot := openSlotIn(t, browser, newGate(egress.Policy{}))
	refusal := stepError("print", &cdp.Error{Code: -32000, Message: "Printing failed"})
	alive := slot.set.warm.crashCause(t.Context(), refusal)
	killRenderers(t, browser.PID())
	dead := slot.set.warm.crashCause(t.Context(), refusal)
	if !errors.Is(alive, ErrRender) || Retryable(alive) {
		t.Errorf("a living page: got %v, want ErrRender", alive)
	}
	if !errors.Is(dead, ErrCrashed) || !Retryable(dead) {
		t.Errorf("a dead page: got %v, want ErrCrashed", dead)
	}
	if !slot.set.Crashed() || !slot.set.Ended() {
		t.Error("the set does not report the crash")
	}
}

// Output that the browser cannot deliver is not the document's fault.
func TestOutputIsGone(t *testing.T) {
	slot := openSlotIn(t, ownBrowser(t, chromium.Options{}), newGate(egress.Policy{}))
	p := slot.set.warm
	p.output = "no such stream"
	_, err := p.readOutput(t.Context(), 1<<20)
	if err = stepError("print", err); !errors.Is(err, ErrOutput) || errors.Is(err, ErrRender) {
		t.Errorf("got %v, want ErrOutput", err)
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
