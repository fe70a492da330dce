package main

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
	"platen.dev/projections"
)

// TestNewNode is a new node of a cluster whose journal is trimmed.
func TestNewNode(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	newNode(t, nodetest.Broker(t))
}

// newNode has a node of a cluster take snapshots, trims the journal to them, and starts another one. It
// has the same rows, and serves what happened before.
func newNode(t *testing.T, broker string) {
	files, ports := t.TempDir(), testkit.FreePorts(t, 4)
	config := func(i int) node.Config {
		cfg := nodetest.Config(t)
		cfg.Files, cfg.Partitions = files, clusterPartitions
		cfg.Kafka.Brokers, cfg.Kafka.SessionSeconds = []string{broker}, 6
		cfg.Cluster = node.ClusterConfig{Gossip: ports[2*i], Actors: ports[2*i+1], Join: ports[:1], Secret: "r7Kq2mXv9TzLp4Wd"}
		return cfg
	}
	first := config(0)
	n := nodetest.Start(t, first, node.Options{})
	m := &machine{data: first.Data}
	customers, _ := customersOfEveryShard(t, m)
	before := submitTests(t, customers, "http://"+n.Address())
	m.admin(t, "snapshot", "take")
	if taken := m.admin(t, "snapshot", "verify"); strings.Count(taken, "from 0") != clusterPartitions {
		t.Errorf("verified:\n%s", taken)
	}
	l := openKafka(t, broker)
	for p := range int32(clusterPartitions) {
		if err := l.Trim(testkit.Context(t), events.TopicJournal, p, n.Replica().Cursor(p).Next-1); err != nil {
			t.Fatal(err)
		}
	}
	after := submitTests(t, customers, "http://"+n.Address())
	m.admin(t, "snapshot", "take") // compared with a rebuild from the first ones: the beginning is gone
	second := config(1)
	other := nodetest.Start(t, second, node.Options{})
	for p := range int32(clusterPartitions) {
		if err := other.Replica().CatchUp(testkit.Context(t), p); err != nil {
			t.Fatal(err)
		}
	}
	testkit.Eventually(t, "both nodes have the same rows", func() bool {
		return maps.Equal(rowsOf(t, n.Replica()), rowsOf(t, other.Replica()))
	})
	for i, id := range append(before, after...) {
		if s, answered, err := customers[i%len(customers)].status("http://"+other.Address(), id); !answered || s != events.StatusDone {
			t.Errorf("job %s is %q at the new node (%v)", id, s, err)
		}
	}
	if printed := (&machine{data: second.Data}).dump(t); strings.Contains(printed, "void") {
		t.Errorf("the dump of a trimmed journal calls entries void:\n%s", printed)
	}
}

// submitTests submits a job in test mode for each customer, which is done at once, and waits for its end.
func submitTests(t *testing.T, customers []client, address string) (ids []events.JobID) {
	t.Helper()
	for _, c := range customers {
		id, status, err := c.post(address+"/html-to-pdf", map[string]any{"html": "<p>x</p>", "test": true})
		if status != 202 {
			t.Fatalf("status %d (%v)", status, err)
		}
		testkit.Eventually(t, "the job is done", func() bool {
			s, _, _ := c.status(address, id)
			return s == events.StatusDone
		})
		ids = append(ids, id)
	}
	return ids
}

func rowsOf(t *testing.T, r *projections.Replica) map[string]string {
	t.Helper()
	rows := map[string]string{}
	if err := r.Scan(nil, func(key, value []byte) bool {
		if key[0] != 0 { // what describes the store is no row
			rows[string(key)] = string(value)
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestKilledWhileSnapshotsAreTaken kills a node again and again while it takes snapshots. Whatever is
// there then, the journal is trimmed behind it, the node loses its replica, and has every job after its
// next start.
func TestKilledWhileSnapshotsAreTaken(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	m := newMachine(t, "--dev")
	p := m.start(t)
	key := client{m.devKey(t, events.PlanBusiness)}
	r := testkit.Rand(t)
	var jobs []events.JobID
	for range 4 {
		jobs = append(jobs, submitTests(t, []client{key}, p.address)...)
		taking := make(chan error, 1)
		go func() {
			taking <- run([]string{"admin", "snapshot", "take", "--data", m.data}, &strings.Builder{}, &strings.Builder{})
		}()
		p.await(t, fmt.Sprintf(`snapshot taken and verified" partition=%d`, r.IntN(events.DefaultPartitions-1)))
		p.kill()
		<-taking
		p = m.start(t)
		m.loseReplica(t, p)
		p = m.start(t)
		for _, id := range jobs {
			if s, answered, err := key.status(p.address, id); !answered || s != events.StatusDone {
				t.Fatalf("job %s is %q (%v)", id, s, err)
			}
		}
	}
}

// loseReplica kills a node, trims its journal behind the oldest snapshot of each partition, and removes
// its replica.
func (m *machine) loseReplica(t *testing.T, p *process) {
	t.Helper()
	oldest := map[int32]int64{}
	for line := range strings.Lines(m.admin(t, "snapshot", "list")) {
		var partition int32
		var name string
		var next int64
		if n, _ := fmt.Sscan(line, &partition, &name, &next); n == 3 {
			oldest[partition] = next // the newest comes first
		}
	}
	if len(oldest) == 0 {
		t.Fatal("there are no snapshots")
	}
	p.kill()
	m.withLog(t, func(l eventlog.Log) {
		for partition, next := range oldest {
			if err := l.Trim(testkit.Context(t), events.TopicJournal, partition, next-1); err != nil {
				t.Fatal(err)
			}
		}
	})
	if err := os.RemoveAll(m.replica()); err != nil {
		t.Fatal(err)
	}
}
