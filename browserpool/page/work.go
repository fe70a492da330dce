package page

import (
	"context"
	"errors"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/chromium"
)

// work does the work of a job on a page. Its error is one of this package's.
type work = func(context.Context, *page) error

// do does a job until it is done, or until the page's proxy has carried all that it may.
func (p *page) do(ctx context.Context, job work) error {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.proxy.Spent(), func() { cancel(errTraffic) })()
	err := p.crashCause(within, job(within, p))
	if ctx.Err() == nil && p.proxy.Spent().Err() != nil {
		return errTraffic
	}
	return err
}

// closedItself reports whether the page ended before its browser, without a crash.
func (p *page) closedItself() bool { return errors.Is(p.session.Cause(), chromium.ErrDetached) }

// crashNotice is how long the browser may take to report that a renderer has died.
const crashNotice = 2 * time.Second

// crashCause returns ErrCrashed in place of an error that a dead renderer caused. The
// browser refuses a call whose renderer dies under it just as it refuses one that it
// cannot fulfil ("Printing failed"), and reports the death some milliseconds later. So
// the page is asked for something that it can always fulfil: if it answers, it is alive
// and the error is the document's own.
func (p *page) crashCause(ctx context.Context, err error) error {
	if !errors.Is(err, ErrRender) || browserMessage(err) == "" {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, crashNotice)
	defer cancel()
	if _, dead := (proto.PageGetLayoutMetrics{}).Call(p.session.With(ctx)); dead == nil {
		return err
	}
	cause := p.waitFor(ctx, nil, crashNotice)
	if errors.Is(cause, chromium.ErrCrashed) || errors.Is(cause, chromium.ErrGone) {
		return stepError("render", cause)
	}
	return err
}
