package ledgertest

import (
	"testing"

	"platen.dev/events/testkit"
	"platen.dev/ledger"
)

var markerCases = []testCase{
	{"markers from an offset on", markersFrom},
	{"the most markers of an answer", manyMarkers},
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
