package ledgertest

import (
	"testing"

	"platen.dev/events/testkit"
	"platen.dev/ledger"
)

var markerCases = []testCase{
	{"markers from an offset on", markersFrom},
	{"the most markers of an answer", manyMarkers},
	{"a topic that has another id begins at 0, and its entries count once", anotherID},
}

// anotherID appends the entries of a topic, and then those of its re-creation: the same entries at other offsets, and a new one.
func anotherID(t *testing.T, s Storage) {
	under, ctx := s.Open(t), testkit.Context(t)
	id := "first"
	l := ledger.WithTopicIDs(under, func(string) string { return id })
	before := batchAt(0, debits(0, 3)...)
	mustAppend(t, l, before)
	wantSame(t, rowsOf(t, l, 0, 2), figuresOf(t, before.Entries...))
	id = "second"
	if next, err := l.Next(ctx, topic, partition); err != nil || next != 0 {
		t.Fatalf("next is %d: %v", next, err)
	}
	after := batchAt(0, append(debits(1, 2), debits(7, 1)...)...)
	mustAppend(t, l, after)
	wantSame(t, rowsOf(t, l, 0, 2), figuresOf(t, debits(7, 1)...)) // the others are the former topic's
	if next, err := l.Next(ctx, topic, partition); err != nil || next != 3 {
		t.Fatalf("next is %d: %v", next, err)
	}
	changed := debits(0, 1)[0]
	changed.Units++
	held, err := l.Held(ctx, append([]ledger.Entry{changed, debits(9, 1)[0]}, after.Entries...))
	if err != nil || len(held) != 3 {
		t.Fatalf("held: %+v, %v", held, err)
	}
	for _, e := range held {
		want := topic
		if e.ID != after.Entries[2].ID {
			want += "@first"
		}
		if e.Source.Topic != want {
			t.Errorf("%s is of %s, want %s", e.ID, e.Source.Topic, want)
		}
	}
	topics, err := l.Topics(ctx)
	if err != nil || len(topics) != 2 || topics[0] != topic+"@first" || topics[1] != topic+"@second" {
		t.Errorf("topics %q, %v", topics, err)
	}
	id = ""
	if next, err := l.Next(ctx, topic, partition); err != nil || next != 0 {
		t.Errorf("next of a topic without an id is %d: %v", next, err)
	}
}

func markersFrom(t *testing.T, s Storage) {
	l := s.Open(t)
	var want []ledger.Marker
	for i := range int64(4) {
		b := batchAt(i*3, debits(int(i)*3, 3)...)
		mustAppend(t, l, b)
		want = append(want, ledger.Marker{Lo: b.Lo, Hi: b.Hi, Figures: figuresOf(t, b.Entries...)})
	}
	for from, first := range map[int64]int{-1: 0, 0: 0, 2: 0, 3: 1, 5: 1, 6: 2, 11: 3, 12: 4} {
		got, err := l.Markers(testkit.Context(t), topic, partition, from)
		if err != nil || len(got) != 4-first {
			t.Fatalf("markers from %d: %v, %v", from, got, err)
		}
		for i, m := range got {
			wantSame(t, m, want[first+i])
		}
	}
	for _, m := range want {
		wantSame(t, rowsOf(t, l, m.Lo, m.Hi), m.Figures)
	}
	wantSame(t, rowsOf(t, l, 2, 3), figuresOf(t, debits(2, 2)...))
	wantSame(t, rowsOf(t, l, 12, 100), ledger.Figures{})
}

func manyMarkers(t *testing.T, s Storage) {
	if testing.Short() {
		t.Skip("1,001 appends take a while")
	}
	l := s.Open(t)
	for i := range int64(ledger.MaxMarkers) + 1 {
		mustAppend(t, l, ledger.Batch{Topic: topic, Partition: partition, Lo: i, Hi: i})
	}
	for from, want := range map[int64]int{0: ledger.MaxMarkers, 1: ledger.MaxMarkers, 2: ledger.MaxMarkers - 1} {
		got, err := l.Markers(testkit.Context(t), topic, partition, from)
		if err != nil || len(got) != want || got[0].Lo != from {
			t.Fatalf("markers from %d: %d, %v, want %d", from, len(got), err, want)
		}
	}
}
