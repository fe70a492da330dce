package main

import (
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"platen.dev/events/testkit"
)

// chaosProcess is a process as /proc shows it.
type chaosProcess struct {
	pid, parent, group int
	state              string
	command            string
}

// processes lists the processes that satisfy a condition.
func processes(which func(chaosProcess) bool) (found []chaosProcess) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		p := chaosProcess{state: fields[0], command: strings.ReplaceAll(string(command), "\x00", " ")}
		p.pid, _ = strconv.Atoi(filepath.Base(filepath.Dir(path)))
		p.parent, _ = strconv.Atoi(fields[1])
		p.group, _ = strconv.Atoi(fields[2])
		if which(p) {
			found = append(found, p)
		}
	}
	return found
}

// browsersOf lists the running browsers that a node has started. Each leads a process
// group.
func browsersOf(node int) []chaosProcess {
	return processes(func(p chaosProcess) bool {
		return p.parent == node && p.pid == p.group && p.state != "Z" && strings.Contains(p.command, "--remote-debugging-pipe")
	})
}

// killer kills a node's browsers and renderers, each time after a random number of jobs.
type killer struct {
	run                 *chaosRun
	node                int
	r                   *rand.Rand
	groups              []int // of the browsers that were seen
	every, turns        int   // jobs between two kills at most; kills tried
	browsers, renderers int   // killed
	ending              chan struct{}
	running             sync.WaitGroup
}

func startKiller(t *testing.T, run *chaosRun, p *process, r *rand.Rand, every int) *killer {
	k := &killer{run: run, node: p.cmd.Process.Pid, r: rand.New(rand.NewPCG(r.Uint64(), 2)), every: every, ending: make(chan struct{})}
	k.running.Go(k.work)
	t.Cleanup(k.stop)
	return k
}

// stop stops killing. The figures may be read afterwards.
func (k *killer) stop() {
	if !k.ended() {
		close(k.ending)
	}
	k.running.Wait()
}

func (k *killer) work() {
	for {
		now, _ := k.run.ends()
		if !k.await(now + 1 + k.r.IntN(k.every)) {
			return
		}
		k.kill()
	}
}

// await waits until n jobs have ended.
func (k *killer) await(jobs int) bool {
	for {
		n, next := k.run.ends()
		if n >= jobs {
			return true
		}
		select {
		case <-next:
		case <-k.ending:
			return false
		}
	}
}

// kill kills a whole browser, or every fourth time only one of the renderers. It waits until there is one.
func (k *killer) kill() {
	k.turns++
	which, count := k.findBrowsers, &k.browsers
	if k.turns%4 == 2 {
		which, count = k.findRenderers, &k.renderers
	}
	var found []chaosProcess
	patiently(func() bool {
		found = which()
		return len(found) > 0 || k.ended()
	})
	if len(found) > 0 {
		_ = syscall.Kill(found[k.r.IntN(len(found))].pid, syscall.SIGKILL) // it may just have ended by itself
		*count++
	}
}

func (k *killer) findBrowsers() []chaosProcess {
	all := browsersOf(k.node)
	for _, browser := range all {
		if !slices.Contains(k.groups, browser.group) {
			k.groups = append(k.groups, browser.group)
		}
	}
	return all
}

func (k *killer) findRenderers() []chaosProcess {
	k.findBrowsers()
	return processes(func(p chaosProcess) bool {
		return slices.Contains(k.groups, p.group) && p.state != "Z" && strings.Contains(p.command, "--type=renderer")
	})
}

func (k *killer) ended() bool {
	select {
	case <-k.ending:
		return true
	default:
		return false
	}
}

// settledBrowsers are those of a node without work: the one that jobs share, and one for the next
// remote job.
const settledBrowsers = 2

// checkProcesses waits until the node has as few browsers as without work, and nothing is left
// of others: no helper, no orphan and no zombie.
func checkProcesses(t *testing.T, m *machine, p *process, k *killer) {
	t.Helper()
	if k.browsers == 0 || k.renderers == 0 {
		t.Errorf("%d browsers and %d renderers were killed, want some of both", k.browsers, k.renderers)
	}
	var left []chaosProcess
	ok := patiently(func() bool {
		living := browsersOf(k.node)
		left = processes(func(p chaosProcess) bool {
			ours := p.parent == k.node || slices.Contains(k.groups, p.group) || strings.Contains(p.command, m.browserDir())
			leads := func(browser chaosProcess) bool { return browser.group == p.group }
			return ours && (len(living) != settledBrowsers || !slices.ContainsFunc(living, leads) || p.state == "Z")
		})
		return len(living) == settledBrowsers && len(left) == 0 && m.profiles() == settledBrowsers
	})
	if !ok {
		t.Errorf("in addition to the browsers of a node without work there are %d profiles and %+v", m.profiles()-settledBrowsers, left)
	}
}

// checkEmpty fails the test for each entry of a directory.
func checkEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		t.Errorf("%s is left in %s", entry.Name(), dir)
	}
}

// chaosGoroutineSlack allows for the clients' keep-alive connections and the log's
// compactions, which come and go.
const chaosGoroutineSlack = 30

var goroutinesLine = regexp.MustCompile(`(?m)^go_goroutines (\d+)`)

func goroutines(t *testing.T, address string) int {
	t.Helper()
	resp, err := http.Get(address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	found := goroutinesLine.FindSubmatch(text)
	if found == nil {
		t.Fatalf("no goroutines in %.300s", text)
	}
	n, _ := strconv.Atoi(string(found[1]))
	return n
}

// settledGoroutines returns the number of goroutines of the node once it has stopped
// changing.
func settledGoroutines(t *testing.T, address string) (n int) {
	t.Helper()
	testkit.Eventually(t, "the number of goroutines settles", func() bool {
		last := n
		n = goroutines(t, address)
		return n == last
	})
	return n
}

// sample records the node's memory after every 20 jobs, until the returned function is
// called.
func (run *chaosRun) sample(t *testing.T, p *process) (samples func() []int) {
	var kib []int
	var sampling sync.WaitGroup
	ending := make(chan struct{})
	sampling.Go(func() {
		for {
			kib = append(kib, residentKiB(p.cmd.Process.Pid))
			n, next := run.ends()
			for goal := n + 20; n < goal; n, next = run.ends() {
				select {
				case <-next:
				case <-ending:
					return
				}
			}
		}
	})
	stop := sync.OnceFunc(func() { close(ending); sampling.Wait() })
	t.Cleanup(stop)
	return func() []int { stop(); return kib }
}

var residentLine = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)

func residentKiB(pid int) int {
	status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	found := residentLine.FindSubmatch(status)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(found[1]))
	return n
}

// checkMemory compares the last third of the run with the second; in the first, caches
// and the log's tables fill up. A leak of a job's content, file or page state would
// multiply the memory. Garbage and compactions may add half, and one large file under way
// its size.
func checkMemory(t *testing.T, kib []int) {
	t.Helper()
	third := len(kib) / 3
	if third == 0 {
		return
	}
	middle, last := median(kib[third:2*third]), median(kib[2*third:])
	t.Logf("the node's memory in MiB: %d at first, %d in the second third, %d in the last", kib[0]>>10, middle>>10, last>>10)
	if last > middle+middle/2+32<<10 {
		t.Errorf("memory grows: %v KiB", kib)
	}
}

func median(all []int) int {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
