//go:build integration

package reconcile

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
	"platen.dev/ledger/clickhouse"
	"platen.dev/ledger/clickhouse/clickhousetest"
)

// A ledger on two replicas is filled while one of them is killed again and again, at any moment of an append, and comes
// back. It is what the log says then, on each replica alone: nothing is missing, and nothing counts twice.
func TestReplicasReconcile(t *testing.T) {
	servers := clickhousetest.StartReplicas(t, 2)
	b := newBooks(t)
	log, err := embedded.Open(embedded.Config{Dir: filepath.Join(t.TempDir(), "log"), Partitions: 1, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	b.log = log
	b.openOn(servers...)
	for range 6 {
		b.grow(60)
		b.fillUnderKills(servers[b.rand.IntN(2)])
		b.mustEqual()
	}
	for i := range servers {
		b.openOn(servers[i])
		testkit.Eventually(t, "the replica has everything", func() bool {
			r, err := Partition(t.Context(), b.config(), 0)
			return err == nil && r.Behind == 0
		})
		r := b.mustEqual()
		t.Logf("replica %d: %d entries in %d batches", i+1, r.Ledger.Entries, r.Markers)
	}
}

// openOn keeps the books on some replicas.
func (b *books) openOn(servers ...*clickhousetest.Server) {
	b.Helper()
	c := clickhouse.Config{Database: "default", Cluster: clickhousetest.Cluster, Timeout: 5 * time.Second}
	for _, s := range servers {
		c.Addresses = append(c.Addresses, s.Address)
	}
	l, err := clickhouse.Open(testkit.Context(b), c)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = l.Close() })
	b.ledger = l
}

// fillUnderKills kills a server within the first appends, and starts it again when the ledger has noticed.
func (b *books) fillUnderKills(s *clickhousetest.Server) {
	b.Helper()
	kill := sync.OnceFunc(s.Kill)
	timer := time.AfterFunc(time.Duration(b.rand.IntN(400))*time.Millisecond, kill)
	b.Logf("filling: %v", b.tryFill(1+b.rand.Int64N(20)))
	timer.Stop()
	kill()
	s.Restart(b)
	testkit.Eventually(b, "the ledger has everything", func() bool { return b.tryFill(20) == nil })
}
