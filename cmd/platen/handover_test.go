package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"syscall"
	"testing"

	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/logtest"
	"platen.dev/events/testkit"
	"platen.dev/projections"
)

// TestHandOverNodes submits all jobs to the shards of one node and lets three render
// them: the node itself those for which it has pages, the others the rest. Then one node
// drains: it gets no more and finishes what it has. Then one is killed in the middle of
// its renders. Every job is done exactly once.
func TestHandOverNodes(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	c := startProcessCluster(t, nodetest.Broker(t), "--egress-allow", "127.0.0.0/8")
	testkit.Eventually(t, "the shards are shared evenly", c.even)
	l := openKafka(t, c.broker)
	site := newGatedSite(t)
	var jobs []trackedJob

	// Every node has two browsers for jobs with pictures from the network: six of eight jobs fill
	// all of them.
	jobs = append(jobs, c.submitHeld(t, site, 0, 8)...)
	site.awaitHeld(t, 6)
	ids := [clusterNodes]events.NodeID{c.id(t, l, 0), c.id(t, l, 1), c.id(t, l, 2)}
	testkit.Eventually(t, "three nodes render two jobs each", func() bool {
		s := starts(t, l)
		return s[ids[0]] == 2 && s[ids[1]] == 2 && s[ids[2]] == 2
	})

	// Node 1 is told to stop while there are more jobs than the others can begin.
	if err := c.nodes[1].cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	c.nodes[1].await(t, "renderer retired")
	jobs = append(jobs, c.submitHeld(t, site, 0, 12)...)
	site.open()
	c.nodes[1].awaitStopped(t)
	c.awaitDone(t, jobs)
	if s := starts(t, l); s[ids[1]] != 2 {
		t.Errorf("node %s began %d renders, want the 2 from before it was told to stop", ids[1], s[ids[1]])
	}

	// Node 2 is killed with its pages full of jobs of node 0.
	site.close()
	testkit.Eventually(t, "the shards of the node that left have owners", func() bool {
		return len(c.owned(c.nodes[0]))+len(c.owned(c.nodes[2])) == clusterPartitions
	})
	before := starts(t, l)[ids[2]]
	jobs = append(jobs, c.submitHeld(t, site, 0, 7)...)
	site.awaitHeld(t, 4)
	testkit.Eventually(t, "node 2 renders two jobs", func() bool { return starts(t, l)[ids[2]] == before+2 })
	c.nodes[2].kill()
	site.open()
	c.awaitDone(t, jobs)

	b := auditJournal(t, l)
	var accepted []events.JobID
	for _, j := range jobs {
		accepted = append(accepted, j.id)
	}
	b.check(t, accepted)
	if len(b) != len(jobs) {
		t.Errorf("got %d jobs in the journal, want %d", len(b), len(jobs))
	}
	charged := b.checkStates(t, l)
	for _, m := range c.machines {
		m.checkLedger(t, l, charged)
	}
	t.Logf("renders begun by the nodes: %v", starts(t, l))
}

// submitHeld submits jobs to the shards of a node. Their pictures wait at the gatedSite.
func (c *processCluster) submitHeld(t *testing.T, site *gatedSite, node, jobs int) (accepted []trackedJob) {
	t.Helper()
	shards := c.owned(c.nodes[node])
	slices.Sort(shards)
	for n := range jobs {
		from := c.customers[shards[n%len(shards)]]
		html := fmt.Sprintf("<p>Job %d</p><img src=%q>", n, site.URL+fmt.Sprint("/", n))
		id, status, err := from.post(c.nodes[node].address+"/html-to-pdf", map[string]string{"html": html})
		if status != 202 || err != nil {
			t.Fatalf("submit: %d %v", status, err)
		}
		accepted = append(accepted, trackedJob{id: id, from: from})
	}
	return accepted
}

func (c *processCluster) awaitDone(t *testing.T, jobs []trackedJob) {
	t.Helper()
	for _, j := range jobs {
		testkit.Eventually(t, "a job is done", func() bool {
			status, _, err := j.from.status(c.nodes[0].address, j.id)
			if err != nil || status == events.StatusFailed {
				t.Fatalf("job %s: %s %v", j.id, status, err)
			}
			return status == events.StatusDone
		})
	}
}

// id is the process's node id in the journal.
func (c *processCluster) id(t *testing.T, l eventlog.Log, node int) (id events.NodeID) {
	t.Helper()
	logtest.Each(t, l, events.TopicJournal, int32(c.owned(c.nodes[node])[0]), func(r eventlog.Record) {
		if m, ok := decoded(t, r).(events.Marker); ok {
			id = m.Owner
		}
	})
	return id
}

func decoded(t *testing.T, r eventlog.Record) events.Entry {
	t.Helper()
	entry, err := events.DecodeEntry(r.Value)
	if err != nil {
		t.Fatal(err)
	}
	return entry
}

// starts counts the renders that each node has begun.
func starts(t *testing.T, l eventlog.Log) map[events.NodeID]int {
	t.Helper()
	begun := map[events.NodeID]int{}
	for p := range l.Partitions() {
		cursor := projections.Origin()
		logtest.Each(t, l, events.TopicJournal, p, func(r eventlog.Record) {
			entry := decoded(t, r)
			if !cursor.Step(r.Offset, entry) {
				return
			}
			e, _ := entry.(events.Envelope)
			for _, ev := range e.Events {
				if e, ok := ev.(events.RenderStarted); ok {
					begun[e.Node]++
				}
			}
		})
	}
	return begun
}

// gatedSite is a site that serves its pictures only while it is open.
type gatedSite struct {
	*httptest.Server
	mu   sync.Mutex
	gate chan struct{} // closed while the gatedSite is open
	held int
}

func newGatedSite(t *testing.T) *gatedSite {
	s := &gatedSite{gate: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() { s.open(); s.Server.CloseClientConnections(); s.Server.Close() })
	return s
}

func (s *gatedSite) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.held++
	gate := s.gate
	s.mu.Unlock()
	select {
	case <-gate:
	case <-r.Context().Done():
	}
	s.mu.Lock()
	s.held--
	s.mu.Unlock()
	http.NotFound(w, r)
}

func (s *gatedSite) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.gate:
	default:
		close(s.gate)
	}
}

func (s *gatedSite) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = make(chan struct{})
}

// awaitHeld waits until n requests for pictures, or more, are waiting.
func (s *gatedSite) awaitHeld(t *testing.T, n int) {
	t.Helper()
	held := 0
	if !testkit.Becomes(func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		held = s.held
		return held >= n
	}) {
		t.Fatalf("%d pages wait for their picture after %s, want %d", held, testkit.Patience, n)
	}
}
