// Package rate limits the requests of accounts in a sliding window. The owner of the account's
// shard counts in memory and every node asks it, so the limit is exact across nodes. While an owner
// moves or does not reply, each node counts the requests that it serves itself.
package rate

import (
	"hash/maphash"
	"maps"
	"sync"

	"platen.dev/events"
	"platen.dev/events/contract"
)

// windows are the windows of all accounts. The methods may be called from any goroutine.
type windows struct {
	seed    maphash.Seed
	buckets [64]bucket
}

// bucket holds the windows of a part of the accounts under a lock of its own.
type bucket struct {
	mu       sync.Mutex
	accounts map[events.AccountID]*window // guarded by mu
	swept    events.Instant               // when empty windows were dropped last; guarded by mu
}

func newWindows() *windows {
	w := &windows{seed: maphash.MakeSeed()}
	for i := range w.buckets {
		w.buckets[i].accounts = map[events.AccountID]*window{}
	}
	return w
}

// take counts one request of an account if limit, per minute, allows it.
func (w *windows) take(id events.AccountID, now events.Instant, limit int64) events.Rate {
	b := w.bucket(id)
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.window(id, now).take(now, limit)
}

// add counts a request that another node has allowed.
func (w *windows) add(id events.AccountID, now events.Instant) {
	b := w.bucket(id)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.window(id, now).add(now)
}

func (w *windows) bucket(id events.AccountID) *bucket {
	return &w.buckets[maphash.String(w.seed, string(id))%uint64(len(w.buckets))]
}

// window returns the window of an account. Once per contract.RateWindow it drops the empty windows
// of the bucket. The caller holds mu.
func (b *bucket) window(id events.AccountID, now events.Instant) *window {
	if now >= b.swept.Add(contract.RateWindow) {
		b.swept = now
		maps.DeleteFunc(b.accounts, func(_ events.AccountID, w *window) bool { return w.empty(now) })
	}
	w, ok := b.accounts[id]
	if !ok {
		w = &window{}
		b.accounts[id] = w
	}
	return w
}
