package render

import (
	"sync"
	"time"

	"platen.dev/events"
)

// weightLife is how long a weight is remembered. A changed plan takes effect that much later.
const weightLife = time.Second

// weights remembers the weights of accounts for a moment. A sweep resumes thousands of jobs of one account at a time, and looking its plan up takes longer than
// everything else about each.
type weights struct {
	of  func(events.AccountID) int
	now func() time.Time

	mu    sync.Mutex
	known map[events.AccountID]int
	until time.Time // when known is forgotten
}

func newWeights(of func(events.AccountID) int) *weights {
	if of == nil {
		of = func(events.AccountID) int { return 1 }
	}
	return &weights{of: of, now: time.Now, known: map[events.AccountID]int{}}
}

// get returns the weight of an account.
func (w *weights) get(id events.AccountID) int {
	w.mu.Lock()
	if now := w.now(); now.After(w.until) {
		clear(w.known)
		w.until = now.Add(weightLife)
	}
	weight, known := w.known[id]
	w.mu.Unlock()
	if known {
		return weight
	}
	weight = w.of(id)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known[id] = weight
	return weight
}
