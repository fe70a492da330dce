package browserpool

import (
	"context"
	"errors"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/chromium"
)

// crashNotice is how long the browser may take to tell that a renderer has died.
const crashNotice = 2 * time.Second

// reason is what a job's error comes of. The browser refuses a call whose renderer
// dies under it just as one that it cannot fulfil ("Printing failed"), and tells of
// the death some milliseconds later. So it is asked for something that it can always
// fulfil: a page that answers was not the reason.
func (p *page) reason(ctx context.Context, err error) error {
	if !errors.Is(err, ErrRender) || browserError(err) == "" {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, crashNotice)
	defer cancel()
	if _, silent := (proto.PageGetLayoutMetrics{}).Call(p.session.With(ctx)); silent == nil {
		return err
	}
	cause := p.waitFor(ctx, nil, crashNotice)
	if errors.Is(cause, chromium.ErrCrashed) || errors.Is(cause, chromium.ErrGone) {
		return verdict("render", cause)
	}
	return err
}
