package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/public"
	"platen.dev/events/testkit"
)

// windowsShown are the quota windows of an account, as GET /usage/windows shows them.
type windowsShown struct {
	Windows []struct {
		Start, End time.Time
		Status     string
		Units      int64 `json:"render_units"`
	}
}

func (n *inProcessNode) windows(t *testing.T) (w windowsShown) {
	t.Helper()
	status, body, err := n.client.do("GET", "http://"+n.Address()+"/usage/windows", nil)
	if err != nil || status != 200 {
		t.Fatalf("windows: %d %s %v", status, body, err)
	}
	if err := json.Unmarshal(body, &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// A quota window closes when the next one has begun and everything in it is in the ledger. A
// correction of a closed window is booked in the open one.
func TestQuotaWindowCloses(t *testing.T) {
	n := startInProcessNode(t)
	finish := func() events.JobID {
		id := n.submit(t, map[string]any{"html": "<p>x</p>"})
		awaitFile(t, n.client, "http://"+n.Address(), id)
		return id
	}
	first := finish()
	testkit.Eventually(t, "the open window is in the ledger", func() bool {
		w := n.windows(t).Windows
		return len(w) == 1 && w[0].Status == "open" && w[0].Units == 1
	})
	n.ahead.Store(int64(32 * 24 * time.Hour))
	finish()
	var w windowsShown
	testkit.Eventually(t, "the first window is closed", func() bool {
		w = n.windows(t)
		return len(w.Windows) == 2 && w.Windows[0].Status == "closed" && w.Windows[1].Status == "open"
	})
	before := n.window(t, w.Windows[0].Start)
	if before.Fingerprint.Preliminary || before.Units != 1 || !w.Windows[0].End.Equal(w.Windows[1].Start) {
		t.Errorf("%+v; %+v", w, before)
	}
	n.machine.admin(t, "account", "credit", "acc_dev_business", "--units", "1", "--reason", "a test", "--ref", string(events.DebitOf(first)))
	testkit.Eventually(t, "the correction is in the ledger", func() bool { return n.windows(t).Windows[1].Units == 0 })
	if after := n.window(t, w.Windows[0].Start); after != before {
		t.Errorf("the closed window has changed: %+v, was %+v", after, before)
	}
	if told := n.machine.admin(t, "ledger", "reconcile", "--check"); !strings.HasPrefix(told, "equal: partitions 4, accounts 1, entries 3, render units 1, ") {
		t.Error(told)
	}
}

type windowShown struct {
	Units       int64 `json:"render_units"`
	Fingerprint struct {
		SHA256      string
		Preliminary bool
	}
}

func (n *inProcessNode) window(t *testing.T, start time.Time) (w windowShown) {
	t.Helper()
	status, body, err := n.client.do("GET", "http://"+n.Address()+"/usage/windows/"+start.Format(time.RFC3339), nil)
	if err != nil || status != 200 {
		t.Fatalf("window: %d %s %v", status, body, err)
	}
	if err := json.Unmarshal(body, &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// What the ledger lacks is found and appended; poison is listed with its reason, and appended once
// that is possible.
func TestLedgerCommands(t *testing.T) {
	testkit.Long(t)
	n := startInProcessNode(t)
	for range 3 {
		awaitFile(t, n.client, "http://"+n.Address(), n.submit(t, map[string]any{"html": "<p>x</p>"}))
	}
	testkit.Eventually(t, "the ledger has all jobs", func() bool {
		return strings.HasPrefix(n.machine.admin(t, "ledger", "reconcile"), "equal: partitions 4, accounts 1, entries 3,")
	})
	if told := n.machine.admin(t, "ledger", "poison", "list"); told != "the ledger has left nothing out\n" {
		t.Error(told)
	}
	partition := events.Partition("acc_dev_business", n.cfg.Partitions)
	foreign := n.append(t, events.TopicEvents, partition, eventlog.Record{Key: []byte("x"), Value: []byte("\x1b[31mforeign")})
	job := n.lose(t, "min")
	n.append(t, events.TopicPoison, partition, eventlog.Record{Key: []byte("acc_dev_business"), Headers: []eventlog.Header{
		{Key: "reason_poisoned", Value: "an older version"}, {Key: "source_topic", Value: events.TopicEvents}, {Key: "source_offset", Value: strconv.FormatInt(job, 10)},
	}})
	usage := n.append(t, events.TopicEvents, partition, n.unknown(t)) // makes the ledger come to the foreign one
	testkit.Eventually(t, "poison is listed", func() bool {
		return strings.Contains(n.machine.admin(t, "ledger", "poison", "list"), fmt.Sprintf("%d/%d", partition, usage))
	})
	list := n.machine.admin(t, "ledger", "poison", "list")
	for _, want := range []string{fmt.Sprintf("%d/%d ", partition, foreign), "ce_specversion", fmt.Sprintf("%d/%d ", partition, job), "an older version", "platen.usage.debited.v1"} {
		if !strings.Contains(list, want) {
			t.Errorf("no %q in\n%s", want, list)
		}
	}
	told := n.machine.admin(t, "ledger", "poison", "retry", fmt.Sprintf("%d/%d", partition, job))
	if told != fmt.Sprintf("%d/%d: in the ledger\n", partition, job) {
		t.Error(told)
	}
	n.fails(t, fmt.Sprintf("%d/%d: ", partition, foreign), "2 of 2 records are still not in the ledger", "ledger", "poison", "retry")
	n.fails(t, "", "is not a RECORD", "ledger", "poison", "retry", "0/0")
	if told := n.machine.admin(t, "ledger", "reconcile", "--check"); !strings.HasPrefix(told, "equal: partitions 4, accounts 1, entries 3,") || !strings.Contains(told, "left out: 2 records") {
		t.Error(told)
	}
	if told := n.machine.admin(t, "ledger", "poison", "drop"); told != "1 records are listed no longer, and 1 are left\n" {
		t.Errorf("drop: %q", told)
	}
	if left := n.machine.admin(t, "ledger", "poison", "list"); !strings.Contains(left, fmt.Sprintf("%d/%d ", partition, usage)) || strings.Contains(left, "ce_specversion") {
		t.Errorf("after the drop, usage that a later version may know is listed, and nothing else: %q", left)
	}
	n.lose(t, "max")
	where := fmt.Sprintf("partition %d, offsets", partition)
	n.fails(t, where, "ledger and log are not equal", "ledger", "reconcile", "--check", "--account", "acc_dev_business")
	if told := n.machine.admin(t, "ledger", "reconcile", "--from", "2026-01-01", "--to", "2099-01-01T00:00:00Z"); !strings.Contains(told, "repaired") || !strings.Contains(told, "\nequal: ") {
		t.Error(told)
	}
	n.fails(t, "", "no account acc_typo;", "ledger", "reconcile", "--check", "--account", "acc_typo")
	n.fails(t, "", "--from yesterday: give a time", "ledger", "reconcile", "--from", "yesterday")
}

// fails runs an admin command that must fail.
func (n *inProcessNode) fails(t *testing.T, out, wrong string, args ...string) {
	t.Helper()
	var told, errs strings.Builder
	err := run(append(append([]string{"admin"}, args...), "--data", n.cfg.Data), &told, &errs)
	if err == nil || !strings.Contains(err.Error(), wrong) || !strings.Contains(told.String(), out) {
		t.Errorf("%q: %v\n%s, want %q and %q", args, err, &told, wrong, out)
	}
}

// lose deletes the entry with the smallest or the largest offset behind the ledger's back, and returns
// the offset.
func (n *inProcessNode) lose(t *testing.T, which string) (offset int64) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(n.cfg.Data, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("DELETE FROM usage_ledger WHERE src_offset = (SELECT " + which + "(src_offset) FROM usage_ledger) RETURNING src_offset").Scan(&offset); err != nil {
		t.Fatal(err)
	}
	return offset
}

func (n *inProcessNode) append(t *testing.T, topic string, partition int32, r eventlog.Record) int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	offset, err := eventlog.AppendWait(ctx, n.Log(), topic, partition, r)
	if err != nil {
		t.Fatal(err)
	}
	return offset
}

// unknown is usage that this version refuses.
func (n *inProcessNode) unknown(t *testing.T) eventlog.Record {
	t.Helper()
	r, err := public.Event{Sequence: 1, Account: "acc_dev_business", At: events.At(time.Now()), Subject: "x", Data: public.UsageDebited{Account: "acc_dev_business"}}.Record()
	if err != nil {
		t.Fatal(err)
	}
	return r
}
