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
