package reconcile

import (
	"testing"

	"platen.dev/events/testkit"
)

// Each partition has its turn once in all shares, is compared only by the process responsible, and gets what the ledger lacks.
func TestShares(t *testing.T) {
	b := newBooks(t)
	for range 3 {
		b.charge()
	}
	b.fill(10)
	b.exec("DELETE FROM usage_ledger WHERE src_offset = 1")
	mine := false
	s := &Shares{Ledger: b.ledger, Log: b.log, Topic: topic, Mine: func(int32) bool { return mine }, Logger: testkit.Silent()}
	round := func(want Figures) {
		t.Helper()
		for range shares {
			s.Next(t.Context())
		}
		if got := s.Figures(); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	round(Figures{})
	mine = true
	round(Figures{Differences: 1})
	round(Figures{Equal: 1, Differences: 1})
}
