//go:build integration

package clickhouse

import (
	"strings"
	"testing"
	"time"

	"platen.dev/events/testkit"
	"platen.dev/ledger"
	"platen.dev/ledger/clickhouse/clickhousetest"
)

// replicated makes an empty database on all replicas. A call may take five seconds, so that replicas that are missing
// are noticed soon.
func replicated(t *testing.T, servers []*clickhousetest.Server) Config {
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

// The first replica has the rows of a batch and is lost before the second has fetched them. There is no marker then
// that says they are there.
func TestReplicasMarkerFollowsRows(t *testing.T) {
	servers := clickhousetest.StartReplicas(t, 2)
	c := replicated(t, servers)
	l, b := mustOpen(t, c), records(300)
	do(t, c, servers[1], "SYSTEM STOP FETCHES usage_ledger")
	l.conn = faultyConn{l.conn, func(step string) error {
		if strings.HasPrefix(step, "after INSERT INTO usage_ledger") {
			servers[0].Kill()
		}
		return nil
	}}
	t.Logf("append: %v", l.Append(testkit.Context(t), b))
	servers[0].Kill()
	second := mustOpen(t, on(c, servers[1]))
	next, err := second.Next(testkit.Context(t), b.Topic, b.Partition)
	if err != nil {
		t.Fatal(err)
	}
	f, err := second.RowsOf(testkit.Context(t), b.Topic, b.Partition, b.Lo, b.Hi)
	if err != nil || f.Entries < next {
		t.Fatalf("next is %d, and there are %d rows, %v", next, f.Entries, err)
	}
}
