package browserpool

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// frequentChecks makes a browser be checked, and test itself, continuously.
var frequentChecks = Config{Slots: 1, CheckEvery: 10 * time.Millisecond, SelfTestEvery: time.Nanosecond, HealthTimeout: 2 * time.Second}

// A browser that renders passes every self-test and is not replaced; self-tests take no slot.
func TestSelfTestPasses(t *testing.T) {
	config := frequentChecks
	config.HealthTimeout = 10 * time.Second
	pool := openPool(t, config)
	holder, err := pool.Acquire(t.Context(), anyone(), events.Quick) // the only slot
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Return()
	first := pool.Stats().BrowserPID
	stats := eventually(t, pool, "five self-tests", func(s Stats) bool { return s.SelfTests >= 5 })
	if stats.SelfTestFailures != 0 || stats.Recycles != 0 || stats.BrowserPID != first || stats.Leased != 1 {
		t.Errorf("after its self-tests: %+v", stats)
	}
}

// A browser that answers but does not render is replaced, and jobs continue.
func TestSelfTestFails(t *testing.T) {
	testkit.Long(t)
	config := frequentChecks
	pool := openPool(t, config)
	holder, err := pool.Acquire(t.Context(), anyone(), events.Slow) // so that the pool opens no more pages: one that cannot be opened ends its browser, too
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(holder.Return)
	eventually(t, pool, "a self-test passed", func(s Stats) bool { return s.SelfTests >= 1 })
	// Every self-test has its own renderer, and two in a row must fail: so renderers are stopped continuously, faster than
	// they start. On a busy machine a browser may fail to answer at all and be replaced for that, which proves nothing.
	first := pool.Stats().BrowserPID
	replaced := make(chan struct{})
	stopping := sync.WaitGroup{}
	stopping.Go(func() {
		for pool.Stats().BrowserPID == first {
			select {
			case <-replaced: // or the test has failed
				return
			default:
				stopRenderers(first)
			}
		}
	})
	t.Cleanup(stopping.Wait)
	t.Cleanup(sync.OnceFunc(func() { close(replaced) }))
	eventually(t, pool, "another browser", func(s Stats) bool { return s.BrowserPID != first && s.BrowserPID != 0 })
	holder.Return()
	after := eventually(t, pool, "the end of the first", func(s Stats) bool { return s.Recycles+s.Restarts >= 1 })
	if after.Restarts == 0 && after.SelfTestFailures < maxFailures {
		t.Errorf("after failed self-tests: %+v", after)
	}
	mustPrint(t, pool, page.Print{HTML: "x"})
}

// stopRenderers stops the processes of a browser that show documents. The main process still answers; it would not if
// the zygote, which it waits for, were stopped too.
func stopRenderers(browser int) {
	for _, pid := range processes(browser) {
		if argument(pid, "--type=") == "renderer" {
			_ = syscall.Kill(pid, syscall.SIGSTOP) // it may have ended
		}
	}
}

// A negative SelfTestEvery switches self-tests off.
func TestNoSelfTest(t *testing.T) {
	config := frequentChecks
	config.SelfTestEvery = -1
	pool := openPool(t, config)
	eventually(t, pool, "a health check", func(s Stats) bool { return s.BrowserBytes > 0 })
	if stats := pool.Stats(); stats.SelfTests != 0 {
		t.Errorf("got %+v", stats)
	}
}

// Only the test document passes.
func TestCheckSelfTest(t *testing.T) {
	good := page.Result{PDF: []byte("/MediaBox [0 0 841.91998 1190.55]"), Pages: 1}
	if err := checkSelfTest(good); err != nil {
		t.Error(err)
	}
	for name, r := range map[string]page.Result{
		"nothing":       {},
		"no paper":      {PDF: []byte("%PDF-1.4"), Pages: 1},
		"another paper": {PDF: []byte("/MediaBox [0 0 595 842]"), Pages: 1},
		"two pages":     {PDF: good.PDF, Pages: 2},
	} {
		if err := checkSelfTest(r); !errors.Is(err, errSelfTest) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// processes lists the processes of a group.
func processes(group int) (pids []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		content, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(content), ") ")
		if fields := strings.Fields(rest); len(fields) > 2 && fields[2] == strconv.Itoa(group) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// argument returns the rest of a process's argument with the given prefix.
func argument(pid int, prefix string) string {
	line, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	for _, arg := range strings.FieldsFunc(string(line), func(r rune) bool { return r == 0 || r == ' ' }) {
		if value, ok := strings.CutPrefix(arg, prefix); ok {
			return value
		}
	}
	return ""
}
