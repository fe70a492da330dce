package main

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events/testkit"
)

// command runs a command of platen against the node.
func (m *machine) command(t *testing.T, args ...string) (out string, err error) {
	t.Helper()
	var o, e strings.Builder
	err = run(append(args, "--data", m.data), &o, &e)
	return o.String() + e.String(), err
}

// balance sends the workload to the nodes that are ready, as a proxy does, until the test ends.
func (c *processCluster) balance(t *testing.T, w *workload) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var asking sync.WaitGroup
	for _, p := range c.nodes {
		asking.Go(func() {
			up := false
			for ctx.Err() == nil {
				if ready := readiness(p.address) == 200; ready != up {
					up = ready
					if up {
						w.up(p.address)
					} else {
						w.down(p.address)
					}
				}
				select {
				case <-ctx.Done():
				case <-time.After(100 * time.Millisecond):
				}
			}
		})
	}
	t.Cleanup(func() { cancel(); asking.Wait() })
}

// TestDrainUnderLoad drains one of three nodes while clients submit, and undrains it. Clients notice nothing, and nothing is lost. The drained node
// owns and renders nothing, and still serves requests.
func TestDrainUnderLoad(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	c := startProcessCluster(t, nodetest.Broker(t))
	testkit.Eventually(t, "the shards are shared evenly", c.even)
	w := startWorkload(t, c.customers...)
	c.balance(t, w)
	w.allow(60)
	w.await(t, "some jobs are done", func() bool { return w.done > 5 })

	if out, err := c.machines[0].command(t, "drain", "--wait"); err != nil || !strings.Contains(out, "the node is empty") {
		t.Fatalf("drain: %v\n%s", err, out)
	}
	if got := readiness(c.nodes[0].address); got != 503 {
		t.Errorf("readiness of a drained node: got %d, want 503", got)
	}
	r, exit := c.machines[1].report(t)
	for _, n := range r.Nodes {
		if drained := n.API == c.nodes[0].address; drained != (n.State == "draining") || drained && n.Owned > 0 || exit != 1 {
			t.Errorf("status %d, a node that is drained: %t, is %s and owns %d partitions", exit, drained, n.State, n.Owned)
		}
	}
	renders := value(scrape(t, c.nodes[0].address)["platen_render_attempts_total"])
	last := mustSubmit(t, c.customers[0], c.nodes[0].address) // a proxy may not have noticed yet
	awaitFile(t, c.customers[0], c.nodes[0].address, last)
	w.await(t, "jobs are done without the node", func() bool { return w.done >= 40 })
	if now := value(scrape(t, c.nodes[0].address)["platen_render_attempts_total"]); now != renders {
		t.Errorf("the drained node has made %v renders", now-renders)
	}

	if out, err := c.machines[0].command(t, "undrain"); err != nil {
		t.Fatalf("undrain: %v\n%s", err, out)
	}
	testkit.Eventually(t, "the node has its share again", c.even)
	testkit.Eventually(t, "all is well", func() bool { _, exit := c.machines[0].report(t); return exit == 0 })
	w.allow(20)
	w.await(t, "all jobs are done", func() bool { return w.done == 80 })
	w.stop()
	w.checkFaults(t)
	if w.refused+w.lost > 0 {
		t.Errorf("%d requests got 503, %d no response", w.refused, w.lost)
	}
	c.checkSettled(t, w)
}

// A node is not drained if that would leave nobody to decide.
func TestDrainNeedsHeirs(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	alone := &machine{}
	cfg := nodetest.Config(t)
	nodetest.Start(t, cfg, node.Options{})
	alone.data = cfg.Data
	if _, err := alone.command(t, "drain"); err == nil || !strings.Contains(err.Error(), "no other node is up") {
		t.Errorf("a node that is alone: got %v", err)
	}
	c := startLocalCluster(t, 2)
	testkit.Eventually(t, "the nodes share the shards", func() bool { s := c.share(); return s[0] == 3 && s[1] == 3 })
	if out, err := c.machines[0].command(t, "drain", "--wait"); err != nil {
		t.Fatalf("the first of two: %v\n%s", err, out)
	}
	if _, err := c.machines[0].command(t, "drain"); err != nil {
		t.Errorf("the first of two, again: %v", err)
	}
	testkit.Eventually(t, "the last one is not drained", func() bool {
		_, err := c.machines[1].command(t, "drain")
		return err != nil && strings.Contains(err.Error(), "no other node is up")
	})
	testkit.Eventually(t, "the last one owns everything", func() bool { return c.share()[1] == clusterPartitions })
	if out, err := c.machines[0].command(t, "undrain"); err != nil {
		t.Errorf("undrain: %v\n%s", err, out)
	}
	testkit.Eventually(t, "the first one has its share again", func() bool { return c.share()[0] == 3 })
}

// If two nodes are told to drain at once, one of them stays to decide. It leaves when a third is up, and comes back when that goes.
func TestTwoDrainsAtOnce(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	c := startLocalCluster(t, 3)
	testkit.Eventually(t, "the nodes share the shards", func() bool { s := c.share(); return s[0] == 2 && s[1] == 2 && s[2] == 2 })
	third := c.nodes[2]
	if err := third.Drain(); err != nil {
		t.Fatal(err)
	}
	var asked sync.WaitGroup
	for _, n := range c.nodes[:2] {
		asked.Go(func() { _ = n.Drain() }) // the gossip may be quick enough for a refusal
	}
	asked.Wait()
	testkit.Eventually(t, "one of them owns everything, and serves", func() bool { return c.keeper() >= 0 })
	third.Undrain()
	testkit.Eventually(t, "the third node owns everything", func() bool {
		for _, n := range c.nodes[:2] {
			_ = n.Drain() // that which was refused, if one was
			if d := n.Drainage(); !d.Empty() {
				return false
			}
		}
		return c.keeper() == 2
	})
	if out, err := c.machines[0].command(t, "drain", "--wait"); err != nil {
		t.Errorf("a node that has left: %v\n%s", err, out)
	}
	if err := third.Close(); err != nil {
		t.Fatal(err)
	}
	c.nodes = c.nodes[:2]
	testkit.Eventually(t, "one of the others owns everything again", func() bool { return c.keeper() >= 0 })
	kept := c.keeper()
	if d := c.nodes[kept].Drainage(); !d.Kept || !d.Draining || d.Empty() {
		t.Errorf("the node that keeps its share: %+v", d)
	}
	if _, err := c.machines[kept].command(t, "drain", "--wait"); err == nil || !strings.Contains(err.Error(), "keeps its share") {
		t.Errorf("draining the node that keeps its share: %v", err)
	}
	if out, err := c.machines[1-kept].command(t, "drain", "--wait"); err != nil {
		t.Errorf("draining the other one: %v\n%s", err, out)
	}
}

// keeper is the one node that owns everything and is ready; -1 if there is none.
func (c *localCluster) keeper() int {
	ready := -1
	for i, n := range c.nodes {
		if n.Ready() != nil {
			continue
		}
		if ready >= 0 {
			return -1
		}
		ready = i
	}
	if ready >= 0 && c.share()[ready] == clusterPartitions {
		return ready
	}
	return -1
}

// With --wait, a node that is not empty in time keeps draining.
func TestDrainTimeout(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	c := startProcessCluster(t, nodetest.Broker(t), "--egress-allow", "127.0.0.0/8")
	testkit.Eventually(t, "the shards are shared evenly", c.even)
	site := newGatedSite(t)
	jobs := c.submitHeld(t, site, 0, 2)
	site.awaitHeld(t, 2)
	if _, err := c.machines[0].command(t, "drain", "--wait", "--timeout", "1ms"); err == nil || !strings.Contains(err.Error(), "2 attempts left; the node keeps draining") {
		t.Errorf("with attempts under way: got %v", err)
	}
	site.open()
	if out, err := c.machines[0].command(t, "drain", "--wait"); err != nil {
		t.Errorf("without: %v\n%s", err, out)
	}
	c.awaitDone(t, jobs)
}

// Who undrains a node that was not drained learns that nothing has changed.
func TestUndrainInVain(t *testing.T) {
	m := newMachine(t)
	m.start(t)
	if out, err := m.command(t, "undrain"); err != nil || !strings.Contains(out, "the node was not drained: nothing has changed") {
		t.Errorf("got %q, %v", out, err)
	}
}
