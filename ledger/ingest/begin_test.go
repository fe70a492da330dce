package ingest

import (
	"context"
	"testing"

	"platen.dev/events"
	"platen.dev/events/public"
	"platen.dev/events/testkit"
	"platen.dev/ledger"
)

// The ledger continues at its own offset, at the beginning of a topic that has lost its end, or after events trimmed before it has read them: it takes
// the rest of those from the journal, each entry once.
func TestBeginning(t *testing.T) {
	log, l := openLog(t), openLedger(t)
	w := newWriter(t, log)
	for range 6 {
		w.usageIn(0)
	}
	if err := log.Trim(testkit.Context(t), events.TopicEvents, 0, 4); err != nil {
		t.Fatal(err)
	}
	visits := 0
	b := Beginning{
		Ledger: l, Log: log, Logger: testkit.Silent(),
		Facts: func(_ context.Context, _ int32, visit func(public.Event) error) error {
			visits++
			for i, r := range w.records { // the journal lacks the first two
				e, err := public.Parse(r)
				if err != nil {
					return err
				}
				var data public.UsageDebited
				if _, err := e.Decode(&data); err != nil {
					return err
				}
				if i < 2 {
					continue
				}
				e.Position.Offset = int64(10 + i)
				if err := visit(public.Event{Position: e.Position, Sequence: e.Sequence, Account: e.Account, At: events.At(e.At), Subject: e.Subject, Data: data}); err != nil {
					return err
				}
			}
			return nil
		},
	}
	next, err := b.Next(t.Context(), events.TopicEvents, 0)
	if err != nil || next != 4 || visits != 1 {
		t.Fatalf("it begins at %d after %d visits: %v", next, visits, err)
	}
	held, err := l.Held(t.Context(), entriesOf(t, w))
	if err != nil || len(held) != 4 {
		t.Errorf("%d entries came from the journal: %v", len(held), err)
	}
	if next, err := b.Next(t.Context(), events.TopicEvents, 0); err != nil || next != 4 || visits != 1 {
		t.Errorf("the second time it begins at %d after %d visits: %v", next, visits, err)
	}
	if err := l.Append(t.Context(), ledger.Batch{Topic: events.TopicEvents, Partition: 0, Lo: 4, Hi: 20}); err != nil {
		t.Fatal(err)
	}
	if next, err := b.Next(t.Context(), events.TopicEvents, 0); err != nil || next != 4 {
		t.Errorf("behind the end it begins at %d: %v", next, err)
	}
}

func entriesOf(t *testing.T, w *writer) (all []ledger.Entry) {
	t.Helper()
	for _, e := range w.want {
		all = append(all, e)
	}
	return all
}

// facts returns a journal that has debits with these ids, in order; "" is an id that no entry can have.
func facts(ids ...events.EntryID) func(context.Context, int32, func(public.Event) error) error {
	return func(_ context.Context, p int32, visit func(public.Event) error) error {
		for i, id := range ids {
			data := public.UsageDebited{Account: "acc_a", Entry: id, Job: "x", Window: window, Usage: public.Usage{Units: 1}}
			at := public.Position{Partition: p, Offset: int64(i)}
			if err := visit(public.Event{Position: at, Sequence: int64(i + 1), Account: "acc_a", At: events.At(noon), Subject: "x", Data: data}); err != nil {
				return err
			}
		}
		return nil
	}
}

// What the journal says and the ledger can never hold is left out, as it is when it comes from the topic: the rest is taken, and the ledger continues.
func TestBeginningLeavesOutPoison(t *testing.T) {
	log, l := openLog(t), openLedger(t)
	w := newWriter(t, log)
	for range 2 {
		w.usageIn(0)
	}
	if err := log.Trim(testkit.Context(t), events.TopicEvents, 0, 1); err != nil {
		t.Fatal(err)
	}
	held := ledger.Entry{
		ID: "taken", Account: "acc_a", Job: "x", Kind: ledger.Debit, Occurred: noon, Window: noon, Units: 9, Source: ledger.Source{Topic: "other"},
	}
	if err := l.Append(t.Context(), ledger.Batch{Topic: "other", Entries: []ledger.Entry{held}}); err != nil {
		t.Fatal(err)
	}
	b := Beginning{Ledger: l, Log: log, Logger: testkit.Silent(), Facts: facts("first", "", "taken", "last")}
	if next, err := b.Next(t.Context(), events.TopicEvents, 0); err != nil || next != 1 {
		t.Errorf("it begins at %d: %v", next, err)
	}
	page, err := l.Entries(t.Context(), ledger.EntryQuery{Account: "acc_a", From: ledger.MinTime, To: ledger.MaxTime, Limit: 10})
	if err != nil || len(page.Entries) != 3 || page.Entries[0].ID != "first" || page.Entries[1].ID != "last" || page.Entries[2].Units != 9 {
		t.Errorf("the ledger holds %+v, %v", page.Entries, err)
	}
}

// A partition that somebody has added to the topic has no usage, and keeps nobody from reading the others.
func TestBeginningInAddedPartition(t *testing.T) {
	b := Beginning{Ledger: openLedger(t), Log: openLog(t), Logger: testkit.Silent()}
	if next, err := b.Next(t.Context(), events.TopicEvents, partitions); err != nil || next != 0 {
		t.Errorf("it begins at %d: %v", next, err)
	}
}

// A record that has taken the place of a lost one, alone in a range that the ledger has appended, is left out, and the ledger continues.
func TestReplacedRecordIsLeftOut(t *testing.T) {
	l := openLedger(t)
	batch := func(id string) ledger.Batch {
		at := ledger.Source{Topic: events.TopicEvents, Offset: 0}
		e := ledger.Entry{ID: id, Account: "acc_a", Job: "x", Kind: ledger.Debit, Occurred: noon, Window: noon, Units: 1, Source: at}
		return ledger.Batch{Topic: at.Topic, Entries: []ledger.Entry{e}}
	}
	if err := l.Append(t.Context(), batch("lost")); err != nil {
		t.Fatal(err)
	}
	left := 0
	err := appendSound(t.Context(), l, batch("in its place"), func(int64, error) error { left++; return nil })
	if err != nil || left != 1 {
		t.Errorf("%d records are left out: %v", left, err)
	}
}
