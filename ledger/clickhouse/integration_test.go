//go:build integration

package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"platen.dev/events/testkit"
	"platen.dev/ledger"
	"platen.dev/ledger/clickhouse/clickhousetest"
	"platen.dev/ledger/ledgertest"
)

// The contract holds on a real server, whichever step of an append fails.
func TestServerSuite(t *testing.T) {
	s := clickhousetest.Start(t)
	ledgertest.Run(t, func(t testing.TB) ledgertest.Storage {
		c := fresh(t, s.Address)
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

func records(n int) ledger.Batch {
	b := ledger.Batch{Topic: "t", Hi: int64(n) - 1}
	for i := range n {
		at := time.Date(2026, time.Month(1+i%3), 1, 0, 0, i/3, 0, time.UTC)
		b.Entries = append(b.Entries, ledger.Entry{
			ID: fmt.Sprintf("%d/debit", i), Account: fmt.Sprint("acc_", i%10), Kind: ledger.Debit, Occurred: at, Window: at, Units: 1, Bytes: 10,
			Source: ledger.Source{Topic: "t", Offset: int64(i)},
		})
	}
	return b
}

// A server that is killed in the middle of any insert, and started again, has every entry once
// after the batch was appended again.
func TestServerKilled(t *testing.T) {
	const n = 30_000
	s := clickhousetest.Start(t)
	for inserts := 1; inserts <= 5; inserts++ {
		c := fresh(t, s.Address)
		l := mustOpen(t, c)
		wait := killAt(s, l, inserts)
		if err := l.Append(testkit.Context(t), records(n)); err == nil {
			t.Log("the server finished before it was killed")
		} else {
			t.Logf("killed at insert %d: %v", inserts, err)
		}
		_ = l.Close()
		wait()
		s.Restart(t)
		l = mustOpen(t, c)
		next, err := l.Next(testkit.Context(t), "t", 0)
		if err != nil || next != 0 && next != n {
			t.Fatalf("next %d, %v", next, err)
		}
		if err := l.Append(testkit.Context(t), records(n)); err != nil {
			t.Fatal(err)
		}
		want, _ := records(n).Distinct()
		figures, _ := ledger.Summarize(want)
		if f, err := l.RowsOf(testkit.Context(t), "t", 0, 0, n); err != nil || f != figures {
			t.Fatalf("rows %+v, want %+v, %v", f, figures, err)
		}
		rows, err := l.Usage(testkit.Context(t), ledger.Query{Account: "acc_3", From: ledger.MinTime, To: ledger.MaxTime})
		if err != nil || len(rows) != 1 || rows[0].Units != n/10 {
			t.Fatalf("usage %+v, %v", rows, err)
		}
	}
}

// Rows lost after their marker was written are noticed, and come back when the batch is appended
// again; so do rows whose ids the server has lost.
func TestServerRepairs(t *testing.T) {
	s := clickhousetest.Start(t)
	c := fresh(t, s.Address)
	l, b := mustOpen(t, c), records(300)
	mustAppend := func() {
		t.Helper()
		if err := l.Append(testkit.Context(t), b); err != nil {
			t.Fatal(err)
		}
	}
	mustAppend()
	before, err := l.RowsOf(testkit.Context(t), "t", 0, 0, 299)
	if err != nil || before.Entries != 300 {
		t.Fatal(before, err)
	}
	conn := connect(t, mustValid(c))
	for _, loss := range []string{"ALTER TABLE usage_ledger DROP PARTITION 202602", "TRUNCATE TABLE ledger_entry", "TRUNCATE TABLE usage_ledger"} {
		if err := conn.Exec(testkit.Context(t), loss); err != nil {
			t.Fatal(err)
		}
		mustAppend()
		if f, err := l.RowsOf(testkit.Context(t), "t", 0, 0, 299); err != nil || f != before {
			t.Errorf("%s: rows %+v, %v, want %+v", loss, f, err, before)
		}
		if copies := count(t, conn, "SELECT count() FROM usage_ledger"); copies != 300 {
			t.Errorf("%s: %d rows", loss, copies)
		}
	}
}

func mustValid(c Config) Config {
	c.Timeout = DefaultTimeout
	return c
}

func count(t *testing.T, conn driver.Conn, query string) (n uint64) {
	t.Helper()
	if err := conn.QueryRow(testkit.Context(t), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A retry inserts only what is missing: no row is there twice, and nothing depends on merges.
func TestServerInsertsOnlyTheMissing(t *testing.T) {
	s := clickhousetest.Start(t)
	c := fresh(t, s.Address)
	l := mustOpen(t, c)
	sends := 0
	l.conn = faultyConn{l.conn, func(step string) error {
		if sends++; sends == 4 { // after the second month
			return errors.New("lost")
		}
		return nil
	}}
	if err := l.Append(testkit.Context(t), records(300)); err == nil {
		t.Fatal("the append succeeded")
	}
	conn := connect(t, mustValid(c))
	if n := count(t, conn, "SELECT count() FROM usage_ledger"); n != 200 {
		t.Fatalf("%d rows after two months", n)
	}
	if err := mustOpen(t, c).Append(testkit.Context(t), records(300)); err != nil {
		t.Fatal(err)
	}
	if n := count(t, conn, "SELECT count() FROM usage_ledger"); n != 300 {
		t.Errorf("%d rows, want 300", n)
	}
}

// Copies of one entry with different content, which only simultaneous writers can leave, are an
// error of every read that meets them.
func TestServerTornEntry(t *testing.T) {
	s := clickhousetest.Start(t)
	c := fresh(t, s.Address)
	l := mustOpen(t, c)
	if err := l.Append(testkit.Context(t), records(30)); err != nil {
		t.Fatal(err)
	}
	other := records(30).Entries[13]
	other.Units = 7
	if err := l.insert(testkit.Context(t), "other", "usage_ledger", entryColumns, entryValues([]ledger.Hashed{{Entry: &other, Hash: other.Hash()}})); err != nil {
		t.Fatal(err)
	}
	q := ledger.Query{Account: other.Account, From: ledger.MinTime, To: ledger.MaxTime}
	_, usage := l.Usage(testkit.Context(t), q)
	_, entries := l.Entries(testkit.Context(t), ledger.EntryQuery{Account: q.Account, From: q.From, To: q.To, Limit: 10})
	_, rows := l.RowsOf(testkit.Context(t), "t", 0, 0, 29)
	for call, err := range map[string]error{"usage": usage, "entries": entries, "rows": rows} {
		if !errors.Is(err, ledger.ErrConflict) || !strings.Contains(err.Error(), other.ID) {
			t.Errorf("%s: %v, want ErrConflict", call, err)
		}
	}
	q.Account = "acc_4"
	if _, err := l.Usage(testkit.Context(t), q); err != nil {
		t.Errorf("another account: %v", err)
	}
}

// Tables of a newer version, and a database that is missing, are refused with what to do.
func TestServerRefuses(t *testing.T) {
	s := clickhousetest.Start(t)
	c := fresh(t, s.Address)
	l := mustOpen(t, c)
	mustOpen(t, c) // the migrations are applied once
	conn := connect(t, mustValid(c))
	if n := count(t, conn, "SELECT count() FROM ledger_schema"); n != 1 {
		t.Errorf("%d versions were applied", n)
	}
	wantErr := func(err error, word string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%v, want %q", err, word)
		}
	}
	if err := l.apply(testkit.Context(t), "SELECT 1", 2); err != nil {
		t.Fatal(err)
	}
	_, err := Open(testkit.Context(t), c)
	wantErr(err, "they have version 2, this program knows versions up to 1")
	wrong := c
	wrong.Database = "missing"
	_, err = Open(testkit.Context(t), wrong)
	wantErr(err, "create the database first")
	wrong = c
	wrong.User = "nobody"
	_, err = Open(testkit.Context(t), wrong)
	wantErr(err, "nobody")
	s.Kill()
	_, err = l.Next(testkit.Context(t), "t", 0)
	wantErr(err, s.Address)
}

// A server that hangs holds nobody up: the context ends each call, and once the server continues, so
// does the ledger.
func TestServerHangs(t *testing.T) {
	s := clickhousetest.Start(t)
	l := mustOpen(t, fresh(t, s.Address))
	s.Signal(t, syscall.SIGSTOP)
	ctx, cancel := context.WithTimeout(testkit.Context(t), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, next := l.Next(ctx, "t", 0)
	for call, err := range map[string]error{"next": next, "append": l.Append(ctx, records(10))} {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v, want the context's error", call, err)
		}
	}
	if took := time.Since(start); took > dialTimeout {
		t.Errorf("the calls took %s", took)
	}
	s.Signal(t, syscall.SIGCONT)
	if err := l.Append(testkit.Context(t), records(10)); err != nil {
		t.Fatal(err)
	}
	if f, err := l.RowsOf(testkit.Context(t), "t", 0, 0, 9); err != nil || f.Entries != 10 {
		t.Errorf("rows %+v, %v", f, err)
	}
}

// A ledger whose server is not there yet works from its first answer on.
func TestServerComesLate(t *testing.T) {
	s := clickhousetest.Start(t)
	config := fresh(t, s.Address)
	s.Kill()
	l, err := Connect(config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if err := l.Check(testkit.Context(t)); !errors.Is(err, ErrUnreachable) {
		t.Fatal(err)
	}
	if err := l.Ping(testkit.Context(t)); !errors.Is(err, ErrUnreachable) {
		t.Errorf("a server that is down: %v", err)
	}
	s.Restart(t)
	testkit.Eventually(t, "the server answers", func() bool { return l.Ping(testkit.Context(t)) == nil })
	if l.migrated.Load() {
		t.Error("a ping has made tables")
	}
	testkit.Eventually(t, "the ledger works", func() bool { return l.Append(testkit.Context(t), records(10)) == nil })
	if err := l.Check(testkit.Context(t)); err != nil {
		t.Error(err)
	}
	config.Database = "missing"
	missing, err := Connect(config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = missing.Close() }()
	if err := missing.Ping(testkit.Context(t)); err == nil || errors.Is(err, ErrUnreachable) {
		t.Errorf("a database that is missing: %v", err)
	}
	if err := missing.Check(testkit.Context(t)); err == nil || errors.Is(err, ErrUnreachable) {
		t.Errorf("a database that is missing: %v", err)
	}
}

// Nodes that start at the same time make the tables together.
func TestServerManyStarts(t *testing.T) {
	config := fresh(t, clickhousetest.Start(t).Address)
	var opening sync.WaitGroup
	for range 8 {
		opening.Go(func() {
			l, err := Open(testkit.Context(t), config)
			if err != nil {
				t.Error(err)
				return
			}
			_ = l.Close()
		})
	}
	opening.Wait()
}
