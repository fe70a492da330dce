package ledger

import (
	"context"
	"sync"
)

// Gate admits the calls of a back end until Close, which cancels them.
type Gate struct {
	calls sync.RWMutex // held for reading by each call
	life  context.Context
	end   context.CancelFunc
}

// NewGate returns an open gate.
func NewGate() *Gate {
	g := &Gate{}
	g.life, g.end = context.WithCancel(context.Background())
	return g
}

// Enter begins a call, which must call leave at its end. Its context ends with ctx or with the
// gate, whichever is first. A closed gate returns ErrClosed.
func (g *Gate) Enter(ctx context.Context) (inside context.Context, leave func(), err error) {
	g.calls.RLock()
	if g.Closed() {
		g.calls.RUnlock()
		return nil, nil, ErrClosed
	}
	inside, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(g.life, cancel)
	return inside, func() { stop(); cancel(); g.calls.RUnlock() }, nil
}

// Closed reports whether Close has begun.
func (g *Gate) Closed() bool { return g.life.Err() != nil }

// Close cancels all calls, waits until the last has left, and reports whether it was the first
// Close.
func (g *Gate) Close() (first bool) {
	first = !g.Closed()
	g.end()
	g.calls.Lock()
	defer g.calls.Unlock()
	return first
}
