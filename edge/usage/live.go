package usage

import (
	"slices"
	"time"

	"platen.dev/events"
	"platen.dev/ledger"
)

// Live is the part of an account's state that decides which quota windows may still change. Read its fields in their
// order: a job that ends meanwhile then counts as unfinished or is missed in the ledger, and no window counts as closed
// too early.
type Live struct {
	// Window is the start of the window that was opened last, and Charged what was charged in it.
	Window  time.Time
	Charged Charged
	// Unfinished are the windows to which jobs that have not ended will be charged.
	Unfinished []time.Time
	// All is the total charged in all windows.
	All Charged
	// End returns the end of the window that began at start.
	End func(start time.Time) time.Time
}

// Charged is an amount charged.
type Charged struct{ Units, Bytes int64 }

func (c Charged) plus(f Figures) Charged { return Charged{c.Units + f.Units, c.Bytes + f.Bytes} }

// Status says whether a window may still change.
type Status string

// The statuses.
const (
	Open   Status = "open"
	Closed Status = "closed"
)

// grace is how far the clocks of nodes may differ. For that long after its end, the newest window may still get a job.
const grace = time.Hour

// WindowRow is a quota window with its figures in the ledger.
type WindowRow struct {
	Start  string `json:"start"`
	End    string `json:"end"`
	Status Status `json:"status"`
	Figures
}

// statuses returns the status of each window, which rows of the ledger stand for. A window is closed
// if nothing more can be charged in it, and the ledger has all that was.
//
// Jobs of a window can be charged after its end, and a job has no maximum life: while rendering is suspended it waits.
// So the window is open as long as one of its jobs has not ended. Corrections count in the newest window. Missing
// entries show in the sums: if none are missing, the sums of all earlier windows equal the account's charges outside
// the newest window.
func (l Live) statuses(rows []ledger.Row, now time.Time) []Status {
	last, before := l.inLedger(rows)
	all := Charged{last.Units + before.Units, last.Bytes + before.Bytes} == l.All
	hasBefore := all || before == Charged{l.All.Units - l.Charged.Units, l.All.Bytes - l.Charged.Bytes}
	hasLast := all || last == l.Charged
	statuses := make([]Status, len(rows))
	for i, row := range rows {
		statuses[i] = Open
		switch {
		case slices.ContainsFunc(l.Unfinished, row.Start.Equal):
		case row.Start.Before(l.Window) && hasBefore,
			row.Start.Equal(l.Window) && hasLast && !now.Before(l.End(l.Window).Add(grace)):
			statuses[i] = Closed
		}
	}
	return statuses
}

// inLedger sums up the window that was opened last, and all others.
func (l Live) inLedger(rows []ledger.Row) (last, others Charged) {
	for _, row := range rows {
		f := Figures{Units: row.Units, Bytes: row.Bytes}
		if row.Start.Equal(l.Window) {
			last = last.plus(f)
		} else {
			others = others.plus(f)
		}
	}
	return last, others
}

// setEnds sets the ends of windows, which the ledger does not know. A window has a row for each group.
func (l Live) setEnds(rows []ledger.Row) {
	var end, next time.Time
	for i, row := range slices.Backward(rows) {
		if !next.Equal(row.Start) { // next is the start of the row after this one
			end, next = l.endOf(row.Start, next), row.Start
		}
		rows[i].End = end.In(row.Start.Location())
	}
}

// endOf returns the end of a window. It ends where the next one begins at the latest: the account's anchor may have been moved.
func (l Live) endOf(start, next time.Time) time.Time {
	end := l.End(start)
	for _, other := range []time.Time{l.Window, next} {
		if other.After(start) && other.Before(end) {
			end = other
		}
	}
	return end
}

// setEnds sets the ends of an account's windows.
func (s *Service) setEnds(account events.AccountID, rows []ledger.Row) error {
	live, err := s.live(account)
	if err == nil {
		live.setEnds(rows)
	}
	return err
}
