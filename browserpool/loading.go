package browserpool

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/chromium"
)

// show loads the job's document and returns how long that took, without the
// pause at the end.
func (p *page) show(ctx context.Context, job source) (time.Duration, error) {
	start := time.Now()
	if err := p.view(ctx, job.media, job.size); err != nil {
		return 0, verdict("load", err)
	}
	if err := p.load(ctx, job); err != nil {
		return 0, verdict("load", err)
	}
	took := time.Since(start)
	if err := p.pause(ctx, job.load.WaitAfter); err != nil {
		return 0, verdict("load", err)
	}
	return took, verdict("load", p.judge(ctx)) // script may have gone elsewhere meanwhile
}

// load brings the document to where the job wants it. When the budget ends while
// images of a sanitised document are under way, or while a page is not idle, the
// document stays as it is and that is no error.
func (p *page) load(ctx context.Context, job source) error {
	within, cancel := context.WithTimeoutCause(ctx, orElse(job.load.Timeout, DefaultLoadTimeout), errBudget)
	defer cancel()
	p.touched = true
	if err := p.begin(within, job); err != nil {
		return err
	}
	err := p.await(within, job.load.WaitUntil)
	if errors.Is(err, errBudget) && (job.url == "" || job.load.WaitUntil == UntilIdle) {
		err = p.stopLoading(ctx)
	}
	if err != nil || job.load.WaitSelector == "" {
		return err
	}
	return p.awaitSelector(ctx, within, job.load.WaitSelector)
}

// begin gives the page its document.
func (p *page) begin(ctx context.Context, job source) error {
	p.progress.begin()
	if job.url != "" {
		return p.navigate(ctx, job)
	}
	p.progress.commit()
	content := proto.PageSetDocumentContent{FrameID: p.progress.frame, HTML: job.html}
	return content.Call(p.session.With(ctx))
}

// stopLoading gives up what is under way; printing would wait for it.
func (p *page) stopLoading(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, stepTimeout, errBudget)
	defer cancel()
	return proto.PageStopLoading{}.Call(p.session.With(ctx))
}

// hurry gives up, once that much of the load budget is over, what script or a job
// that did not wait has left under way: printing waits for pictures, and one that
// never comes is to be left out rather than to end the job.
func (p *page) hurry(ctx context.Context, left time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if p.waitFor(ctx, nil, max(left, time.Millisecond)) == nil {
			_ = p.stopLoading(ctx) // else printing runs into its own budget
		}
	})
	return func() {
		cancel()
		waiting.Wait()
	}
}

// await waits until the document has come to a moment.
func (p *page) await(ctx context.Context, until string) error {
	for {
		yes, again := p.progress.reached(until)
		if yes {
			return nil
		}
		if err := p.waitFor(ctx, p.progress.changed, again); err != nil {
			return err
		}
	}
}

// pause lets a time pass.
func (p *page) pause(ctx context.Context, length time.Duration) error {
	if length == 0 {
		return nil
	}
	return p.waitFor(ctx, nil, length)
}

// waitFor waits for a token or, when it is positive, for a time. It fails when
// the page or ctx ends before.
func (p *page) waitFor(ctx context.Context, token <-chan struct{}, length time.Duration) error {
	var timeout <-chan time.Time
	if length > 0 {
		timer := time.NewTimer(length)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-token:
		return nil
	case <-timeout:
		return nil
	case <-p.session.Ended():
		return p.session.Cause()
	case <-p.browser.Gone():
		return chromium.ErrGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
