package main

import (
	"path/filepath"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/bus"
	"platen.dev/events/eventlog"
	"platen.dev/events/public"
	"platen.dev/events/testkit"
	"platen.dev/ledger"
	"platen.dev/ledger/embedded"
	"platen.dev/ledger/ingest"
	"platen.dev/ledger/reconcile"
)

// checkLedger checks a machine's ledger, whatever happened to its nodes, against the charges in the
// public events.
func (m *machine) checkLedger(t *testing.T, l eventlog.Log, charged books) {
	t.Helper()
	kept, err := embedded.Open(t.Context(), filepath.Join(m.data, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = kept.Close() }()
	auditLedger(t, l, kept, charged)
}

// auditLedger fills a ledger to the end of the log, as the next start of a node would. It checks by
// the reconciler that the ledger then equals the log, and that its charges are those of the public
// events, to the unit and the byte.
func auditLedger(t *testing.T, l eventlog.Log, kept ledger.Ledger, charged books) {
	t.Helper()
	running, err := ingest.Start(ingest.Config{
		Ledger: kept, Log: l, Logger: testkit.Silent(), Wait: time.Millisecond, BatchesPerSecond: 10_000,
		Events: bus.NewLogSubscriber(bus.LogConfig{Log: l, Start: kept.Next}), Poison: bus.NewLogPublisher(l),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := running.Close(); err != nil {
			t.Error(err)
		}
	}()
	config := reconcile.Config{Ledger: kept, Log: l, Topic: events.TopicEvents}
	for p := range l.Partitions() {
		var report reconcile.Report
		testkit.Dwindles(t, "the ledger gets everything", func() int64 {
			if report, err = reconcile.Partition(testkit.Context(t), config, p); err != nil {
				t.Fatal(err)
			}
			return report.Behind
		})
		if !report.Equal() || report.Log != report.Ledger {
			t.Errorf("partition %d: %+v", p, report)
		}
	}
	if poison := running.Figures().Poisoned; poison > 0 {
		t.Errorf("%d records were poison", poison)
	}
	for account, want := range byAccount(charged) {
		checkCharged(t, kept, account, want)
	}
}

func byAccount(charged books) map[events.AccountID]books {
	all := map[events.AccountID]books{}
	for w, c := range charged {
		if all[w.account] == nil {
			all[w.account] = books{}
		}
		all[w.account][w] = c
	}
	return all
}

// checkCharged compares an account's charges, window by window.
func checkCharged(t *testing.T, kept ledger.Ledger, account events.AccountID, want books) {
	t.Helper()
	rows, err := kept.Usage(testkit.Context(t), ledger.Query{Account: string(account), From: ledger.MinTime, To: ledger.MaxTime, Bucket: ledger.Window})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(want) {
		t.Errorf("account %s: %d windows in the ledger, want %d", account, len(rows), len(want))
	}
	for w, charged := range want {
		start, err := public.Time(w.start).Parse()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if got := (charges{row.Units, row.Bytes}); row.Start.Equal(start.Truncate(time.Second)) && got != charged {
				t.Errorf("account %s, window %s: the ledger charges %+v, the public events %+v", account, w.start, got, charged)
			}
		}
	}
}
