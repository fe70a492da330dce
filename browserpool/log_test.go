package browserpool

import (
	"log/slog"
	"strings"
	"syscall"
	"testing"

	"platen.dev/browserpool/page"
	"platen.dev/events/testkit"
)

// messages returns the messages in the log, with their levels.
func messages(log *testkit.Lines) (all []string) {
	for line := range strings.Lines(log.String()) {
		_, line, _ = strings.Cut(line, "level=")
		level, line, _ := strings.Cut(line, " msg=")
		all = append(all, level+" "+strings.Split(line, `"`)[1])
	}
	return all
}

// A start logs one line, and a normal stop none. A browser that dies is a warning that
// quotes what the browser wrote last.
func TestLog(t *testing.T) {
	logged := &testkit.Lines{}
	pool := openPool(t, Config{Slots: 1, Logger: slog.New(slog.NewTextHandler(logged, nil))})
	mustPrint(t, pool, page.Print{HTML: "x"})
	first := pool.Stats().BrowserPID
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, pool, "another browser", func(s Stats) bool { return s.BrowserPID != 0 && s.BrowserPID != first })
	closePool(t, pool)
	got := strings.Join(messages(logged), ", ")
	if want := "INFO browser ready, WARN browser died, INFO browser ready"; got != want {
		t.Errorf("the log says %s, want %s", got, want)
	}
	if text := logged.String(); !strings.Contains(text, "stderr=") {
		t.Errorf("no last output in %s", text)
	}
}
