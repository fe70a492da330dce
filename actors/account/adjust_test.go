package account

import (
	"strings"
	"testing"

	"platen.dev/events"
)

// Corrections at their limits are booked; those beyond are refused with a reason.
func TestCheckAdjustment(t *testing.T) {
	for _, c := range []struct {
		change func(*events.Adjustment)
		want   string // "" if it is valid
	}{
		{func(*events.Adjustment) {}, ""},
		{func(a *events.Adjustment) { a.Units = maxAdjustedUnits }, ""},
		{func(a *events.Adjustment) { a.Units = -maxAdjustedUnits - 1 }, "more than 1000000 units"},
		{func(a *events.Adjustment) { a.Units, a.Bytes = 0, -maxAdjustedBytes }, ""},
		{func(a *events.Adjustment) { a.Bytes = maxAdjustedBytes + 1 }, "bytes"},
		{func(a *events.Adjustment) { a.Units = 0 }, "neither units nor bytes"},
		{func(a *events.Adjustment) { a.Kind, a.Units = events.Credit, -1 }, ""},
		{func(a *events.Adjustment) { a.Kind = events.Credit }, "gives something back"},
		{func(a *events.Adjustment) { a.Kind, a.Units, a.Bytes = events.Credit, -1, 1 }, "gives something back"},
		{func(a *events.Adjustment) { a.Kind = "gift" }, `"gift" is not a kind of correction`},
		{func(a *events.Adjustment) { a.Reason = " " }, "reason"},
		{func(a *events.Adjustment) { a.Reason = strings.Repeat("ü", events.MaxReason) }, ""},
		{func(a *events.Adjustment) { a.Reason = strings.Repeat("ü", events.MaxReason+1) }, "reason"},
		{func(a *events.Adjustment) { a.Reason = "two\nlines" }, "reason"},
		{func(a *events.Adjustment) { a.Reason = "\xff" }, "reason"},
		{func(a *events.Adjustment) { a.Entry = "" }, "an entry is"},
		{func(a *events.Adjustment) { a.Ref = events.DebitOf(events.NewJobID()) }, ""},
		{func(a *events.Adjustment) { a.Ref = events.EntryID("adj_" + strings.Repeat("a", maxEntryID-4)) }, ""},
		{func(a *events.Adjustment) { a.Ref = events.EntryID("adj_" + strings.Repeat("a", maxEntryID-3)) }, "an entry is"},
		{func(a *events.Adjustment) { a.Ref = events.DebitOf(events.JobID{1}) }, ""},
		{func(a *events.Adjustment) { a.Ref = "an-entry" }, "an entry is"},
		{func(a *events.Adjustment) { a.Ref = "0199ABCD-0000-7000-8000-000000000000/debit" }, "an entry is"},
		{func(a *events.Adjustment) { a.Ref = events.EntryID(events.JobID{1}.String()) }, "an entry is"},
		{func(a *events.Adjustment) { a.Ref = "nope/debit" }, "an entry is"},
		{func(a *events.Adjustment) { a.Ref = "a b" }, "an entry is"},
	} {
		a := events.Adjustment{Entry: events.NewEntryID(), Kind: events.Correction, Units: 1, Reason: "a page was empty"}
		c.change(&a)
		err := CheckAdjustment(a)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", a, err, c.want)
		}
	}
}
