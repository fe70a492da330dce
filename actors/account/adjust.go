package account

import (
	"errors"
	"fmt"
	"strings"

	"platen.dev/events"
)

// Bounds of one correction: more than any account uses, and too small to overflow.
const (
	maxAdjustedUnits = 1_000_000
	maxAdjustedBytes = 1 << 50
	maxEntryID       = 64
)

// adjust books a correction in the quota window that is open now, even if the charge it corrects
// fell in an earlier one, which may have been invoiced.
func adjust(s State, a events.Adjustment, now events.Instant) ([]events.Event, events.Reply) {
	if CheckAdjustment(a) != nil {
		return refuse(events.OutOfRange)
	}
	use := UsageAt(s, now, LimitsOf)
	adjusted := events.UsageAdjusted{Adjustment: a, Window: use.WindowStart}
	return append(opened(s, use), adjusted), accepted
}

// CheckAdjustment returns what is wrong with a correction, for the operator.
func CheckAdjustment(a events.Adjustment) error {
	within := func(n, limit int64) bool { return -limit <= n && n <= limit }
	switch {
	case a.Kind != events.Credit && a.Kind != events.Correction:
		return fmt.Errorf("%q is not a kind of correction", a.Kind)
	case a.Units == 0 && a.Bytes == 0:
		return errors.New("it changes neither units nor bytes")
	case !within(a.Units, maxAdjustedUnits) || !within(a.Bytes, maxAdjustedBytes):
		return fmt.Errorf("it changes more than %d units or %d bytes", maxAdjustedUnits, int64(maxAdjustedBytes))
	case a.Kind == events.Credit && (a.Units > 0 || a.Bytes > 0):
		return errors.New("a credit gives something back; to charge more, adjust")
	case !events.ValidReason(a.Reason):
		return fmt.Errorf("it needs a reason of up to %d characters, on one line", events.MaxReason)
	case a.Entry == "" || !validEntry(a.Entry) || a.Ref != "" && !namesEntry(a.Ref):
		return errors.New("an entry is a job's id followed by /debit, or the id of a correction")
	}
	return nil
}

// namesEntry reports whether an id has the form of those that entries get. Whether there is such an entry, only the ledger knows.
func namesEntry(id events.EntryID) bool {
	job, err := events.ParseJobID(strings.TrimSuffix(string(id), "/debit"))
	return err == nil && id == events.DebitOf(job) || strings.HasPrefix(string(id), "adj_") && validEntry(id)
}

func validEntry(id events.EntryID) bool {
	foreign := func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-_/", r) }
	return len(id) <= maxEntryID && strings.IndexFunc(string(id), foreign) < 0
}
