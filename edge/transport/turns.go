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
	// restFactor is the ratio of an account's rest to the work on its refused request: refused requests take at most a tenth of one processor.
	restFactor = 9
	// longestRest bounds the rest after one request.
	longestRest = time.Second
)

// Turns bounds how much large content is processed at a time: reading and sanitising it takes processor time, and
// several times its size in memory. Half of the processors do so; the others are for everything else. An account has
// one turn at a time, so that accounts take turns however much each one sends. After a refused request an account rests
// before its next turn: it did not pay for the work, and could ask for as much again at once.
type Turns struct {
	all chan struct{}
	// over is closed when the server ends: nobody rests any more.
	over <-chan struct{}

	mu sync.Mutex
	by map[events.AccountID]*turn
}

// turn is the turn of one account. All but held is guarded by Turns.mu.
type turn struct {
	held  chan struct{}
	users int // those that hold it, wait for it or have it rest
	// rests is when the rest ends.
	rests time.Time
}

// NewTurns returns turns of half the processors. Nobody rests any more once over is closed.
func NewTurns(over <-chan struct{}) *Turns {
	return &Turns{all: make(chan struct{}, max(1, runtime.NumCPU()/2)), over: over, by: map[events.AccountID]*turn{}}
}

// Size is how many turns there are at once.
func (t *Turns) Size() int { return cap(t.all) }

// Held returns how many turns are taken, and how many accounts are tracked.
func (t *Turns) Held() (turns, accounts int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.all), len(t.by)
}

// Work is what one request has its account's turns do. One goroutine uses it.
type Work struct {
	Account events.AccountID

	turns *Turns
	spent time.Duration // the total length of its turns
}

// Begin begins the work of a request. End must follow if the request may be refused.
func (t *Turns) Begin(account events.AccountID) *Work { return &Work{Account: account, turns: t} }

// Take waits until content may be worked on. The caller must call done. Small content does not wait.
func (w *Work) Take(bytes int) (done func()) {
	if bytes <= FreeContent {
		return func() {}
	}
	t := w.turns
	own := t.use(w.Account)
	own.held <- struct{}{}
	t.rest(own)
	t.all <- struct{}{}
	start := time.Now()
	return func() {
		<-t.all
		w.spent += time.Since(start)
		<-own.held
		t.forsake(w.Account, own)
	}
}

// End ends the work. If the request was refused, the account rests.
func (w *Work) End(refused bool) {
	if !refused || w.spent == 0 {
		return
	}
	t := w.turns
	own := t.use(w.Account)
	defer t.forsake(w.Account, own)
	t.mu.Lock()
	defer t.mu.Unlock()
	own.rests = later(own.rests, time.Now()).Add(min(restFactor*w.spent, longestRest))
}

// rest waits until an account has rested, including for requests that are refused meanwhile.
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

// forsake ends a use of a turn, which is forgotten after the last one and the rest.
func (t *Turns) forsake(account events.AccountID, own *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own.users--; own.users > 0 {
		return
	}
	rest := time.Until(own.rests)
	if rest <= 0 {
		delete(t.by, account)
		return
	}
	own.users++
	time.AfterFunc(rest, func() { t.forsake(account, own) })
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
