package main

import (
	"encoding/json"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/logtest"
	"platen.dev/events/public"
	"platen.dev/events/testkit"
	"platen.dev/projections"
	"platen.dev/projections/publish"
)

// charges are an account's charges in one quota window.
type charges struct{ units, bytes int64 }

type windowOf struct {
	account events.AccountID
	start   public.Time
}

type books map[windowOf]charges

func (b books) add(w windowOf, u public.Usage) {
	b[w] = charges{b[w].units + u.Units, b[w].bytes + u.Bytes}
}

// auditEvents checks the public events against the journal: each fact is there, in order, whatever
// happened to the nodes that published it; repetitions are identical. It publishes the missing
// ones, as the next owner would, and returns the charges in the events.
func auditEvents(t *testing.T, l eventlog.Log) books {
	t.Helper()
	facts := factsOf(t, l)
	p := publish.New(publish.Config{Log: l, Logger: testkit.Silent(), Pause: 100 * time.Millisecond})
	defer p.Close()
	all := books{}
	for partition := range l.Partitions() {
		want := facts[partition]
		if len(want) == 0 {
			continue
		}
		p.Start(partition)
		var published []public.Received
		testkit.Eventually(t, "everything is published", func() bool {
			published = firstOfEach(t, l, partition)
			return len(published) >= len(want)
		})
		for i, e := range published {
			if i >= len(want) || e.Position != want[i].Position || e.Sequence != want[i].Sequence {
				t.Fatalf("partition %d: number %d of the events is %s with the number %d", partition, i+1, e.Position, e.Sequence)
			}
			switch d := want[i].Data.(type) {
			case public.UsageDebited:
				all.add(windowOf{d.Account, d.Window}, d.Usage)
			case public.UsageAdjusted:
				all.add(windowOf{d.Account, d.Window}, d.Usage)
			}
		}
	}
	return all
}

// factsOf returns the facts of each partition that must be published.
func factsOf(t *testing.T, l eventlog.Log) map[int32][]public.Event {
	t.Helper()
	all := map[int32][]public.Event{}
	for p := range l.Partitions() {
		cursor, number := projections.Origin(), int64(0)
		logtest.Each(t, l, events.TopicJournal, p, func(r eventlog.Record) {
			entry, err := events.DecodeEntry(r.Value)
			if err != nil {
				t.Fatal(err)
			}
			before := cursor
			accepted := cursor.Step(r.Offset, entry)
			var facts []public.Event
			switch e := entry.(type) {
			case events.Marker:
				if cursor.Number != before.Number { // it begins a timeline other than the first
					facts = []public.Event{public.Begun(p, r.Offset, e, before.Timeline, number)}
					number = cursor.Number - 1
				}
			case events.Envelope:
				if accepted {
					facts = public.Of(cursor.Timeline, p, r.Offset, e)
				}
			}
			for _, fact := range facts {
				number++
				fact.Sequence = number
				all[p] = append(all[p], fact)
			}
		})
	}
	return all
}

// firstOfEach returns the events of a partition without repetitions, each where it came first.
func firstOfEach(t *testing.T, l eventlog.Log, partition int32) (all []public.Received) {
	t.Helper()
	seen := map[public.Position]string{}
	logtest.Each(t, l, events.TopicEvents, partition, func(r eventlog.Record) {
		e, err := public.Parse(r)
		if err != nil {
			t.Fatalf("partition %d at offset %d: %v", partition, r.Offset, err)
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		before, repeated := seen[e.Position]
		if repeated && before != string(text) {
			t.Fatalf("%s is repeated as another:\n%s\n%s", e.Position, before, text)
		}
		if !repeated {
			seen[e.Position] = string(text)
			all = append(all, e)
		}
	})
	return all
}
