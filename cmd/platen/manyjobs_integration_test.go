//go:build integration && nextversion

package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

const (
	// renderedEvery is the share of the jobs that are rendered; the others are in test mode.
	renderedEvery = 50
	// floodPerAccount is how many jobs an account has at most: a day allows 2,000 test jobs.
	floodPerAccount = 1500
	floodWorkers    = 128
	// floodSlots lets many attempts at test jobs be under way: most of their time they wait for the log, and the
	// more do so at once, the more of their commands travel together.
	floodSlots = "8"
	// floodWaits is how much longer than other tests this one waits for a node: with no data, or that of another version, a node
	// first makes the rows of all jobs so far, which takes minutes beside the flood.
	floodWaits = 8
)

// TestManyJobs sends as many jobs through three nodes as PLATEN_TEST_JOBS says, test jobs and rendered ones, while they are upgraded from
// this version to one to come, one is taken back and upgraded again, and one is killed and comes back without its data. None is lost, none
// is twice, and the ledgers are equal. It needs a newly started broker, as TestBrokerFailover does: `make manyjobs`.
func TestManyJobs(t *testing.T) {
	broker := testkit.RealBroker(t)
	jobs, _ := strconv.Atoi(os.Getenv("PLATEN_TEST_JOBS"))
	if jobs < 1000 {
		t.Skip("PLATEN_TEST_JOBS does not say how many jobs, 1000 or more: `make manyjobs JOBS=1000000`")
	}
	old := buildThisVersion(t)
	c := startClusterOf(t, old, broker, "--slots", floodSlots)
	f := startFlood(t, c, jobs)
	for i, step := range []struct {
		what string
		do   func()
	}{
		{"node 0 is upgraded", func() { f.exchange(t, 0, "") }},
		{"node 1 is upgraded", func() { f.exchange(t, 1, "") }},
		{"node 1 is taken back", func() { f.exchange(t, 1, old) }},
		{"node 1 is upgraded again", func() { f.exchange(t, 1, "") }},
		{"node 2 is upgraded", func() { f.exchange(t, 2, "") }},
		{"node 0 is killed, and comes back without its data", func() { f.lose(t, 0) }},
	} {
		f.await(t, jobs*(i+1)/8)
		step.do()
		t.Logf("after %d jobs, %s: %s", f.count(), step.what, time.Since(f.began).Round(time.Second))
	}
	f.await(t, jobs)
	f.running.Wait()
	took := time.Since(f.began)
	t.Logf("%d jobs accepted in %s, %.0f a second; asked again %d times", jobs, took.Round(time.Second), float64(jobs)/took.Seconds(), f.again.Load())
	f.check(t)
}

// flood sends jobs.
type flood struct {
	*processCluster
	began   time.Time
	keys    []client
	next    atomic.Int64 // number of the next job
	again   atomic.Int64 // requests that were repeated
	running sync.WaitGroup

	mu        sync.Mutex
	addresses []string              // of nodes that take requests, by machine; "" of one that does not
	rendered  map[events.JobID]bool // accepted jobs, and whether they are rendered
}

func startFlood(t *testing.T, c *processCluster, jobs int) *flood {
	f := &flood{processCluster: c, rendered: make(map[events.JobID]bool, jobs)}
	for _, p := range c.nodes {
		f.addresses = append(f.addresses, p.address)
	}
	for range max(jobs/floodPerAccount, 100) + 1 {
		id := strings.Fields(c.machines[0].admin(t, "account", "create", "--plan", "business"))[2]
		f.keys = append(f.keys, client{strings.Fields(c.machines[0].admin(t, "key", "create", id))[0]})
	}
	f.began = time.Now()
	for range floodWorkers {
		f.running.Go(func() {
			for n := int(f.next.Add(1)) - 1; n < jobs && t.Context().Err() == nil; n = int(f.next.Add(1)) - 1 {
				f.submit(t, n)
			}
		})
	}
	return f
}

// submit asks for a job, with a key that makes it one whatever becomes of the responses, until there is a 202.
func (f *flood) submit(t *testing.T, n int) {
	rendered := n%renderedEvery == 0
	from := f.keys[n%len(f.keys)]
	body := map[string]any{"html": fmt.Sprintf("<p>Job %d</p>", n), "test": !rendered}
	headers := map[string]string{"Idempotency-Key": fmt.Sprint("job-", n)}
	pause := 20 * time.Millisecond
	for turn := n; t.Context().Err() == nil; turn++ {
		if address := f.address(turn); address != "" {
			id, status, err := from.postWith(address+"/html-to-pdf", body, headers)
			if status == 202 {
				f.accepted(id, rendered)
				return
			}
			if err == nil && status != 429 && status != 503 {
				t.Errorf("job %d: %d", n, status)
				return
			}
			f.again.Add(1)
		}
		time.Sleep(pause)
		pause = min(2*pause, 2*time.Second)
	}
}

func (f *flood) address(turn int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.addresses[turn%len(f.addresses)]
}

func (f *flood) accepted(id events.JobID, rendered bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rendered[id] = rendered
}

func (f *flood) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.rendered)
}

// await waits until a number of jobs is accepted, as long as it continues.
func (f *flood) await(t *testing.T, jobs int) {
	t.Helper()
	testkit.Dwindles(t, "jobs are accepted", func() int64 { return int64(max(0, jobs-f.count())) })
}

// uses has requests go to a node, or with "" not.
func (f *flood) uses(i int, address string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.addresses[i] = address
}

// exchange stops a node, and starts it with another version of platen.
func (f *flood) exchange(t *testing.T, i int, binary string) {
	t.Helper()
	f.uses(i, "")
	f.nodes[i].stop(t)
	f.machines[i].binary = binary
	f.revive(t, i)
}

// lose kills a node, and starts it with nothing.
func (f *flood) lose(t *testing.T, i int) {
	t.Helper()
	f.nodes[i].kill()
	f.uses(i, "")
	f.machines[i].data = t.TempDir()
	f.revive(t, i)
}

func (f *flood) revive(t *testing.T, i int) {
	t.Helper()
	f.launch(t, i)
	ctx, cancel := context.WithTimeout(t.Context(), floodWaits*testkit.Patience)
	defer cancel()
	f.nodes[i].awaitListeningWithin(ctx, t)
	f.uses(i, f.nodes[i].address)
	f.awaitEven(t)
}

// awaitEven waits until the shards are shared evenly.
func (f *flood) awaitEven(t *testing.T) {
	t.Helper()
	for n := 1; !testkit.Becomes(f.even); n++ {
		if n == floodWaits {
			t.Fatalf("the shards are not shared evenly after %s", floodWaits*testkit.Patience)
		}
	}
}

// check waits for the ends of all jobs, and compares the journal, the states and the ledgers with what was accepted.
func (f *flood) check(t *testing.T) {
	t.Helper()
	l := openKafka(t, f.broker)
	b := f.awaitEnds(t, l)
	f.checkAudit(t, b)
	charged := b.checkStates(t, l)
	for i, p := range f.nodes {
		p.stop(t)
		f.machines[i].awaitNoBrowsers(t)
	}
	for _, m := range f.machines {
		m.checkLedger(t, l, charged)
	}
	total := int64(0)
	for _, units := range b.units() {
		total += units
	}
	t.Logf("%d jobs in the journal, each once; %d charged, in every ledger", len(b), total)
}

// awaitEnds waits until all jobs have ended, as long as that continues, and returns what the journal says about them.
func (f *flood) awaitEnds(t *testing.T, l eventlog.Log) audit {
	t.Helper()
	b, j, ended := audit{}, newJournal(l), map[events.JobID]bool{}
	end := func(id events.JobID) {
		if _, accepted := f.rendered[id]; accepted {
			ended[id] = true
		}
	}
	testkit.Dwindles(t, "the jobs end", func() int64 {
		j.goOn(t, func(e events.Envelope) {
			b.add(e)
			for _, ev := range e.Events {
				switch ev := ev.(type) {
				case events.JobDone:
					end(ev.Job)
				case events.JobFailed:
					end(ev.Job)
				}
			}
		})
		return int64(len(f.rendered) - len(ended))
	})
	return b
}

// checkAudit checks that every accepted job was queued once and done once, and charged once if it was rendered.
func (f *flood) checkAudit(t *testing.T, b audit) {
	t.Helper()
	wrong := 0
	for id, got := range b {
		rendered, accepted := f.rendered[id]
		want := tally{account: got.account, queued: 1, done: 1}
		if rendered {
			want.reserved, want.debited = 1, 1
		}
		if !accepted || *got != want {
			if wrong++; wrong <= 20 {
				t.Errorf("job %s (accepted: %v, rendered: %v): the journal has %+v, want %+v", id, accepted, rendered, *got, want)
			}
		}
	}
	if wrong > 20 || len(b) != len(f.rendered) {
		t.Errorf("%d jobs are in the journal, %d of them not as they should be; %d were accepted", len(b), wrong, len(f.rendered))
	}
}
