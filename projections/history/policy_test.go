package history

import (
	"testing"
	"time"

	"platen.dev/projections/snapshot"
)

// A snapshot is due after a number of records or a time, a quarter more or less, and never without
// a new record.
func TestDue(t *testing.T) {
	p := Policy{Records: 1000, Every: 24 * time.Hour}
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for partition := range int32(64) {
		for _, tc := range []struct {
			records, rows int64
			age           time.Duration
			want          bool
		}{
			{0, 0, 1000 * time.Hour, false},
			{749, 0, 17 * time.Hour, false},
			{1250, 0, 0, true},
			{1, 0, 30 * time.Hour, true},
			{1250, 8000, 0, false}, // a quarter of 8,000 is 2,000
			{2500, 8000, 0, true},
			{1, 8000, 30 * time.Hour, true},
		} {
			last := Last{Next: 5000, Rows: tc.rows, Taken: now.Add(-tc.age)}
			if got := p.Due(partition, last, last.Next+tc.records, now); got != tc.want {
				t.Errorf("partition %d, %+v: due %t", partition, tc, got)
			}
		}
	}
}

// Partitions that have had their last snapshot at the same time take turns.
func TestSpread(t *testing.T) {
	least, most := 2.0, 0.0
	for partition := range int32(256) {
		s := spread(partition, 12345)
		least, most = min(least, s), max(most, s)
		if s < 0.75 || s >= 1.25 || s != spread(partition, 12345) {
			t.Errorf("partition %d: %f", partition, s)
		}
	}
	if least > 0.77 || most < 1.23 {
		t.Errorf("from %f to %f: that is no spread", least, most)
	}
}

// The newest are kept, and only the journal before the oldest of them is trimmed, unless somebody
// needs it.
func TestKeepAndTrim(t *testing.T) {
	p := Policy{Keep: 2}
	refs := []snapshot.Ref{{Next: 400}, {Next: 300}, {Next: 200}}
	for n, want := range []int64{0, 0, 299, 299} {
		if got := p.TrimBefore(refs[:n]); got != want {
			t.Errorf("with %d snapshots: trimmed before %d, want %d", n, got, want)
		}
		if got := len(p.Superfluous(refs[:n], refs[:n])); got != max(0, n-2) {
			t.Errorf("with %d snapshots: %d need not be kept", n, got)
		}
	}
	if got := p.Superfluous(refs, []snapshot.Ref{refs[0], refs[2]}); got == nil || len(got) != 0 {
		t.Errorf("beside one that is not sound, %v need not be kept", got)
	}
	for needed, want := range map[int64]int64{0: 0, 298: 298, 299: 299, 300: 299} {
		if got := p.TrimBefore(refs, 1000, needed); got != want {
			t.Errorf("offset %d is needed: trimmed before %d, want %d", needed, got, want)
		}
	}
	if got := p.TrimBefore([]snapshot.Ref{{Next: 1}, {Next: 0}}); got != 0 {
		t.Errorf("trimmed before %d", got)
	}
}
