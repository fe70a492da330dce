//go:build integration

package main

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/actors/status"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// versionBefore is the last commit without feature levels.
const versionBefore = "18ec650810bc5125c5854e2189312393d547d874"

// TestBrokerUpgrade upgrades the nodes of a cluster under load, one after another, from the version
// before levels; takes one back, and upgrades it again. Nothing is lost, and the level can be
// raised at the end only. A node of the old version ends then, and says why. It needs a newly
// started broker, as TestBrokerFailover does.
func TestBrokerUpgrade(t *testing.T) {
	broker := os.Getenv("PLATEN_TEST_KAFKA")
	if broker == "" {
		t.Fatal("PLATEN_TEST_KAFKA is not set: export PLATEN_TEST_KAFKA=$(testdata/kafka/run.sh start DIR)")
	}
	old := buildBefore(t)
	c := startClusterOf(t, old, broker)
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
		w.allow(30)
		accepted, _ := w.progress()
		w.await(t, "the load goes on", func() bool { return len(w.jobs) >= accepted+15 })
		c.checkStatus(t, old)
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

// checkStatus asks the first node, which is upgraded, for the status of all: nodes of the old version are listed and
// not asked, so none refuses anything.
func (c *processCluster) checkStatus(t *testing.T, old string) {
	t.Helper()
	want := map[status.State]int{}
	for i, p := range c.nodes {
		if c.machines[i].binary == old {
			want[status.Older]++
		} else {
			want[status.Serving]++
		}
		if refused := value(scrape(t, p.address)["platen_peer_refused_total"], "message"); refused != 0 {
			t.Errorf("node %d has refused %v messages", i, refused)
		}
	}
	testkit.Eventually(t, "all nodes are listed", func() bool {
		got := map[status.State]int{}
		r, _ := c.machines[0].report(t)
		for _, n := range r.Nodes {
			got[n.State]++
		}
		return maps.Equal(got, want)
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

// checkOldEnds starts the old version once more, in place of the last node.
func (c *processCluster) checkOldEnds(t *testing.T, old string) {
	t.Helper()
	m := newMachine(t, c.machines[2].args...)
	m.binary = old
	p := m.launch(t)
	if line, found := p.out.Await(testkit.Context(t), events.ErrNewer.Error()); !found {
		t.Errorf("the old version does not end: %s", line)
	}
	if err := <-p.exited; err == nil {
		t.Error("the old version ends as if nothing were wrong")
	}
}

// buildBefore builds the version before levels.
func buildBefore(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) *exec.Cmd {
		return exec.CommandContext(context.Background(), "git", append([]string{"-C", root}, args...)...)
	}
	if git("cat-file", "-e", versionBefore).Run() != nil {
		t.Skipf("the history of this checkout does not have %s: `git fetch --unshallow` gets it", versionBefore)
	}
	tree := t.TempDir()
	archive := filepath.Join(tree, "before.tar")
	if out, err := git("archive", "--output", archive, versionBefore).CombinedOutput(); err != nil {
		t.Fatalf("git archive: %v\n%s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), "tar", "-xf", archive, "-C", tree).CombinedOutput(); err != nil {
		t.Fatalf("tar: %v\n%s", err, out)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", "platen-before", "./cmd/platen")
	build.Dir = tree
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", versionBefore, err, out)
	}
	return filepath.Join(tree, "platen-before")
}
