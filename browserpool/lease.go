package browserpool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"platen.dev/browserpool/chromium"
	"platen.dev/events"
)

// Lease is the right to use one page until it is given back, or until the
// context it was acquired with ends. One goroutine uses it.
type Lease struct {
	pool    *Pool
	request *request
	page    *page
	in      *instance

	// bound is the context that the lease was acquired with, crashed tells that a
	// visit crashed; the keeper may read that before the lease is given back.
	bound   context.Context
	crashed atomic.Bool

	once    sync.Once
	release func() bool // ends the binding to the context
}

// Acquire waits for a page in the quick lane.
func (p *Pool) Acquire(ctx context.Context) (*Lease, error) {
	return p.AcquireIn(ctx, events.Quick)
}

// AcquireIn waits for a page, in order of arrival and for as long as ctx lasts.
// Slow leases never take the last slot of several: quick ones overtake those that
// wait for this reason, and no others. The lease is bound to ctx: when it ends,
// the page is taken back and discarded. Otherwise the holder must call Return.
func (p *Pool) AcquireIn(ctx context.Context, lane events.Lane) (*Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("lease a page: %w", err)
	}
	r := &request{lane: lane, answer: make(chan *Lease, 1)}
	p.tell(r)
	release := context.AfterFunc(ctx, func() { p.tell(withdrawing{r}) })
	select {
	case lease := <-r.answer:
		if lease == nil {
			release()
			return nil, ErrClosed
		}
		lease.bound, lease.release = ctx, release
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

// work is a job on a page.
type work = func(context.Context, *page) error

// use runs a job somewhere: on the leased page, or beside it, when the lease only
// counts how many work at once. The end of ctx, or of what the lease is bound to,
// ends the job and is its error.
func (l *Lease) use(ctx context.Context, where func(context.Context, work) error, job work) error {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(l.bound, func() { cancel(context.Cause(l.bound)) })()
	err := where(within, job)
	if err != nil && within.Err() != nil {
		return fmt.Errorf("job ended: %w", context.Cause(within))
	}
	return err
}

// stay runs a job on the leased page.
func (l *Lease) stay(ctx context.Context, job work) error {
	err := l.page.metered(ctx, job)
	l.page.spoiled = err != nil
	return err
}

// unopened is the error of a page that could not be opened beside the leased one.
func (l *Lease) unopened(ctx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		err = chromium.ErrGone // it does not answer, which the pool will notice too
	}
	return verdict("open", err)
}

// visit runs a job on a page that is disposed of after it.
func (l *Lease) visit(ctx context.Context, job work) error {
	p, err := l.page.takeVisit(ctx)
	if err != nil {
		return l.unopened(ctx, err)
	}
	defer p.dispose()
	err = p.metered(ctx, job)
	l.crashed.Store(errors.Is(err, ErrCrashed))
	if err != nil && p.ended() && errors.Is(p.session.Cause(), chromium.ErrDetached) && !l.in.gone() {
		return fmt.Errorf("%w: the page closed itself", ErrRender)
	}
	return err
}

// errTraffic ends a job whose document carried too much.
var errTraffic = fmt.Errorf("%w: too many bytes loaded", ErrTooLarge)

// metered runs a job on the page until that is done, or until the page's proxy has
// carried all that it may.
func (p *page) metered(ctx context.Context, job work) error {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.proxy.Spent(), func() { cancel(errTraffic) })()
	err := p.reason(within, job(within, p))
	if ctx.Err() == nil && p.proxy.Spent().Err() != nil {
		return errTraffic
	}
	return err
}
