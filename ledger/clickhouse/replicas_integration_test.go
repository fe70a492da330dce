//go:build integration

package clickhouse

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"platen.dev/events/testkit"
	"platen.dev/ledger"
	"platen.dev/ledger/clickhouse/clickhousetest"
	"platen.dev/ledger/ledgertest"
)

// replicated makes an empty database on all replicas. A call may take five seconds, so that replicas that are missing
// are noticed soon.
func replicated(t testing.TB, servers []*clickhousetest.Server) Config {
	t.Helper()
	c := fresh(t, servers[0].Address)
	for _, s := range servers[1:] {
		admin := connect(t, Config{Addresses: []string{s.Address}, Database: "default", Timeout: DefaultTimeout})
		if err := admin.Exec(testkit.Context(t), "CREATE DATABASE "+c.Database); err != nil {
			t.Fatal(err)
		}
		c.Addresses = append(c.Addresses, s.Address)
	}
	c.Cluster, c.Timeout = clickhousetest.Cluster, 5*time.Second
	return c
}

// on is the configuration of one replica alone.
func on(c Config, s *clickhousetest.Server) Config {
	c.Addresses = []string{s.Address}
	return c
}

// do has a replica execute a statement.
func do(t *testing.T, c Config, s *clickhousetest.Server, statement string) {
	t.Helper()
	if err := connect(t, on(c, s)).Exec(testkit.Context(t), statement); err != nil {
		t.Fatal(err)
	}
}

// wantOnce expects the entries of a batch, each once, on one replica, under a marker.
func wantOnce(t *testing.T, l *Ledger, b ledger.Batch) {
	t.Helper()
	entries, _ := b.Distinct()
	want, _ := ledger.Summarize(entries)
	if f, err := l.RowsOf(testkit.Context(t), b.Topic, b.Partition, b.Lo, b.Hi); err != nil || f != want {
		t.Errorf("rows %+v, want %+v, %v", f, want, err)
	}
	if next, err := l.Next(testkit.Context(t), b.Topic, b.Partition); err != nil || next != b.Hi+1 {
		t.Errorf("next %d, want %d, %v", next, b.Hi+1, err)
	}
	total := int64(0)
	for account := range accountsOf(b) {
		rows, err := l.Usage(testkit.Context(t), ledger.Query{Account: account, From: ledger.MinTime, To: ledger.MaxTime})
		if err != nil || len(rows) != 1 {
			t.Fatalf("usage %+v, %v", rows, err)
		}
		total += rows[0].Units
	}
	if total != want.Units {
		t.Errorf("%d units are charged, want %d", total, want.Units)
	}
}

func accountsOf(b ledger.Batch) map[string]bool {
	accounts := map[string]bool{}
	for _, e := range b.Entries {
		accounts[e.Account] = true
	}
	return accounts
}

// killAfter kills a server after each insert into a table, and tells nobody.
func killAfter(s *clickhousetest.Server, l *Ledger, table string) {
	l.conn = faultyConn{l.conn, func(step string) error {
		if strings.HasPrefix(step, "after INSERT INTO "+table) {
			s.Kill()
		}
		return nil
	}}
}

// wantOnAll expects the entries of a batch, each once, on every replica alone, soon.
func wantOnAll(t *testing.T, c Config, servers []*clickhousetest.Server, b ledger.Batch) {
	t.Helper()
	for i, s := range servers {
		alone := mustConnect(t, on(c, s))
		testkit.Eventually(t, "the replica has everything", func() bool {
			next, err := alone.Next(testkit.Context(t), b.Topic, b.Partition)
			return err == nil && next > b.Hi
		})
		wantOnce(t, alone, b)
		// An insert that takes effect after its error may have put rows there twice: they are merged, and all reads count them once.
		if n := count(t, connect(t, on(c, s)), "SELECT count() FROM usage_ledger FINAL"); n != uint64(len(b.Entries)) {
			t.Errorf("replica %d has %d rows", i, n)
		}
	}
}

func mustConnect(t *testing.T, c Config) *Ledger {
	t.Helper()
	l, err := Connect(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// The first replica has the rows of a batch and is lost before the second has fetched them. Then no marker says that they are there, and none is
// written while only one replica could have the rows. When the first is back, with rows that were never confirmed, the batch is appended again:
// nothing is missing, and nothing is there twice.
func TestReplicasMarkerFollowsRows(t *testing.T) {
	servers := clickhousetest.StartReplicas(t, 2)
	c := replicated(t, servers)
	l, b := mustOpen(t, c), records(300)
	do(t, c, servers[1], "SYSTEM STOP FETCHES usage_ledger")
	killAfter(servers[0], l, "usage_ledger")
	if err := l.Append(testkit.Context(t), b); codeOf(err) != noQuorumInTime {
		t.Errorf("append: %v, want that the second replica has no rows", err)
	}
	servers[0].Kill()
	second := mustOpen(t, on(c, servers[1]))
	next, err := second.Next(testkit.Context(t), b.Topic, b.Partition)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := second.RowsOf(testkit.Context(t), b.Topic, b.Partition, b.Lo, b.Hi); err != nil || f.Entries < next {
		t.Fatalf("next is %d, and there are %d rows, %v", next, f.Entries, err)
	}
	do(t, c, servers[1], "SYSTEM START FETCHES usage_ledger")
	testkit.Eventually(t, "the first replica is known to be lost", func() bool {
		err := second.Append(testkit.Context(t), b)
		if err == nil {
			t.Fatal("one replica of two has confirmed a batch")
		}
		return codeOf(err) == tooFewReplicas && strings.Contains(err.Error(), "most replicas must answer")
	})
	servers[0].Restart(t)
	testkit.Eventually(t, "the batch is appended", func() bool { return second.Append(testkit.Context(t), b) == nil })
	wantOnAll(t, c, servers, b)
}

// A replica is killed after each step of an append. The append continues with the other two, and the killed one fetches what it lacks.
func TestReplicasMinorityIsLost(t *testing.T) {
	servers := clickhousetest.StartReplicas(t, 3)
	for _, table := range []string{"usage_ledger", "ledger_entry", "ledger_batch"} {
		c := replicated(t, servers)
		l, b := mustOpen(t, c), records(300)
		killAfter(servers[0], l, table)
		testkit.Eventually(t, "the batch is appended", func() bool { return l.Append(testkit.Context(t), b) == nil })
		wantOnce(t, mustOpen(t, c), b) // a node starts without it, too
		wantOnAll(t, c, servers[1:], b)
		servers[0].Restart(t)
		wantOnAll(t, c, servers, b)
	}
}

// A replica that has lost its disk after a batch was confirmed has it again from the other.
func TestReplicasDiskIsLost(t *testing.T) {
	servers := clickhousetest.StartReplicas(t, 2)
	c := replicated(t, servers)
	l, b := mustOpen(t, c), records(300)
	if err := l.Append(testkit.Context(t), b); err != nil {
		t.Fatal(err)
	}
	servers[0].Kill()
	servers[0].LoseDisk(t, servers[1])
	wantOnce(t, mustOpen(t, on(c, servers[1])), b)
	servers[0].Restart(t)
	wantOnAll(t, c, servers, b)
}

// A cluster of one replica would not notice that a second one is missing, so it is refused.
func TestReplicasOneIsNone(t *testing.T) {
	c := replicated(t, clickhousetest.StartReplicas(t, 1))
	if _, err := Open(testkit.Context(t), c); !errors.Is(err, errUnfit) || !strings.Contains(err.Error(), "has one replica") {
		t.Errorf("%v, want that two are needed", err)
	}
}

// A server of version 18.16 ends itself when it is asked to create a table on a cluster before it has reached ZooKeeper. It is asked later.
func TestReplicasWithoutZooKeeper(t *testing.T) {
	keeper := clickhousetest.StartZooKeeper(t)
	keeper.Signal(t, syscall.SIGSTOP)
	c := replicated(t, keeper.StartReplicas(t, 2))
	if _, err := Open(testkit.Context(t), c); !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "no connection to ZooKeeper") {
		t.Errorf("%v, want that ZooKeeper is missing", err)
	}
	keeper.Signal(t, syscall.SIGCONT)
	testkit.Eventually(t, "the tables are created", func() bool {
		l, err := Open(testkit.Context(t), c)
		return err == nil && l.Append(testkit.Context(t), records(3)) == nil && l.Close() == nil
	})
}

// A replica that is behind gives no answer of its own: the next address is asked, or if there is none, the replica is waited for.
func TestReplicasOneIsBehind(t *testing.T) {
	servers := clickhousetest.StartReplicas(t, 3)
	c := replicated(t, servers)
	l, b := mustOpen(t, c), records(300)
	for _, table := range []string{"usage_ledger", "ledger_entry", "ledger_batch"} {
		do(t, c, servers[2], "SYSTEM STOP FETCHES "+table)
	}
	if err := l.Append(testkit.Context(t), b); err != nil {
		t.Fatal(err)
	}
	behind := c
	behind.Addresses = []string{servers[2].Address, servers[0].Address}
	wantOnce(t, mustOpen(t, behind), b)
	l = mustConnect(t, on(c, servers[2]))
	if next, err := l.Next(testkit.Context(t), b.Topic, b.Partition); codeOf(err) != replicaIsBehind {
		t.Errorf("a replica that lacks everything says that next is %d, %v", next, err)
	}
	for _, table := range []string{"usage_ledger", "ledger_entry", "ledger_batch"} {
		do(t, c, servers[2], "SYSTEM START FETCHES "+table)
	}
	wantOnAll(t, c, servers, b)
}

// Every read notices rows that somebody has dropped, and answers nothing without them. Re-created tables are filled again.
func TestReplicasRowsAreDropped(t *testing.T) {
	servers := clickhousetest.StartReplicas(t, 2)
	c := replicated(t, servers)
	l, b := mustOpen(t, c), records(300)
	if err := l.Append(testkit.Context(t), b); err != nil {
		t.Fatal(err)
	}
	do(t, c, servers[0], "ALTER TABLE usage_ledger DROP PARTITION 202602")
	if err := l.Append(testkit.Context(t), b); codeOf(err) != replicaIsBehind || !strings.Contains(err.Error(), "drop all tables") {
		t.Errorf("append: %v, want that rows are missed", err)
	}
	for _, table := range []string{"usage_ledger", "ledger_entry", "ledger_batch", "ledger_schema"} {
		do(t, c, servers[0], "DROP TABLE "+table+" ON CLUSTER "+c.Cluster)
	}
	if err := mustOpen(t, c).Append(testkit.Context(t), b); err != nil {
		t.Fatal(err)
	}
	wantOnAll(t, c, servers, b)
}

// A table has only one insert at a time that waits for its quorum. Writers wait for each other.
func TestReplicasManyWriters(t *testing.T) {
	const writers, batches = 4, 5
	c := replicated(t, clickhousetest.StartReplicas(t, 2))
	c.Timeout = DefaultTimeout
	l := mustOpen(t, c)
	var writing sync.WaitGroup
	for p := range int32(writers) {
		writing.Go(func() {
			own := mustConnect(t, c)
			for n := range int64(batches) {
				if err := own.Append(testkit.Context(t), partOf(p, n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	for p := range int32(writers) {
		if f, err := l.RowsOf(testkit.Context(t), "t", p, 0, batches); err != nil || f.Entries != batches {
			t.Errorf("partition %d: %+v, %v", p, f, err)
		}
	}
}

// partOf is a batch of one entry of a partition.
func partOf(p int32, n int64) ledger.Batch {
	e := records(1).Entries[0]
	e.ID, e.Source.Partition, e.Source.Offset = fmt.Sprintf("%d-%d/debit", p, n), p, n
	return ledger.Batch{Topic: "t", Partition: p, Lo: n, Hi: n, Entries: []ledger.Entry{e}}
}

// Tables without replicas are refused where the configuration speaks of some: rows and marker would go to servers that
// know nothing of each other.
func TestServerWithoutReplicas(t *testing.T) {
	first, second := clickhousetest.Start(t), clickhousetest.Start(t)
	c := fresh(t, first.Address)
	mustOpen(t, c)
	several := c
	several.Addresses = append(several.Addresses, second.Address)
	cluster := c
	cluster.Cluster = clickhousetest.Cluster
	for want, wrong := range map[string]Config{"only one address": several, "before [ledger] cluster was set": cluster} {
		if _, err := Open(testkit.Context(t), wrong); !errors.Is(err, errUnfit) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The contract holds on replicas, whichever step of an append fails.
func TestReplicasSuite(t *testing.T) {
	servers := clickhousetest.StartReplicas(t, 2)
	ledgertest.Run(t, func(t testing.TB) ledgertest.Storage {
		c := replicated(t, servers)
		c.Timeout = DefaultTimeout
		return ledgertest.Storage{
			Open: func(t testing.TB) ledger.Ledger { return mustOpen(t, c) },
			OpenFaulty: func(t testing.TB, fault func(string) error) ledger.Ledger {
				l := mustOpen(t, c)
				l.conn = faultyConn{l.conn, fault}
				return l
			},
		}
	})
}
