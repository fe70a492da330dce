package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"platen.dev/actors/status"
	"platen.dev/cmd/platen/admin"
	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// status runs `platen status`, and returns what it prints and the status with which it ends.
func (m *machine) status(t *testing.T, args ...string) (out, errs string, exit int) {
	t.Helper()
	var o, e strings.Builder
	err := run(append([]string{"status", "--data", m.data}, args...), &o, &e)
	var code exitStatus
	if err != nil && !errors.As(err, &code) {
		t.Fatalf("status: %v", err)
	}
	return o.String(), e.String(), int(code)
}

// report is what `platen status --json` prints.
func (m *machine) report(t *testing.T) (r status.Report, exit int) {
	t.Helper()
	out, errs, exit := m.status(t, "--json")
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	return r, exit
}

// TestStatusOfOne asks a node that is well, one that is suspended, and one that does not run.
func TestStatusOfOne(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // nodes in processes of their own
	m := newMachine(t, "--dev", "--slots", "2")
	p := m.start(t)
	c := client{m.devKey(t, events.PlanBusiness)}
	out, _, exit := m.status(t)
	if exit != 0 || !strings.Contains(out, "All is well.") {
		t.Errorf("a node that is well: status %d\n%s", exit, out)
	}
	r, exit := m.report(t)
	if n := r.Nodes[0]; exit != 0 || len(r.Nodes) != 1 || n.State != status.Serving || n.Owned != len(r.Partitions) || n.Browsers.Slots != 2 || n.API != p.address || n.ID != r.Node || len(n.Disks) != 2 {
		t.Errorf("status %d, %+v", exit, r)
	}
	if slices.ContainsFunc(r.Partitions, func(p status.Partition) bool {
		return p.State != "serving" || p.Owner != r.Node || p.Level != events.NewestLevel
	}) {
		t.Errorf("the partitions are %+v", r.Partitions)
	}

	files := filepath.Join(m.data, "files")
	if err := os.Rename(files, files+"-away"); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if _, status, err := c.submit(p.address, i); status != 202 {
			t.Fatalf("submit: %d %v", status, err)
		}
	}
	p.await(t, "rendering is suspended: jobs wait until the fault is mended")
	testkit.Eventually(t, "jobs of the account wait on a suspended node", func() bool {
		r, exit = m.report(t)
		return exit == 1 && r.Nodes[0].Lanes["quick"].Waiting == 4 && len(r.Accounts) == 1 && r.Accounts[0] == status.Account{Account: "acc_dev_business", Waiting: 4}
	})
	if n := r.Nodes[0]; n.State != status.Suspended || !strings.Contains(n.Reason, "files: ") || !strings.Contains(n.Reason, "is missing: mount the disk") {
		t.Errorf("a suspended node: %+v", n)
	}
	if out, _, exit := m.status(t); exit != 1 || !strings.Contains(out, "NEEDS ATTENTION") {
		t.Errorf("a suspended node: status %d\n%s", exit, out)
	}
	m.checkWatch(t)
	p.kill()
	if out, errs, exit := m.status(t); exit != 2 || out != "" || !strings.Contains(errs, "is one running with this --data?") {
		t.Errorf("no node: status %d, %q, %q", exit, out, errs)
	}
}

// checkWatch watches the status as JSON, until it is interrupted.
func (m *machine) checkWatch(t *testing.T) {
	t.Helper()
	ctx, interrupt := context.WithCancel(testkit.Context(t))
	defer interrupt()
	shown, ended := nodetest.NewOutput(), make(chan error, 1)
	s := statusScreen{options: statusOptions{watch: true, json: true, interval: time.Millisecond}, client: admin.NewClient(m.data), out: shown, errs: shown}
	go func() { ended <- s.run(ctx) }()
	testkit.Eventually(t, "three reports", func() bool { return strings.Count(shown.Text(), "\n") >= 2 })
	interrupt()
	<-ended
	for _, line := range strings.Split(shown.Text(), "\n") {
		var r status.Report
		if err := json.Unmarshal([]byte(line), &r); err != nil || len(r.Nodes) != 1 {
			t.Errorf("%v: %s", err, line)
		}
	}
}

// A table fits into the terminal, and has colours there unless NO_COLOR or the terminal forbids
// them.
func TestStyleOfATerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there are no terminals here")
	}
	defer terminal.Close()
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 93}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	if s := styleOf(terminal); s != (status.Style{Width: 93, Colour: true}) {
		t.Errorf("on a terminal: %+v", s)
	}
	t.Setenv("NO_COLOR", "1")
	if s := styleOf(terminal); s != (status.Style{Width: 93}) {
		t.Errorf("with NO_COLOR: %+v", s)
	}
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	if styleOf(terminal).Colour || styleOf(&strings.Builder{}) != (status.Style{}) {
		t.Error("a dumb terminal, or a file, gets colours")
	}
}

// TestStatusOfThree asks one of three nodes, before and after another is killed and a third has left.
func TestStatusOfThree(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	c := startProcessCluster(t, nodetest.Broker(t))
	testkit.Eventually(t, "the shards are shared evenly", c.even)
	var r status.Report
	testkit.Eventually(t, "all is well", func() bool {
		var exit int
		r, exit = c.machines[0].report(t)
		return exit == 0 && len(r.Nodes) == clusterNodes
	})
	for _, n := range r.Nodes {
		if n.State != status.Serving || n.Owned != clusterPartitions/clusterNodes || n.Level != events.NewestLevel || n.Version != version() || n.Address == "" {
			t.Errorf("got %+v", n)
		}
	}
	if refused := value(scrape(t, c.nodes[1].address)["platen_peer_refused_total"]); refused != 0 {
		t.Errorf("a node has refused %v messages of the one that was asked", refused)
	}
	c.nodes[1].kill()
	testkit.Eventually(t, "the killed node is listed", func() bool {
		r, exit := c.machines[0].report(t)
		return exit == 1 && slices.ContainsFunc(r.Nodes, func(n status.Node) bool { return n.State == status.Gone })
	})
	c.nodes[2].stop(t)
	testkit.Eventually(t, "one node owns everything, and is asked alone", func() bool {
		r, _ := c.machines[0].report(t)
		return len(r.Nodes) == 2 && slices.ContainsFunc(r.Nodes, func(n status.Node) bool { return n.State == status.Serving && n.Owned == clusterPartitions })
	})
}

func TestStatusUsage(t *testing.T) {
	err := run([]string{"status", "--watch", "--interval", "99ms"}, &strings.Builder{}, &strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), "at least 100ms") {
		t.Errorf("got %v", err)
	}
}

// A partition continues where its owner runs; the other nodes say where that is.
func TestContinueElsewhere(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	c := startLocalCluster(t, 2)
	testkit.Eventually(t, "the nodes share the shards", func() bool { s := c.share(); return s[0] == 3 && s[1] == 3 })
	for p := range int32(clusterPartitions) {
		if owner := c.nodes[0].Replica().Owner(p); owner != c.nodes[1].ID() {
			continue
		}
		err := run([]string{"admin", "partition", "continue", fmt.Sprint(p), "--data", c.machines[0].data}, &strings.Builder{}, &strings.Builder{})
		if err == nil || !strings.Contains(err.Error(), string(c.nodes[1].ID())+" at 127.0.0.1:") {
			t.Errorf("partition %d: got %v", p, err)
		}
	}
}
