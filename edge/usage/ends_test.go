package usage

import (
	"testing"
	"time"

	"platen.dev/ledger"
)

// An answer has many rows, if it is divided by a tag that each job has its own of. Their ends take no longer for that.
func TestEndsOfManyGroups(t *testing.T) {
	first, second, asked := time.Date(2026, 1, 2, 8, 0, 0, 0, time.UTC), time.Date(2026, 1, 20, 8, 0, 0, 0, time.UTC), 0
	l := Live{Window: second, End: func(at time.Time) time.Time { asked++; return at.AddDate(0, 1, 0) }}
	rows := make([]ledger.Row, ledger.MaxRows)
	for i := range rows {
		if rows[i].Start = first; i >= len(rows)/2 {
			rows[i].Start = second
		}
	}
	l.setEnds(rows)
	if got, last := rows[0].End, rows[len(rows)-1].End; !got.Equal(second) || !last.Equal(second.AddDate(0, 1, 0)) || asked != 2 {
		t.Errorf("the first ends at %s, the last at %s, after %d questions", got, last, asked)
	}
}
