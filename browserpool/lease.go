package browserpool

import (
	"context"
	"fmt"
	"sync"
)

// Lease is the right to use one page until it is given back, or until the
// context it was acquired with ends. One goroutine uses it.
type Lease struct {
	pool    *Pool
	request *request
	page    *page
	in      *instance

	once    sync.Once
	release func() bool // ends the binding to the context
}

// Acquire waits for a page, in order of arrival and for as long as ctx lasts.
// The lease is bound to ctx: when it ends, the page is taken back and discarded.
// Otherwise the holder must call Return.
func (p *Pool) Acquire(ctx context.Context) (*Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("lease a page: %w", err)
	}
	r := &request{answer: make(chan *Lease, 1)}
	p.tell(r)
	release := context.AfterFunc(ctx, func() { p.tell(withdrawing{r}) })
	select {
	case lease := <-r.answer:
		if lease == nil {
			release()
			return nil, ErrClosed
		}
		lease.release = release
		return lease, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("lease a page: %w", context.Cause(ctx))
	case <-p.done:
		release()
		return nil, ErrClosed
	}
}

// Return gives the page back. Only the first call does anything.
func (l *Lease) Return() {
	l.once.Do(func() {
		l.release()
		l.pool.tell(returning{l})
	})
}
