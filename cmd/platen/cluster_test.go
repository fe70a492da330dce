package main

import (
	"log/slog"
	"testing"
	"time"

	"platen.dev/events"
)

// local is a cluster of nodes in this process, on a broker in this process.
type local struct {
	broker  string
	nodes   []*Node
	homes   []*home
	outputs []*lines
}

func startLocal(t *testing.T, nodes int) *local {
	t.Helper()
	c := &local{broker: fakeBroker(t)}
	ports, files := freePorts(t, 2*nodes), t.TempDir()
	for i := range nodes {
		cfg := NewConfig()
		cfg.Listen, cfg.Data, cfg.Files, cfg.Partitions = "127.0.0.1:0", t.TempDir(), files, clusterPartitions
		cfg.Kafka.Brokers, cfg.Kafka.SessionSeconds = []string{c.broker}, 2
		cfg.Cluster = ClusterConfig{Gossip: ports[2*i], Actors: ports[2*i+1], Join: ports[:1], Secret: "0123456789abcdef"}
		cfg.Browser.Slots = 1
		out := newLines()
		node, err := Start(t.Context(), cfg, slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug})))
		if err != nil {
			t.Fatal(err)
		}
		c.nodes, c.homes, c.outputs = append(c.nodes, node), append(c.homes, &home{data: cfg.Data}), append(c.outputs, out)
		t.Cleanup(func() { _ = node.Close() })
	}
	return c
}

func (c *local) address(i int) string { return "http://" + c.nodes[i].Address() }

// share is how many shards each node owns.
func (c *local) share() []int {
	share := make([]int, len(c.nodes))
	for _, node := range owners(c.outputs) {
		share[node]++
	}
	return share
}

// TestCluster follows jobs through three nodes: any node takes a job, whoever owns
// its shard; every node knows it and serves its file; and a node that leaves hands
// over what it has.
func TestCluster(t *testing.T) {
	c := startLocal(t, 3)
	eventually(t, "the nodes do not share the shards evenly", func() bool {
		s := c.share()
		return s[0] == 2 && s[1] == 2 && s[2] == 2
	})
	for i, n := range c.nodes {
		if got := n.nodes.Nodes(); got != 3 {
			t.Errorf("node %d sees %d nodes, want 3", i, got)
		}
	}
	customers, _ := customersEverywhere(t, c.homes[0])
	jobs := c.submitEverywhere(t, customers)
	for _, j := range jobs {
		for i := range c.nodes {
			awaitFile(t, j.from, c.address(i), j.id)
		}
	}
	jobs = append(jobs, c.leave(t, customers)...)
	l := openKafka(t, c.broker)
	b := readBooks(t, l)
	b.check(t, ids(jobs))
	if got, want := len(b), len(jobs); got != want {
		t.Errorf("got %d jobs in the journal, want %d", got, want)
	}
	b.checkStates(t, l)
}

// submitEverywhere submits to every node for every shard, and asks another node
// for each job at once. A reply that got lost between the nodes would show as an
// answer after replyPatience.
func (c *local) submitEverywhere(t *testing.T, customers []client) (jobs []followed) {
	t.Helper()
	var slowest time.Duration
	for shard, from := range customers {
		for i := range c.nodes {
			began := time.Now()
			id, status, err := from.submit(c.address(i), i)
			took := time.Since(began)
			if status != 202 || took > replyPatience/2 {
				t.Fatalf("submit to node %d for shard %d: %d %v after %s", i, shard, status, err, took)
			}
			if _, answered, err := from.status(c.address((i+1)%3), id); !answered || err != nil {
				t.Errorf("the next node, asked for a job that node %d accepted: answered %v, %v", i, answered, err)
			}
			slowest = max(slowest, took)
			jobs = append(jobs, followed{id: id, from: from})
		}
	}
	t.Logf("%d submits answered, the slowest after %s", len(jobs), slowest.Round(time.Millisecond))
	return jobs
}

// leave fills the queues, closes node 0 and checks that the others go on with
// its shards and its jobs.
func (c *local) leave(t *testing.T, customers []client) (jobs []followed) {
	t.Helper()
	for n := range 24 {
		from := customers[n%len(customers)]
		id, status, err := from.submit(c.address(n%3), n)
		if status != 202 {
			t.Fatalf("submit: %d %v", status, err)
		}
		jobs = append(jobs, followed{id: id, from: from})
	}
	began := time.Now()
	if err := c.nodes[0].Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	closed := time.Since(began)
	for shard, from := range customers {
		id, status, err := from.submit(c.address(1+shard%2), shard)
		if status != 202 {
			t.Fatalf("submit for shard %d after a node has left: %d %v", shard, status, err)
		}
		jobs = append(jobs, followed{id: id, from: from})
	}
	t.Logf("node 0 closed within %s, and all shards answered after %s", closed.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	if s := c.share(); s[0] != 0 {
		t.Errorf("the shards are owned %v by the nodes, the first of which has left", s)
	}
	for _, j := range jobs {
		awaitFile(t, j.from, c.address(2), j.id)
	}
	return jobs
}

func ids(jobs []followed) (ids []events.JobID) {
	for _, j := range jobs {
		ids = append(ids, j.id)
	}
	return ids
}
