package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

const (
	clusterNodes = 3
	// The load on the broker in this process; a real one gets more.
	failoverKills = 4
	failoverJobs  = 80
)

// TestFailover repeatedly kills one of three nodes with SIGKILL while they process jobs
// of several accounts, and restarts it with or without its data. What TestCrash checks
// for one node must hold for the cluster.
//
// The broker in this process may end a member's session while the member waits in a
// JoinGroup, and then never responds: its client hangs for 20 s. This happens when a
// member dies while others join. So here nodes are killed when the shards are settled,
// and restarted when theirs are taken over. TestBrokerFailover does without that.
func TestFailover(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	failover(t, nodetest.Broker(t), failoverKills, failoverJobs, true)
}

func failover(t *testing.T, broker string, kills, jobs int, gentle bool) {
	r := testkit.Rand(t)
	c := startProcessCluster(t, broker)
	c.gentle = gentle
	w := startWorkload(t, c.customers...)
	for _, p := range c.nodes {
		w.up(p.address)
	}
	var slowest time.Duration
	for range kills {
		slowest = max(slowest, c.killOne(t, w, r))
	}
	w.await(t, "all jobs are done", func() bool { return len(w.jobs) >= jobs && w.done == len(w.jobs) })
	w.stop()
	w.checkFaults(t)
	c.checkSettled(t, w)
	if w.slowest >= node.ReplyTimeout {
		t.Errorf("a reply got lost and nobody looked for it: a 202 took %s", w.slowest)
	}
	t.Logf("%d kills; the slowest takeover of a killed node's shards took %s; slowest 202 after %s",
		kills, slowest.Round(time.Millisecond), w.slowest.Round(time.Millisecond))
}

// processCluster is three nodes, each a process of its own, on one Kafka log with shared
// files.
type processCluster struct {
	broker   string
	gentle   bool // kill only when the shards are settled; see TestFailover
	machines []*machine
	nodes    []*process // the one that lives, or lived last, in each machine
	past     []*process // all there ever were
	// customers have one account on every shard, in the order of the shards.
	customers []client
	accounts  []events.AccountID
}

func startProcessCluster(t *testing.T, broker string, args ...string) *processCluster {
	t.Helper()
	return startClusterOf(t, "", broker, args...)
}

// startClusterOf starts a cluster of nodes that run a binary; see machine.
func startClusterOf(t *testing.T, binary, broker string, args ...string) *processCluster {
	t.Helper()
	return startClusterWith(t, binary, broker, "", args...)
}

// startClusterWith is startClusterOf with more tables in the configuration file.
func startClusterWith(t *testing.T, binary, broker, tables string, args ...string) *processCluster {
	t.Helper()
	c := &processCluster{broker: broker}
	ports, files := testkit.FreePorts(t, 2*clusterNodes), t.TempDir()
	for i := range clusterNodes {
		config := filepath.Join(t.TempDir(), "platen.toml")
		text := fmt.Sprintf("partitions = %d\nfiles = %q\n[kafka]\nbrokers = [%q]\nsession_seconds = 2\n[cluster]\ngossip = %q\nactors = %q\njoin = [%q, %q]\nsecret = \"r7Kq2mXv9TzLp4Wd\"\n[browser]\nremotes = 2\n",
			clusterPartitions, files, broker, ports[2*i], ports[2*i+1], ports[0], ports[2])
		if err := os.WriteFile(config, []byte(text+tables), 0o600); err != nil {
			t.Fatal(err)
		}
		c.machines = append(c.machines, newMachine(t, append([]string{"--config", config, "--slots", "2"}, args...)...))
		c.machines[i].binary = binary
		c.nodes = append(c.nodes, nil)
		c.launch(t, i)
	}
	for _, p := range c.nodes {
		p.awaitListening(t)
	}
	c.customers, c.accounts = customersOfEveryShard(t, c.machines[0])
	return c
}

func (c *processCluster) launch(t *testing.T, i int) {
	t.Helper()
	c.nodes[i] = c.machines[i].launch(t)
	c.past = append(c.past, c.nodes[i])
}

// customersOfEveryShard opens accounts until every shard has one.
func customersOfEveryShard(t *testing.T, m *machine) ([]client, []events.AccountID) {
	t.Helper()
	customers, accounts := make([]client, clusterPartitions), make([]events.AccountID, clusterPartitions)
	for left := clusterPartitions; left > 0; {
		id := strings.Fields(m.admin(t, "account", "create", "--plan", "business"))[2]
		shard := events.Partition(events.AccountID(id), clusterPartitions)
		if accounts[shard] == "" {
			accounts[shard] = events.AccountID(id)
			customers[shard].key = strings.Fields(m.admin(t, "key", "create", id))[0]
			left--
		}
	}
	return customers, accounts
}

// killOne kills a node at a random moment, measures how long its shards do not reply, and
// restarts it.
func (c *processCluster) killOne(t *testing.T, w *workload, r *rand.Rand) (takeover time.Duration) {
	t.Helper()
	i := r.IntN(clusterNodes)
	if c.gentle {
		testkit.Eventually(t, "the shards are shared evenly", c.even)
	}
	w.allow(failoverJobs / failoverKills)
	c.awaitMoment(t, i, w, r)
	victim := c.nodes[i]
	orphans := c.owned(victim)
	w.down(victim.address)
	killed := time.Now()
	victim.kill()
	fresh, soon := r.IntN(2) == 0, r.IntN(2) == 0 && !c.gentle
	if fresh {
		c.machines[i].data = t.TempDir()
	}
	if soon {
		c.launch(t, i)
	}
	c.awaitAnswers(t, w, orphans)
	takeover = time.Since(killed)
	t.Logf("node %d killed (data kept: %v, restarted at once: %v): %d shards reply again after %s",
		i, !fresh, soon, len(orphans), takeover.Round(time.Millisecond))
	if !soon {
		c.launch(t, i)
	}
	c.nodes[i].awaitListening(t)
	w.up(c.nodes[i].address)
	return takeover
}

// awaitMoment waits for a random moment of node i's or the workload's life.
func (c *processCluster) awaitMoment(t *testing.T, i int, w *workload, r *rand.Rand) {
	t.Helper()
	accepted, done := w.progress()
	n := 1 + r.IntN(failoverJobs/failoverKills)
	switch r.IntN(4) {
	case 0: // as soon as the last restarted node listens
	case 1:
		c.nodes[i].await(t, "shard owned")
	case 2:
		n = min(n, w.left())
		w.await(t, "jobs are accepted", func() bool { return len(w.jobs) >= accepted+n })
	case 3:
		w.await(t, "jobs are done", func() bool { return w.done >= min(done+n/2, w.allowance) })
	}
}

// even reports whether every node owns its share of the shards.
func (c *processCluster) even() bool {
	for _, p := range c.nodes {
		if len(c.owned(p)) != clusterPartitions/clusterNodes {
			return false
		}
	}
	return true
}

// owned lists the shards whose latest owner is p.
func (c *processCluster) owned(p *process) (shards []int) {
	var outputs []*nodetest.Output
	for _, any := range c.past {
		outputs = append(outputs, any.out)
	}
	for shard, owner := range owners(outputs) {
		if c.past[owner] == p {
			shards = append(shards, shard)
		}
	}
	return shards
}

var shardOwned = regexp.MustCompile(`msg="shard owned" partition=(\d+) epoch=(\d+)`)

// owners returns the owner of each shard according to the nodes' logs: the node with the
// highest epoch. A shard that had no owner yet is missing.
func owners(outputs []*nodetest.Output) map[int]int {
	owner, latest := map[int]int{}, map[int]int{}
	for node, out := range outputs {
		for _, m := range shardOwned.FindAllStringSubmatch(out.Text(), -1) {
			shard, _ := strconv.Atoi(m[1])
			epoch, _ := strconv.Atoi(m[2])
			if _, known := owner[shard]; !known || epoch > latest[shard] {
				owner[shard], latest[shard] = node, epoch
			}
		}
	}
	return owner
}

// awaitAnswers submits a job to each of the given shards, through the running nodes,
// until each gets a 202.
func (c *processCluster) awaitAnswers(t *testing.T, w *workload, shards []int) {
	t.Helper()
	var asking sync.WaitGroup
	for _, shard := range shards {
		asking.Go(func() { w.submitOne(c.customers[shard]) })
	}
	asking.Wait()
}

// settle waits until every job is done, also those whose submits got no response, and returns those that got one, and all.
func (c *processCluster) settle(t *testing.T, w *workload, l eventlog.Log) (accepted []events.JobID, b audit) {
	t.Helper()
	accepted = w.accepted()
	for i, customer := range c.customers { // whatever was sent before is decided before
		var last events.JobID
		testkit.Eventually(t, fmt.Sprintf("shard %d accepts a last job", i), func() bool { // it may be changing hands
			var status int
			last, status, _ = customer.submit(c.nodes[i%clusterNodes].address, i)
			return status == 202
		})
		accepted = append(accepted, last)
	}
	for id, of := range auditJournal(t, l) {
		shard := events.Partition(of.account, clusterPartitions)
		awaitFile(t, c.customers[shard], c.nodes[int(id[0])%clusterNodes].address, id)
	}
	return accepted, auditJournal(t, l)
}

// checkSettled ends a cluster test in the way of TestCrash's checkSettled.
func (c *processCluster) checkSettled(t *testing.T, w *workload) {
	t.Helper()
	l := openKafka(t, c.broker)
	accepted, b := c.settle(t, w, l)
	b.check(t, accepted)
	charged := b.checkStates(t, l)
	units := b.units()
	for i, p := range c.nodes {
		for _, id := range c.accounts {
			if got, want := c.machines[i].listedUnits(t, string(id)), units[id]; got != want {
				t.Errorf("account list of node %d shows %d units of %s, want %d", i, got, id, want)
			}
		}
		p.stop(t)
		c.machines[i].awaitNoBrowsers(t)
		if got := c.machines[i].profiles(); got > 0 {
			t.Errorf("%d browser profiles are left of node %d", got, i)
		}
	}
	for _, m := range c.machines { // no node is left that would write between two reads of the journal
		m.checkReplica(t, l)
		m.checkLedger(t, l, charged)
	}
	t.Logf("%d times 202, %d responses lost (%d of these jobs were durable), %d times 429, %d times 503",
		len(accepted), w.lost, len(b)-len(accepted), w.limited, w.refused)
}
