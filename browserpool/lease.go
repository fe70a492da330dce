package browserpool

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"platen.dev/browserpool/page"
	"platen.dev/events"
)

// ErrClosed is the error of every call to a pool that was closed.
var ErrClosed = errors.New("browser pool is closed")

// Lease is the right to use one set of pages until Return, or until the context that it
// was acquired with ends. One goroutine uses it.
type Lease struct {
	// Set by the scheduler before it grants the lease, and fixed from then on.
	pool    *Pool
	request *request
	in      *instance
	began   time.Time
	pages   *page.Set // the holder's until Return or the end of bound, then the scheduler's
	// within ends with the lease's bounds; over ends it, on any goroutine.
	within context.Context
	over   context.CancelCauseFunc
	// yielded means that the pages have the lowest priority, and may not be used again.
	yielded atomic.Bool

	// Set by Acquire before it returns, and fixed from then on.
	bound   context.Context // the context that the lease was acquired with
	release func() bool     // ends the binding to that context

	host string // that its job went to; the holder's until Return, then the scheduler's

	returned sync.Once
}

// Acquire waits for a set of pages, in order of arrival and for as long as ctx lasts. A
// remote lease has a browser to itself; only such a lease may go to a URL. Slow leases have
// half of the slots, and an account holds at most twice as many slots as are
// left: others overtake those that wait for this reason. The lease is bound to ctx: when it
// ends, the pages are taken back and discarded. Otherwise the holder must call Return. The
// error is ErrClosed or the cause of ctx's end.
func (p *Pool) Acquire(ctx context.Context, account events.AccountID, lane events.Lane) (*Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("lease a page: %w", err)
	}
	r := &request{account: account, lane: lane, reply: make(chan *Lease, 1)}
	p.tell(r)
	release := context.AfterFunc(ctx, func() { p.tell(withdrawn{r}) })
	select {
	case lease := <-r.reply:
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

// Print prints one document. A lease serves one job: after it, call Return. The error is
// one of package page, or the cause of the end of ctx or of the lease's own context.
func (l *Lease) Print(ctx context.Context, job page.Print) (page.Result, error) {
	if err := l.admits(job.URL, job.Full); err != nil {
		return page.Result{}, err
	}
	ctx, end := l.bind(ctx)
	defer end()
	result, err := l.pages.Print(ctx, job)
	return result, endedBy(ctx, err)
}

// Capture captures one document, as Print prints one.
func (l *Lease) Capture(ctx context.Context, job page.Capture) (page.Image, error) {
	if err := l.admits(job.URL, job.Full); err != nil {
		return page.Image{}, err
	}
	ctx, end := l.bind(ctx)
	defer end()
	image, err := l.pages.Capture(ctx, job)
	return image, endedBy(ctx, err)
}

// admits refuses to run scripts in the shared browser, and records the host of a job.
func (l *Lease) admits(at string, full bool) error {
	if (at != "" || full) && !l.in.remote {
		return fmt.Errorf("%w: a URL or full document needs a remote lease", page.ErrOptions)
	}
	if u, err := url.Parse(at); err == nil {
		l.host = u.Host
	}
	return nil
}

// Return gives the pages back. Only the first call does anything.
func (l *Lease) Return() {
	l.returned.Do(func() {
		l.release()
		l.pool.tell(returned{l})
	})
}

// bind returns a context that ends with ctx, with the lease's own, or with its bounds.
func (l *Lease) bind(ctx context.Context) (within context.Context, end func()) {
	within, cancel := context.WithCancelCause(ctx)
	unbind := context.AfterFunc(l.bound, func() { cancel(context.Cause(l.bound)) })
	unlimit := context.AfterFunc(l.within, func() { cancel(context.Cause(l.within)) })
	return within, func() { unbind(); unlimit(); cancel(nil) }
}

// endedBy replaces an error caused by the end of ctx with the cause of that end.
func endedBy(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("job ended: %w", context.Cause(ctx))
	}
	return err
}
