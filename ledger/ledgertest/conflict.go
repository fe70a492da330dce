package ledgertest

import (
	"testing"
	"time"

	"platen.dev/ledger"
)

var conflictCases = []testCase{
	{"an id with another content is refused, whatever differs", conflicts},
	{"a range with other entries is refused", otherRange},
	{"a range with more entries gets those that it lacks", moreEntries},
}

func conflicts(t *testing.T, s Storage) {
	l := s.Open(t)
	original := debit(1, noon)
	original.Tags = []ledger.Tag{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}}
	mustAppend(t, l, batchAt(0, debit(0, noon), original))
	for name, change := range map[string]func(*ledger.Entry){
		"account":   func(e *ledger.Entry) { e.Account = "acc_b" },
		"job":       func(e *ledger.Entry) { e.Job = "other" },
		"kind":      func(e *ledger.Entry) { e.Kind = ledger.Credit },
		"key":       func(e *ledger.Entry) { e.Key = "" },
		"operation": func(e *ledger.Entry) { e.Operation = "other" },
		"tag order": func(e *ledger.Entry) { e.Tags = []ledger.Tag{e.Tags[1], e.Tags[0]} },
		"second":    func(e *ledger.Entry) { e.Occurred = noon.Add(time.Second) },
		"month":     func(e *ledger.Entry) { e.Occurred = noon.AddDate(0, -1, 0) },
		"window":    func(e *ledger.Entry) { e.Window = noon },
		"units":     func(e *ledger.Entry) { e.Units = -1 },
		"bytes":     func(e *ledger.Entry) { e.Bytes++ },
		"ref":       func(e *ledger.Entry) { e.Ref = "x" },
		"reason":    func(e *ledger.Entry) { e.Reason = "x" },
	} {
		t.Run(name, func(t *testing.T) {
			changed := original
			change(&changed)
			wantRefused(t, l, batchAt(2, debit(2, noon), changed), ledger.ErrConflict, original.ID)
			wantRefused(t, l, batchAt(2, debit(3, noon), debit(4, noon), original, changed), ledger.ErrConflict, original.ID)
			wantRefused(t, l, batchAt(1, changed), ledger.ErrConflict)
		})
	}
	moved := original
	moved.Occurred = noon.In(time.FixedZone("", 3600)) // the same moment
	mustAppend(t, l, batchAt(2, moved))
	wantTotal(t, l, 2, 2000, 2)
}

func otherRange(t *testing.T, s Storage) {
	l := s.Open(t)
	mustAppend(t, l, batchAt(0, debits(0, 3)...), batchAt(3, debits(3, 3)...))
	for _, lo := range []int64{0, 3} {
		more := batchAt(lo, debits(int(lo), 3)...)
		more.Entries = more.Entries[:2]
		wantRefused(t, l, more, ledger.ErrConflict, more.String())
	}
	wantTotal(t, l, 6, 6000, 6)
}

func moreEntries(t *testing.T, s Storage) {
	l := s.Open(t)
	few := batchAt(0, debits(0, 3)...)
	few.Entries = few.Entries[:2]
	mustAppend(t, l, few)
	wantTotal(t, l, 2, 2000, 2)
	mustAppend(t, l, batchAt(0, debits(0, 3)...), batchAt(0, debits(0, 3)...))
	wantTotal(t, l, 3, 3000, 3)
	mustAppend(t, l, few) // as in the marker
	wantTotal(t, l, 3, 3000, 3)
}
