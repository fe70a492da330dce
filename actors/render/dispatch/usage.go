package dispatch

import (
	"cmp"
	"slices"

	"platen.dev/events"
)

// Usage is the number of an account's jobs that wait here, and of the attempts at them under way.
type Usage struct {
	Account          events.AccountID
	Waiting, Running int
}

// Usage returns up to limit accounts with jobs here: those with the most waiting first.
func (m *Machine) Usage(limit int) []Usage {
	all := make([]Usage, 0, len(m.shares))
	for id, s := range m.shares {
		all = append(all, Usage{Account: id, Waiting: s.waiting, Running: s.running[shared] + s.running[remote]})
	}
	slices.SortFunc(all, func(a, b Usage) int {
		return cmp.Or(cmp.Compare(b.Waiting, a.Waiting), cmp.Compare(b.Running, a.Running), cmp.Compare(a.Account, b.Account))
	})
	return all[:min(limit, len(all))]
}
