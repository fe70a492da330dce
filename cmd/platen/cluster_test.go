package main

import (
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

// clusterPartitions is the number of partitions of the clusters under test: a few shards
// for each of three nodes.
const clusterPartitions = 6

// localCluster is a cluster of nodes in this process, on a broker in this process.
type localCluster struct {
	broker   string
	nodes    []*node.Node
	machines []*machine
	log      *nodetest.Output // of all nodes
}

// startLocalCluster starts nodes, after configure has changed what it likes.
func startLocalCluster(t *testing.T, nodes int, configure ...func(i int, c *node.ClusterConfig)) *localCluster {
	t.Helper()
	return startLocalClusterOf(t, nodes, func(i int, c *node.Config) {
		for _, change := range configure {
			change(i, &c.Cluster)
		}
	})
}

// startLocalClusterOf is startLocalCluster with any setting changed.
func startLocalClusterOf(t *testing.T, nodes int, configure func(i int, c *node.Config)) *localCluster {
	t.Helper()
	c := &localCluster{broker: nodetest.Broker(t), log: nodetest.NewOutput()}
	logger := slog.New(slog.NewTextHandler(c.log, nil))
	ports, files := testkit.FreePorts(t, 2*nodes), t.TempDir()
	for i := range nodes {
		cfg := nodetest.Config(t)
		cfg.Files, cfg.Partitions, cfg.Browser.Slots = files, clusterPartitions, 1
		cfg.Kafka.Brokers, cfg.Kafka.SessionSeconds = []string{c.broker}, 2
		cfg.Cluster = node.ClusterConfig{Gossip: ports[2*i], Actors: ports[2*i+1], Join: ports[:1], Secret: "r7Kq2mXv9TzLp4Wd"}
		configure(i, &cfg)
		c.nodes = append(c.nodes, nodetest.Start(t, cfg, node.Options{Logger: logger}))
		c.machines = append(c.machines, &machine{data: cfg.Data})
	}
	return c
}

// openKafka opens the log that the nodes of a cluster share.
func openKafka(t *testing.T, brokers ...string) eventlog.Log {
	t.Helper()
	cfg := node.NewConfig()
	cfg.Partitions, cfg.Kafka.Brokers = clusterPartitions, brokers
	l, err := cfg.OpenLog(testkit.Context(t), "test", testkit.Silent(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func (c *localCluster) address(i int) string { return "http://" + c.nodes[i].Address() }

// share returns how many shards each node owns according to the last node.
func (c *localCluster) share() []int {
	last := c.nodes[len(c.nodes)-1].Replica()
	share := make([]int, len(c.nodes))
	for p := range int32(clusterPartitions) {
		for i, n := range c.nodes {
			if last.Owner(p) == n.ID() {
				share[i]++
			}
		}
	}
	return share
}

// TestCluster follows jobs through three nodes. Any node accepts a job, whichever node owns its shard. Every node knows the job and serves its file.
// A node that leaves hands over its work. The nodes have certificates in files, and refuse none of each other's messages.
func TestCluster(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	c := startLocalCluster(t, 3, certificates(t))
	testkit.Eventually(t, "the nodes share the shards evenly", func() bool {
		s := c.share()
		return s[0] == 2 && s[1] == 2 && s[2] == 2
	})
	for i, n := range c.nodes {
		if got := len(n.Nodes()); got != 3 {
			t.Errorf("node %d sees %d nodes, want 3", i, got)
		}
	}
	customers, _ := customersOfEveryShard(t, c.machines[0])
	jobs := c.submitToEveryNode(t, customers)
	for _, j := range jobs {
		for i := range c.nodes {
			awaitFile(t, j.from, c.address(i), j.id)
		}
	}
	c.checkRefused(t)
	if expires := time.Unix(int64(value(scrape(t, c.address(0))["platen_cluster_certificate_expiry_seconds"])), 0); time.Until(expires).Round(24*time.Hour) != 365*24*time.Hour {
		t.Errorf("the certificate expires at %s", expires)
	}
	jobs = append(jobs, c.leave(t, customers)...)
	l := openKafka(t, c.broker)
	b := auditJournal(t, l)
	b.check(t, ids(jobs))
	if got, want := len(b), len(jobs); got != want {
		t.Errorf("got %d jobs in the journal, want %d", got, want)
	}
	charged := b.checkStates(t, l)
	for _, m := range c.machines {
		m.checkLedger(t, l, charged)
	}
}

// certificates has an operator make the files of a cluster's nodes.
func certificates(t *testing.T) func(i int, c *node.ClusterConfig) {
	t.Helper()
	dir, operator := filepath.Join(t.TempDir(), "cluster"), &machine{}
	operator.admin(t, "cluster", "init", dir)
	return func(i int, c *node.ClusterConfig) {
		name := fmt.Sprint("node", i+1)
		operator.admin(t, "cluster", "join", dir, name)
		c.CertFile, c.KeyFile, c.CAFile = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key"), filepath.Join(dir, "ca.pem")
	}
}

// checkRefused checks that no node has refused what another sent.
func (c *localCluster) checkRefused(t *testing.T) {
	t.Helper()
	for i := range c.nodes {
		if refused := value(scrape(t, c.address(i))["platen_peer_refused_total"]); refused != 0 {
			t.Errorf("node %d has refused %v of its peers' messages", i, refused)
		}
	}
}

// submitToEveryNode submits to every node for every shard, and at once asks another node
// for each job. A reply that got lost between the nodes would show as a response after
// node.ReplyTimeout.
func (c *localCluster) submitToEveryNode(t *testing.T, customers []client) (jobs []trackedJob) {
	t.Helper()
	var slowest time.Duration
	for shard, from := range customers {
		for i := range c.nodes {
			began := time.Now()
			id, status, err := from.submit(c.address(i), i)
			took := time.Since(began)
			if status != 202 || took > node.ReplyTimeout/2 {
				t.Fatalf("submit to node %d for shard %d: %d %v after %s", i, shard, status, err, took)
			}
			if _, answered, err := from.status(c.address((i+1)%3), id); !answered || err != nil {
				t.Errorf("the next node, asked for a job that node %d accepted: answered %v, %v", i, answered, err)
			}
			slowest = max(slowest, took)
			jobs = append(jobs, trackedJob{id: id, from: from})
		}
	}
	t.Logf("%d submits, the slowest took %s", len(jobs), slowest.Round(time.Millisecond))
	return jobs
}

// leave fills the queues, closes node 0 and checks that the others take over its shards
// and its jobs.
func (c *localCluster) leave(t *testing.T, customers []client) (jobs []trackedJob) {
	t.Helper()
	for n := range 24 {
		from := customers[n%len(customers)]
		id, status, err := from.submit(c.address(n%3), n)
		if status != 202 {
			t.Fatalf("submit: %d %v", status, err)
		}
		jobs = append(jobs, trackedJob{id: id, from: from})
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
		jobs = append(jobs, trackedJob{id: id, from: from})
	}
	t.Logf("node 0 closed within %s, and all shards answered after %s", closed.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	if s := c.share(); s[0] != 0 {
		t.Errorf("the nodes own %v shards; the first node has left", s)
	}
	for _, j := range jobs {
		awaitFile(t, j.from, c.address(2), j.id)
	}
	return jobs
}

func ids(jobs []trackedJob) (ids []events.JobID) {
	for _, j := range jobs {
		ids = append(ids, j.id)
	}
	return ids
}

// TestANodeThatSeesNobody adds a node whose gossip reaches nobody. It takes over partitions, but not the renders of a busy node that only the brokers
// hear from.
func TestANodeThatSeesNobody(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	broker, ports, files := nodetest.Broker(t), testkit.FreePorts(t, 5), t.TempDir()
	start := func(gossip, actors, join string) (*node.Node, *machine) {
		cfg := nodetest.Config(t)
		cfg.Files, cfg.Partitions, cfg.Browser.Slots = files, clusterPartitions, 8
		cfg.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		cfg.Kafka.Brokers, cfg.Kafka.SessionSeconds = []string{broker}, 2
		cfg.Cluster = node.ClusterConfig{Gossip: gossip, Actors: actors, Join: []string{join}, Secret: "r7Kq2mXv9TzLp4Wd"}
		return nodetest.Start(t, cfg, node.Options{}), &machine{data: cfg.Data}
	}
	busy, m := start(ports[0], ports[1], ports[0])
	customers, _ := customersOfEveryShard(t, m)
	site := newGatedSite(t)
	var jobs []trackedJob
	for _, from := range customers[:6] {
		id, status, err := from.post("http://"+busy.Address()+"/html-to-pdf", map[string]string{"html": "<p>x</p><img src=" + site.URL + ">"})
		if status != 202 {
			t.Fatalf("submit: %d %v", status, err)
		}
		jobs = append(jobs, trackedJob{id: id, from: from})
	}
	site.awaitHeld(t, 6)
	blind, _ := start(ports[2], ports[3], ports[4])
	testkit.Eventually(t, "the blind node owns shards of the jobs", func() bool {
		for p := range int32(6) {
			if blind.Replica().Owner(p) == blind.ID() {
				return true
			}
		}
		return false
	})
	site.open()
	for _, j := range jobs {
		awaitFile(t, j.from, "http://"+blind.Address(), j.id)
	}
	if requeued := readRequeued(t, openKafka(t, broker)); len(requeued) > 0 {
		t.Errorf("%d renders were taken from a node that was busy with them", len(requeued))
	}
}

// TestHeldNodesAgree starts two nodes, one after another, on a log older than they can prove. They hold the same time and share the partitions. When
// an operator accepts the clock of one, the other follows.
func TestHeldNodesAgree(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	broker, ports, files := nodetest.Broker(t), testkit.FreePorts(t, 6), t.TempDir()
	start := func(i int, ahead time.Duration) (*node.Node, *machine) {
		cfg := nodetest.Config(t)
		cfg.Files, cfg.Partitions, cfg.Browser.Slots = files, clusterPartitions, 1
		cfg.Kafka.Brokers, cfg.Kafka.SessionSeconds = []string{broker}, 2
		cfg.Cluster = node.ClusterConfig{Gossip: ports[2*i], Actors: ports[2*i+1], Join: []string{ports[2], ports[4]}, Secret: "r7Kq2mXv9TzLp4Wd"}
		wall := func() time.Time { return time.Now().Add(ahead) }
		return nodetest.Start(t, cfg, node.Options{Wall: wall}), &machine{data: cfg.Data}
	}
	old, m := start(0, 0)
	customersOfEveryShard(t, m)
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	first, m := start(1, 60*time.Hour)
	testkit.Eventually(t, "the first node owns everything", func() bool {
		return first.Replica().Owner(0) == first.ID() && first.Replica().Owner(clusterPartitions-1) == first.ID()
	})
	if s := first.Clock(); s.Doubt != "held" {
		t.Errorf("the clock of the first node: %+v", s)
	}
	second, _ := start(2, 60*time.Hour)
	owns := func(n *node.Node) (count int) {
		for p := range int32(clusterPartitions) {
			if n.Replica().Owner(p) == n.ID() {
				count++
			}
		}
		return count
	}
	testkit.Eventually(t, "they share the partitions", func() bool { return owns(first) == clusterPartitions/2 && owns(second) == clusterPartitions/2 })
	a, b := first.Clock(), second.Clock()
	if a.Doubt != "held" || b.Doubt != "held" || a.Node.Sub(b.Node).Abs() > 2*time.Second {
		t.Errorf("the clocks of two nodes: %+v and %+v", a, b)
	}
	if out, err := m.command(t, "admin", "clock", "accept"); err != nil || !strings.Contains(out, "goes by the system's clock") {
		t.Fatalf("accept: %v\n%s", err, out)
	}
	testkit.Eventually(t, "the other one follows", func() bool { return second.Clock().Doubt == "" })
	testkit.Eventually(t, "they share the partitions again", func() bool { return owns(first) == clusterPartitions/2 && owns(second) == clusterPartitions/2 })
}

// TestAWrongClock adds a node whose clock is an hour ahead to two others. It owns nothing, says why, and serves the others' decisions. When its
// machine's clock is right, it goes by that, and owns partitions.
func TestAWrongClock(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	broker, ports, files := nodetest.Broker(t), testkit.FreePorts(t, 6), t.TempDir()
	said := nodetest.NewOutput()
	start := func(i int, wall func() time.Time) (*node.Node, *machine) {
		cfg := nodetest.Config(t)
		cfg.Files, cfg.Partitions, cfg.Browser.Slots = files, clusterPartitions, 1
		cfg.Kafka.Brokers, cfg.Kafka.SessionSeconds = []string{broker}, 2
		cfg.Cluster = node.ClusterConfig{Gossip: ports[2*i], Actors: ports[2*i+1], Join: []string{ports[0], ports[2]}, Secret: "r7Kq2mXv9TzLp4Wd"}
		return nodetest.Start(t, cfg, node.Options{Wall: wall, Logger: slog.New(slog.NewTextHandler(said, nil))}), &machine{data: cfg.Data}
	}
	var ahead atomic.Int64 // of the wrong clock
	ahead.Store(int64(time.Hour))
	right, _ := start(0, time.Now)
	start(1, time.Now)
	wrong, m := start(2, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
	testkit.Eventually(t, "the node with the wrong clock says so", func() bool { return strings.Contains(said.Text(), "this node's clock disagrees") })
	if got := readiness("http://" + wrong.Address()); got != 503 {
		t.Errorf("readiness of the node with the wrong clock: got %d, want 503", got)
	}
	customers, _ := customersOfEveryShard(t, m)
	for _, from := range customers {
		awaitFile(t, from, "http://"+right.Address(), mustSubmit(t, from, "http://"+wrong.Address()))
	}
	owns := func() (n int) {
		for p := range int32(clusterPartitions) {
			if wrong.Replica().Owner(p) == wrong.ID() {
				n++
			}
		}
		return n
	}
	if n := owns(); n > 0 {
		t.Errorf("the node with the wrong clock owns %d partitions", n)
	}
	ahead.Store(0)
	testkit.Eventually(t, "the node owns partitions with a clock that is right", func() bool { return owns() > 0 })
	if got := readiness("http://" + wrong.Address()); got != 200 {
		t.Errorf("readiness with a clock that is right: got %d, want 200", got)
	}
	for _, from := range customers {
		awaitFile(t, from, "http://"+wrong.Address(), mustSubmit(t, from, "http://"+wrong.Address()))
	}
	for p := range int32(clusterPartitions) {
		if at := wrong.Replica().Cursor(p).At.Time(); at.After(time.Now().Add(10 * time.Second)) {
			t.Errorf("partition %d has decided at %s", p, at)
		}
	}
}
