//go:build integration && nextversion

package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"platen.dev/actors/status"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// TestBrokerUpgrade upgrades the nodes of a cluster under load, one after another, from this version to the future version that the test is built as,
// whose level and schema this one cannot read; it downgrades one, and upgrades it again. Nothing is lost, the rows of snapshots are migrated, and the
// level can be raised only at the end. A node of this version ends then, and says why. It needs a newly started broker, as TestBrokerFailover does.
func TestBrokerUpgrade(t *testing.T) {
	broker := testkit.RealBroker(t)
	old := buildThisVersion(t)
	c := startClusterOf(t, old, broker)
	for _, m := range c.machines {
		m.admin(t, "snapshot", "take")
	}
	w := startWorkload(t, c.customers...)
	for _, p := range c.nodes {
		w.up(p.address)
	}
	for _, step := range []struct {
		node   int
		binary string
		may    string // what `cluster level --raise` says then, on an upgraded node
	}{
		{0, "", "upgrade them first"},
		{1, "", "upgrade them first"},
		{1, old, "upgrade them first"},
		{1, "", "upgrade them first"},
		{2, "", ""},
	} {
		c.exchange(t, w, step.node, step.binary)
		if step.binary == "" {
			c.nodes[step.node].checkMigrated(t)
		}
		w.allow(30)
		accepted, _ := w.progress()
		w.await(t, "the load goes on", func() bool { return len(w.jobs) >= accepted+15 })
		c.checkStatus(t)
		said := c.raise(t)
		if step.may == "" && said != nil || step.may != "" && (said == nil || !strings.Contains(said.Error(), step.may)) {
			t.Errorf("after node %d runs %q, raising the level: %v, want %q", step.node, step.binary, said, step.may)
		}
	}
	w.await(t, "all jobs are done", func() bool { return w.done == len(w.jobs) })
	w.stop()
	w.checkFaults(t)
	c.checkSettled(t, w)
	c.checkOldEnds(t, old)
}

// checkMigrated waits until a node has begun with a snapshot of the schema before.
func (p *process) checkMigrated(t *testing.T) {
	t.Helper()
	if line, found := p.out.Await(testkit.Context(t), "partition restored from a snapshot"); !found {
		t.Errorf("no snapshot was migrated: %s", line)
	}
}

// checkStatus asks the first node, which is upgraded, for the status of all: they understand one another.
func (c *processCluster) checkStatus(t *testing.T) {
	t.Helper()
	for i, p := range c.nodes {
		if refused := value(scrape(t, p.address)["platen_peer_refused_total"], "message"); refused != 0 {
			t.Errorf("node %d has refused %v messages", i, refused)
		}
	}
	testkit.Eventually(t, "all nodes serve", func() bool {
		r, _ := c.machines[0].report(t)
		return len(r.Nodes) == len(c.nodes) && !slices.ContainsFunc(r.Nodes, func(n status.Node) bool { return n.State != status.Serving })
	})
}

// exchange stops a node, and starts it with another version of platen.
func (c *processCluster) exchange(t *testing.T, w *workload, i int, binary string) {
	t.Helper()
	w.down(c.nodes[i].address)
	c.nodes[i].stop(t)
	c.machines[i].binary = binary
	c.launch(t, i)
	c.nodes[i].awaitListening(t)
	w.up(c.nodes[i].address)
	testkit.Eventually(t, "the shards are shared evenly", c.even)
}

// raise raises the level, on the first node.
func (c *processCluster) raise(t *testing.T) error {
	t.Helper()
	var out, errs strings.Builder
	err := run([]string{"admin", "cluster", "level", "--raise", "--data", c.machines[0].data}, &out, &errs)
	t.Logf("%s%s", &out, &errs)
	return err
}

// checkOldEnds starts this version once more, in place of the last node.
func (c *processCluster) checkOldEnds(t *testing.T, old string) {
	t.Helper()
	m := newMachine(t, c.machines[2].args...)
	m.binary = old
	p := m.launch(t)
	if line, found := p.out.Await(testkit.Context(t), events.ErrNewer.Error()); !found {
		t.Errorf("this version does not end: %s", line)
	}
	if err := <-p.exited; err == nil {
		t.Error("this version ends as if nothing were wrong")
	}
}

// buildThisVersion builds platen as it is without the tag nextversion.
func buildThisVersion(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "platen")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return binary
}
