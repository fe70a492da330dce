package dashboard

import (
	"sync"

	"platen.dev/events"
)

// bounded lets only so many things go on at once, of all accounts and of each.
type bounded struct {
	most, each int

	mu    sync.Mutex
	all   int
	under map[events.AccountID]int
}

func newBounded(most, each int) *bounded {
	return &bounded{most: most, each: each, under: map[events.AccountID]int{}}
}

// begin reports whether an account may begin another one now; end is called when that has ended.
func (b *bounded) begin(account events.AccountID) (end func(), ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all >= b.most || b.under[account] >= b.each {
		return nil, false
	}
	b.all++
	b.under[account]++
	return func() { b.end(account) }, true
}

func (b *bounded) end(account events.AccountID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all--
	if b.under[account]--; b.under[account] == 0 {
		delete(b.under, account)
	}
}
