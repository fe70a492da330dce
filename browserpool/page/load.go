package page

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/events/contract"
)

// load shows the document and returns how long that took, without the pause at the end.
func (p *page) load(ctx context.Context, d document) (time.Duration, error) {
	start := time.Now()
	if err := p.setView(ctx, d.media, d.viewport, d.scale); err != nil {
		return 0, stepError("load", err)
	}
	if err := p.reach(ctx, d); err != nil {
		return 0, stepError("load", err)
	}
	took := time.Since(start)
	if d.load.WaitAfter > 0 {
		if err := p.waitFor(ctx, nil, milliseconds(d.load.WaitAfter)); err != nil {
			return 0, stepError("load", err)
		}
	}
	return took, stepError("finish", p.finish(ctx, d))
}

// finishTimeout bounds the work on a document between the job's waits and its output: a script that never ends keeps it from answering.
const finishTimeout = 20 * time.Second

// finish brings the document to the state that is shown, and checks the job's requirements on it, after all waits.
func (p *page) finish(ctx context.Context, d document) error {
	ctx, cancel := context.WithTimeoutCause(ctx, finishTimeout, errBudget)
	defer cancel()
	if err := p.checkDocument(ctx); err != nil { // script may have navigated meanwhile
		return err
	}
	if err := unlessLate(ctx, p.restyle(ctx, d.load)); err != nil {
		return err
	}
	if p.kind == forVisit {
		if err := (visit{p}).rest(ctx, d); err != nil {
			return err
		}
		if err := unlessLate(ctx, visit{p}.decide(ctx)); err != nil {
			return err
		}
	}
	if err := unlessLate(ctx, mend(ctx, p, d)); err != nil {
		return err
	}
	return p.checkParts(d.load)
}

// rest ends whatever moves on a visit, while all of it is in view, and then returns to the view of the job: how the page reacts to that is not waited
// for. By then it has the boxes in which it scrolls.
func (p visit) rest(ctx context.Context, d document) error {
	if err := unlessLate(ctx, p.forward(ctx, d.load.WaitUntil)); err != nil {
		return err
	}
	if err := unlessLate(ctx, p.endAnimations(ctx, true, !d.load.NoScript)); err != nil {
		return err
	}
	if err := unlessLate(ctx, p.keepShown(ctx)); err != nil {
		return err
	}
	if err := p.setView(ctx, d.media, d.viewport, d.scale); err != nil {
		return err
	}
	return unlessLate(ctx, errors.Join(p.release(ctx), p.expandAgain(ctx, d), p.noteBlank(ctx)))
}

// checkParts refuses a document with faults that the job does not tolerate.
func (p *page) checkParts(l contract.Load) error {
	if l.FailOnResourceError {
		if missing := p.progress.missing(); len(missing) > 0 {
			return Because(ErrResource, "%s", missing[0].Detail)
		}
	}
	if e := p.emulation.Load(); e != nil && l.FailOnScriptError {
		if sentence := e.errors.first(); sentence != "" {
			return Because(ErrScript, "%s", sentence)
		}
	}
	return nil
}

// reach brings the document to the moment that the job waits for. When the budget ends
// while images of HTML are still loading, or while a page is not idle, the document
// stays as it is and that is not an error.
func (p *page) reach(ctx context.Context, d document) error {
	budget := cmp.Or(milliseconds(d.load.Timeout), contract.DefaultLoadTimeout)
	within, cancel := context.WithTimeoutCause(ctx, budget, errBudget)
	defer cancel()
	err := p.arrive(ctx, within, d)
	if errors.Is(err, errBudget) && ctx.Err() == nil {
		return Because(err, "The page did not reach %q within %d ms.", cmp.Or(d.load.WaitUntil, contract.UntilLoad), budget.Milliseconds())
	}
	if err == nil && p.kind == forVisit {
		err = p.explore(ctx, within, d)
	}
	if err != nil {
		return err
	}
	return p.awaitContent(ctx, within, d)
}

// awaitContent waits for the content that the job asks for.
func (p *page) awaitContent(ctx, within context.Context, d document) error {
	if d.load.WaitFor != "" {
		if err := p.awaitSelector(ctx, within, d.load.WaitFor); err != nil {
			return err
		}
	}
	if p.function != nil {
		return p.function.await(ctx, within)
	}
	return nil
}

// arrive loads the document until the moment has come, or until nothing more is waited for.
func (p *page) arrive(ctx, within context.Context, d document) error {
	if err := p.begin(within, d); err != nil {
		return err
	}
	err := p.await(within, d.load.WaitUntil)
	if errors.Is(err, errBudget) && (d.url == "" || d.load.WaitUntil == contract.UntilIdle) {
		return p.stopLoading(ctx)
	}
	return err
}

// lateTimeout bounds the work on a page that is not idle when its budget has ended.
const lateTimeout = time.Second

// explore reloads a visit's document if it was misread, awaits what it has requested, takes away what viewers add, applies the job's style, scrolls it, and looks below its fold.
// Steps that do not end in time are skipped.
func (p *page) explore(ctx, within context.Context, d document) error {
	late := within.Err() != nil
	if late {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeoutCause(ctx, lateTimeout, errBudget)
		defer cancel()
	}
	if err := unlessLate(ctx, p.noteScript(within, d.load.WaitUntil)); err != nil {
		return err
	}
	if !late {
		if err := p.reread(within, d); err != nil && !errors.Is(err, errScript) {
			return err
		}
	}
	since := p.progress.mark()
	steps := []func() error{
		func() error { return visit{p}.awaitRequested(within, d.load.WaitUntil, requestTimeout) },
		func() error { return visit{p}.unview(within) },
		func() error { return p.restyle(within, d.load) },
	}
	if d.load.Scroll {
		steps = append(steps, func() error { return p.scroll(ctx, within) }, func() error { since = p.progress.mark(); return nil })
	}
	if d.below > 0 {
		steps = append(steps, func() error { return visit{p}.lookBelow(ctx, within, d, since) })
	}
	for _, step := range steps {
		if err := unlessLate(ctx, step()); err != nil {
			return err
		}
	}
	return nil
}

// noteScript notes whether a visit runs script, before any of ours does. Script of frames may run in other processes, and after
// contract.UntilCommit it may yet come.
func (p *page) noteScript(ctx context.Context, until string) error {
	m, err := p.count(ctx, "")
	p.scripted = m.ran != p.ran || p.progress.isFramed() || until == contract.UntilCommit
	return err
}

// unlessLate drops the error of an optional step: its budget ended before the job's, or one of our scripts cannot handle the document.
func unlessLate(ctx context.Context, err error) error {
	if errors.Is(err, errScript) || errors.Is(err, errBudget) && ctx.Err() == nil {
		return nil
	}
	return err
}

// begin starts loading the document into the page.
func (p *page) begin(ctx context.Context, d document) error {
	p.used, p.found = true, findings{}
	p.progress.begin()
	if d.url != "" {
		return p.navigate(ctx, d)
	}
	p.progress.commit()
	p.progress.noteUnaddressed(d.html)
	content := proto.PageSetDocumentContent{FrameID: p.progress.frame, HTML: d.html}
	_, err := p.session.Send(ctx, content.ProtoReq(), content)
	return err
}

// stopLoading cancels the requests under way.
func (p *page) stopLoading(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, stepTimeout, errBudget)
	defer cancel()
	return p.session.With(ctx).StopLoading()
}

// abandonLoadingAfter cancels, after a time, the requests that scripts, or a job that did not wait, left under way:
// printing waits for pictures, and one that never arrives should be left out rather than fail the job. stop ends this.
func (p press) abandonLoadingAfter(ctx context.Context, after time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if p.waitFor(ctx, nil, max(after, time.Millisecond)) == nil {
			_ = p.stopLoading(ctx) // if it fails, printing runs into its own budget
		}
	})
	return func() {
		cancel()
		waiting.Wait()
	}
}
