// Package rate counts the requests of accounts in a sliding window. The count is kept
// in memory by the owner of the account's shard, whom every node asks, so that it is
// exact over all nodes; while an owner moves or does not answer, each node counts
// what passes through itself.
package rate

import (
	"hash/maphash"
	"sync"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// Windows are the windows of many accounts. Its methods may be called from any goroutine.
type Windows struct {
	seed   maphash.Seed
	shards [64]shard
}

// shard is a part of the accounts, so that they do not wait for one another.
type shard struct {
	mu       sync.Mutex
	accounts map[events.AccountID]*account.Requests
	swept    events.Instant
}

// NewWindows makes empty windows.
func NewWindows() *Windows {
	w := &Windows{seed: maphash.MakeSeed()}
	for i := range w.shards {
		w.shards[i].accounts = map[events.AccountID]*account.Requests{}
	}
	return w
}

// Take counts one request of an account if its limit per minute allows it.
func (w *Windows) Take(id events.AccountID, now events.Instant, limit int64) events.Rate {
	s := w.shard(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests(id, now).Take(now, limit)
}

// Note counts a request that another node has allowed.
func (w *Windows) Note(id events.AccountID, now events.Instant) {
	s := w.shard(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests(id, now).Note(now)
}

func (w *Windows) shard(id events.AccountID) *shard {
	return &w.shards[maphash.String(w.seed, string(id))%uint64(len(w.shards))]
}

// requests finds an account's window. Once in a window's length those that have run
// empty are dropped.
func (s *shard) requests(id events.AccountID, now events.Instant) *account.Requests {
	if now >= s.swept.Add(contract.RateWindow) {
		s.swept = now
		for id, r := range s.accounts {
			if r.Idle(now) {
				delete(s.accounts, id)
			}
		}
	}
	r, ok := s.accounts[id]
	if !ok {
		r = &account.Requests{}
		s.accounts[id] = r
	}
	return r
}
