package transport

import (
	"runtime"
	"sync"
	"time"

	"platen.dev/events"
)

const (
	// FreeContent is the size in bytes up to which content never waits.
	FreeContent = 64 << 10
	// restFactor is how much longer than the work on a request that was refused its account rests from large
	// content: what is refused takes a tenth of one processor at most.
	restFactor = 9
	// longestRest bounds the rest after one request.
	longestRest = time.Second
)

// Turns bounds how much large content is worked on at a time: reading and sanitising it takes
// processor time, and several times its size in memory. One half of the processors do so, and
// the others are for everything else. An account has one turn at a time, so that accounts
// take turns however much each one sends. An account whose request was refused rests before its next turn:
// it has not paid for the work, and may ask for as much again at once.
type Turns struct {
	all chan struct{}
	// over is closed when the server ends: nobody rests any more.
	over <-chan struct{}

	mu sync.Mutex
	by map[events.AccountID]*turn
}

// turn is that of an account. All but held is guarded by Turns.mu.
type turn struct {
	held  chan struct{}
	users int // who has it, waits for it or has a request under way
	// spent is how long its turns were since a request ended.
	spent time.Duration
	// rests is until when there is no next turn.
	rests time.Time
}

// NewTurns returns turns of half the processors. Nobody rests any more once over is closed.
func NewTurns(over <-chan struct{}) *Turns {
	return &Turns{all: make(chan struct{}, max(1, runtime.NumCPU()/2)), over: over, by: map[events.AccountID]*turn{}}
}

// Size is how many turns there are at once.
func (t *Turns) Size() int { return cap(t.all) }

// Held is how many turns are taken, and of how many accounts something is known.
func (t *Turns) Held() (turns, accounts int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.all), len(t.by)
}

// Enter notes that a request with so large a body begins. The caller must call leave at its end.
func (t *Turns) Enter(account events.AccountID, bytes int) (leave func(refused bool)) {
	if bytes <= FreeContent {
		return func(bool) {}
	}
	own := t.use(account)
	return func(refused bool) {
		t.mu.Lock()
		defer t.mu.Unlock()
		if refused {
			own.rests = later(own.rests, time.Now()).Add(min(restFactor*own.spent, longestRest))
		}
		own.spent = 0
		t.forsake(account, own)
	}
}

// Take waits until content of an account may be worked on. The caller must call done. Small
// content does not wait.
func (t *Turns) Take(account events.AccountID, bytes int) (done func()) {
	if bytes <= FreeContent {
		return func() {}
	}
	own := t.use(account)
	own.held <- struct{}{}
	t.rest(own)
	t.all <- struct{}{}
	start := time.Now()
	return func() {
		<-t.all
		t.mu.Lock()
		defer t.mu.Unlock()
		own.spent += time.Since(start)
		<-own.held
		t.forsake(account, own)
	}
}

// rest waits until an account has rested, also from what is refused meanwhile.
func (t *Turns) rest(own *turn) {
	for {
		t.mu.Lock()
		rest := time.Until(own.rests)
		t.mu.Unlock()
		if rest <= 0 {
			return
		}
		select {
		case <-time.After(rest):
		case <-t.over:
			return
		}
	}
}

func (t *Turns) use(account events.AccountID) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	own := t.by[account]
	if own == nil {
		own = &turn{held: make(chan struct{}, 1)}
		t.by[account] = own
	}
	own.users++
	return own
}

// forsake ends a use of a turn, which is forgotten after the last one and the rest. t.mu is held.
func (t *Turns) forsake(account events.AccountID, own *turn) {
	if own.users--; own.users > 0 {
		return
	}
	rest := time.Until(own.rests)
	if rest <= 0 {
		delete(t.by, account)
		return
	}
	own.users++
	time.AfterFunc(rest, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.forsake(account, own)
	})
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
