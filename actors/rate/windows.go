// Package rate counts the requests of accounts in a sliding window. The count is kept
// in memory by the owner of the account's shard, whom every node asks, so that it is
// exact over all nodes; while an owner moves or does not answer, each node counts
// what passes through itself.
package rate

import (
	"hash/maphash"
	"sync"

	"platen.dev/events"
	"platen.dev/events/contract"
)

// Windows are the windows of many accounts. Its methods may be called from any goroutine.
type Windows struct {
	seed    maphash.Seed
	buckets [64]bucket
}

// bucket is a part of the accounts, so that they do not wait for one another.
type bucket struct {
	mu       sync.Mutex
	accounts map[events.AccountID]*requests
	swept    events.Instant
}

// NewWindows makes empty windows.
func NewWindows() *Windows {
	w := &Windows{seed: maphash.MakeSeed()}
	for i := range w.buckets {
		w.buckets[i].accounts = map[events.AccountID]*requests{}
	}
	return w
}

// Take counts one request of an account if its limit per minute allows it.
func (w *Windows) Take(id events.AccountID, now events.Instant, limit int64) events.Rate {
	s := w.bucket(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.window(id, now).Take(now, limit)
}

// Note counts a request that another node has allowed.
func (w *Windows) Note(id events.AccountID, now events.Instant) {
	s := w.bucket(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.window(id, now).Note(now)
}

func (w *Windows) bucket(id events.AccountID) *bucket {
	return &w.buckets[maphash.String(w.seed, string(id))%uint64(len(w.buckets))]
}

// window finds an account's window. Once in a window's length those that have run
// empty are dropped.
func (s *bucket) window(id events.AccountID, now events.Instant) *requests {
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
		r = &requests{}
		s.accounts[id] = r
	}
	return r
}
