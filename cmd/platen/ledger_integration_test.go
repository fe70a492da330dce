//go:build integration

package main

import (
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"platen.dev/events/testkit"
	"platen.dev/ledger/clickhouse"
	"platen.dev/ledger/clickhouse/clickhousetest"
)

// TestLedgerOnClickHouse kills and stops ClickHouse, and kills nodes, while three nodes share the
// ledger of one Kafka log. At the end the ledger charges what the log says, to the unit and the byte.
// Start a new broker with testdata/kafka/run.sh and put its address into PLATEN_TEST_KAFKA.
func TestLedgerOnClickHouse(t *testing.T) {
	broker := testkit.RealBroker(t)
	r, server := testkit.Rand(t), clickhousetest.Start(t)
	c := startProcessCluster(t, broker, "--clickhouse", server.Address)
	w := startWorkload(t, c.customers...)
	for _, p := range c.nodes {
		w.up(p.address)
	}
	for range 6 {
		c.harm(t, w, r, server)
	}
	w.await(t, "all jobs are done", func() bool { return len(w.jobs) >= failoverJobs && w.done == len(w.jobs) })
	w.stop()
	w.checkFaults(t)
	l := openKafka(t, broker)
	accepted, b := c.settle(t, w, l)
	b.check(t, accepted)
	charged := b.checkStates(t, l)
	var told string
	testkit.Eventually(t, "the ledger has everything", func() bool {
		told = c.machines[0].admin(t, "ledger", "reconcile", "--check")
		return !strings.Contains(told, "not in the ledger yet")
	})
	if !strings.HasPrefix(told, "equal: ") {
		t.Errorf("reconcile: %s", told)
	}
	t.Log(strings.TrimSpace(told))
	for _, p := range c.nodes {
		p.stop(t)
	}
	kept, err := clickhouse.Open(t.Context(), clickhouse.Config{Addresses: []string{server.Address}, Database: "default"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = kept.Close() }()
	auditLedger(t, l, kept, charged)
}

// harm kills ClickHouse for a while, stops it for a while, or kills a node, at a random moment.
func (c *processCluster) harm(t *testing.T, w *workload, r *rand.Rand, server *clickhousetest.Server) {
	t.Helper()
	kind := r.IntN(3)
	if kind == 2 {
		c.killOne(t, w, r)
		return
	}
	w.allow(failoverJobs / failoverKills)
	accepted, _ := w.progress()
	n := min(1+r.IntN(failoverJobs/failoverKills), w.left())
	w.await(t, "jobs are accepted", func() bool { return len(w.jobs) >= accepted+n })
	during := func() { // jobs continue meanwhile
		done := func() bool { return w.done == len(w.jobs) }
		w.await(t, "jobs are done without a ledger", done)
	}
	if kind == 0 {
		t.Log("ClickHouse is killed")
		server.Kill()
		during()
		server.Restart(t)
		return
	}
	t.Log("ClickHouse is stopped")
	server.Signal(t, syscall.SIGSTOP)
	during()
	server.Signal(t, syscall.SIGCONT)
}
