package edge

import (
	"runtime"
	"sync"

	"platen.dev/events"
)

// noTurn is how large content may be, in bytes, that does not wait for its turn.
const noTurn = 64 << 10

// turns bounds how much large content is worked on at a time: reading and sanitising it takes
// processor time, and several times its size in memory. One half of the processors do so, and
// the others are for everything else. An account has one turn at a time, so that accounts
// take turns however much each one sends.
type turns struct {
	all chan struct{}

	mu sync.Mutex
	by map[events.AccountID]*turn
}

// turn is that of an account.
type turn struct {
	held  chan struct{}
	users int // who has it or waits for it; guarded by turns.mu
}

func newTurns() *turns {
	return &turns{all: make(chan struct{}, max(1, runtime.NumCPU()/2)), by: map[events.AccountID]*turn{}}
}

// take waits until content of an account may be worked on. The caller must call done. Small
// content does not wait.
func (t *turns) take(account events.AccountID, bytes int) (done func()) {
	if bytes <= noTurn {
		return func() {}
	}
	t.mu.Lock()
	own := t.by[account]
	if own == nil {
		own = &turn{held: make(chan struct{}, 1)}
		t.by[account] = own
	}
	own.users++
	t.mu.Unlock()
	own.held <- struct{}{}
	t.all <- struct{}{}
	return func() {
		<-t.all
		<-own.held
		t.mu.Lock()
		defer t.mu.Unlock()
		if own.users--; own.users == 0 {
			delete(t.by, account)
		}
	}
}
