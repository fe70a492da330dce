package node

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"platen.dev/actors/account"
	"platen.dev/cmd/platen/admin"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// clockedNode is a node whose machine's clock is set by the test.
type clockedNode struct {
	t            *testing.T
	cfg          Config
	ahead        atomic.Int64
	synchronised atomic.Bool
	*Node
}

func newClockedNode(t *testing.T) *clockedNode {
	n := &clockedNode{t: t, cfg: NewConfig()}
	n.cfg.Data, n.cfg.Listen, n.cfg.Partitions, n.cfg.Browser.Slots = t.TempDir(), "127.0.0.1:0", 2, 1
	n.start()
	order(t, n.Node, events.CreateAccount{Plan: events.PlanFree}, events.IssueKey{Key: events.Key{ID: "k"}})
	return n
}

func (n *clockedNode) start() {
	n.t.Helper()
	wall := func() time.Time { return time.Now().Add(time.Duration(n.ahead.Load())) }
	started, err := Start(n.t.Context(), n.cfg, Options{Wall: wall, Synchronised: n.synchronised.Load})
	if err != nil {
		n.t.Fatal(err)
	}
	n.Node = started
	n.t.Cleanup(func() { _ = started.Close() }) // it may be closed already
}

// startAhead starts the node again, with another clock.
func (n *clockedNode) startAhead(by time.Duration) {
	n.t.Helper()
	if err := n.Close(); err != nil {
		n.t.Fatal(err)
	}
	n.ahead.Store(int64(by))
	n.start()
}

// expiry is when the file of a job expires.
func (n *clockedNode) expiry(id events.JobID) time.Time {
	n.t.Helper()
	j, _, err := n.Replica().Job("acc", id)
	if err != nil {
		n.t.Fatal(err)
	}
	return j.Expires.Time()
}

// pdfs counts the stored files.
func (n *clockedNode) pdfs() (count int) {
	n.t.Helper()
	err := filepath.WalkDir(filepath.Join(n.cfg.Data, "files"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".pdf") {
			count++
		}
		if errors.Is(err, os.ErrNotExist) { // it was deleted meanwhile
			err = nil
		}
		return err
	})
	if err != nil {
		n.t.Fatal(err)
	}
	return count
}

// A node that starts with an unconfirmed clock that is a day ahead deletes nothing. It continues by the time of its log, does new jobs, and says so.
// Once the clock is synchronised, old files are deleted.
func TestAWrongFirstClockDeletesNothing(t *testing.T) {
	n := newClockedNode(t)
	const before = 8
	for range before {
		testJob(t, n.Node)
	}
	n.startAhead(25 * time.Hour)
	testkit.Eventually(t, "the node owns its partitions", func() bool { return len(n.engine.served()) == 2 })
	if left := time.Until(n.expiry(testJob(t, n.Node))); left < 48*time.Hour || left > 50*time.Hour {
		t.Errorf("a file that is made meanwhile lives for %s; the clock, which may be right, is 25 h ahead", left)
	}
	for p := range n.Log().Partitions() {
		if due, err := account.Due(n.Replica(), p, events.At(n.clock.Now()), 1); err != nil || len(due) > 0 {
			t.Errorf("partition %d: %d jobs are due, %v", p, len(due), err)
		}
	}
	if got := n.pdfs(); got != before+1 {
		t.Errorf("%d files are left of %d", got, before+1)
	}
	report, err := n.serving.status.health.ready()
	if held := n.clock.held(); err != nil || !strings.Contains(report, "nothing confirms it") || time.Duration(held)*time.Second < 24*time.Hour {
		t.Errorf("held by %v s, ready: %v\n%s", held, err, report)
	}
	if s := n.Clock(); s.Doubt != "held" || s.Synchronised || time.Until(s.Node).Abs() > time.Minute {
		t.Errorf("the clock is shown as %+v", s)
	}
	n.synchronised.Store(true)
	testkit.Eventually(t, "what is old by a clock that is right is deleted, and what was made meanwhile is not", func() bool { return n.pdfs() == 1 })
	if n.clock.held() != 0 || n.Clock().Doubt != "" {
		t.Error("the clock is held after it is confirmed")
	}
}

// admin runs `platen admin` against the node.
func (n *clockedNode) admin(args ...string) (string, error) {
	var out strings.Builder
	c := admin.Command(n.cfg.Data)
	c.SetArgs(args)
	c.SetOut(&out)
	c.SetErr(&out)
	err := c.Execute()
	return out.String(), err
}

// A node whose clock is behind its records owns nothing and is not ready until an operator confirms the clock.
func TestAFirstClockBehindTheRecords(t *testing.T) {
	n := newClockedNode(t)
	n.startAhead(-time.Hour)
	if err := n.Ready(); !errors.Is(err, errClockBehind) {
		t.Errorf("readiness: %v", err)
	}
	if err := n.serving.status.health.mayOwn(false); !errors.Is(err, errClockBehind) || len(n.engine.served()) > 0 {
		t.Errorf("it owns %d partitions, and may: %v", len(n.engine.served()), err)
	}
	if s := n.Clock(); s.Doubt != "behind" || s.AheadSeconds > -3000 {
		t.Errorf("the clock is shown as %+v", s)
	}
	if out, err := n.admin("clock", "accept"); err != nil || !strings.Contains(out, "goes by the system's clock") {
		t.Errorf("accept: %v\n%s", err, out)
	}
	testkit.Eventually(t, "the node owns its partitions", func() bool { return len(n.engine.served()) == 2 })
	if err := n.Ready(); err != nil {
		t.Error(err)
	}
	testJob(t, n.Node)
}

// An operator may accept a clock that is far ahead.
func TestAnAcceptedFirstClock(t *testing.T) {
	n := newClockedNode(t)
	n.startAhead(40 * time.Minute)
	if out, err := n.admin("clock"); err != nil || !strings.Contains(out, "clock is 40m") || !strings.Contains(out, "ahead and nothing confirms it") {
		t.Errorf("shown: %v\n%s", err, out)
	}
	if s := n.AcceptClock(); s.Doubt != "" || time.Until(s.Node) < 39*time.Minute {
		t.Errorf("accepted: %+v", s)
	}
}

// order has commands accepted for an account.
func order(t *testing.T, n *Node, bodies ...events.CommandBody) {
	t.Helper()
	for _, body := range bodies {
		if reply, err := n.Commands().Do("acc", body); err != nil || reply.Code != events.Accepted {
			t.Fatalf("%T: %v %v", body, reply, err)
		}
	}
}

// testJob has a test job done.
func testJob(t *testing.T, n *Node) events.JobID {
	t.Helper()
	id := events.NewJobID()
	order(t, n, events.Submission{SubmitJob: events.SubmitJob{Job: id, Key: "k", Operation: events.HTMLToPDF, Test: true}})
	testkit.Eventually(t, "the job is done", func() bool {
		j, _, err := n.Replica().Job("acc", id)
		return err == nil && j.Status == events.StatusDone
	})
	return id
}
