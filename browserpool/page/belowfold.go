package page

import (
	"context"
	_ "embed"
	"errors"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/events/contract"
)

const (
	// maxDrawnHeight is how much of a page is drawn before it is printed, in CSS pixels
	// from the top: drawing takes four bytes per pixel.
	maxDrawnHeight = 20_000
	// lookTimeout bounds the wait for what a look below the fold starts, within the load timeout.
	lookTimeout = 10 * time.Second
	// requestTimeout bounds the wait for requests that began before the look: a server without news holds them open.
	requestTimeout = 5 * time.Second
	// settleFor is how long no request that a look started may be under way: a response that has just arrived may cause more.
	settleFor = 100 * time.Millisecond
	// looks is how often content that appears below the viewed part is viewed in turn.
	looks = 2
	// probe is by how much the window becomes higher to find drawings that follow its height, in CSS pixels.
	probe = 20
	// ownScroll is by how much of the window's height a page whose content scrolls in an inner box may itself be higher than
	// the window: a box of a window's height overflows by the margins of its body.
	ownScroll = 0.25
)

var (
	// looking waits until visibility observers have been notified.
	//go:embed script/looking.js
	looking string
	// steadying keeps script from laying out the page for the windows of looks.
	//go:embed script/steadying.js
	steadying string
	// pinning has drawings that follow the height of the window keep their own.
	//go:embed script/pinning.js
	pinning string
	// expanding makes a page that scrolls in an inner box as high as its content.
	//go:embed script/expanding.js
	expanding string
)

// awaitRequested awaits what script has requested, such as the data of an application, for a limited time, unless the job does not even wait for the load
// event.
func (p visit) awaitRequested(ctx context.Context, until string, limit time.Duration) error {
	since, some := p.progress.requested()
	if !some || !p.scripted || until == contract.UntilCommit || until == contract.UntilDOM {
		return nil
	}
	limited, cancel := context.WithTimeoutCause(ctx, limit, errBudget)
	defer cancel()
	return unlessLate(ctx, p.awaitSettled(limited, since))
}

// lookBelow brings what is below the fold into view, as if somebody had scrolled through it, and
// waits for the requests that have begun since a moment: pictures and sections that load or draw when they are seen. A page
// that fits into the window gets the frames of one look, because its script may draw only in the
// second frame. The look comes before the job's other waits, which therefore cover it. A page without scripts waits for
// nothing and is spared the drawing.
func (p visit) lookBelow(ctx, within context.Context, d document, since mark) error {
	whole := d.isSeenBelowFold()
	if !whole && !p.scripted {
		return nil
	}
	content, err := p.contentSize(within)
	if err == nil && whole {
		content, err = p.expand(within, content, !p.scripted)
	}
	if !p.scripted {
		return err
	}
	if err == nil && content.Height > d.viewport.Height {
		err = unlessLate(ctx, together([]func() error{
			func() error { return p.steady(within) },
			func() error { return p.noteWaiting(within, d) },
		}))
	}
	seen := 0
	for range looks {
		if err != nil {
			return err
		}
		if content.Height <= seen || seen >= d.below {
			break
		}
		seen = max(d.viewport.Height, min(content.Height, d.below))
		if err := p.look(ctx, within, d.load.WaitUntil, Size{Width: d.viewport.Width, Height: seen}, since); err != nil {
			return err
		}
		since = p.progress.mark()
		content, err = p.contentSize(within)
	}
	if err != nil || p.found.waiting == 0 {
		return err
	}
	return p.pass(ctx, within, d, Size{Width: d.viewport.Width, Height: seen}, since)
}

// steady keeps script from laying out a page for the windows of looks, which are as high as many pages: charts would be as high. From then on, the
// browser's resize events reach no handler of the window.
func (p visit) steady(ctx context.Context) error {
	var drawings int
	err := together([]func() error{
		func() error { _, err := p.run(ctx, steadying, nil, &drawings); return err },
		func() error { return p.deafen(ctx) },
	})
	if err != nil || drawings == 0 {
		return err
	}
	higher := Size{Width: p.viewport.Width, Height: p.viewport.Height + probe}
	if err := p.setView(ctx, p.media, higher, p.scale); err != nil {
		return err
	}
	_, err = p.run(ctx, pinning, higher.Height, &p.found.pinned)
	return err
}

// release gives what is pinned its own height, once the window has its height again.
func (p visit) release(ctx context.Context) error {
	if !p.found.pinned {
		return nil
	}
	_, err := p.run(ctx, "() => { while (pinned.length) pinned.pop()() }", nil, nil)
	return err
}

// deafen stops the window's resize handlers from receiving the browser's own events.
func (p visit) deafen(ctx context.Context) error {
	client := p.session.With(ctx)
	window, err := proto.RuntimeEvaluate{Expression: "window", ObjectGroup: worldName}.Call(client) // the browser names handlers only to a group
	if err != nil {
		return unlessReplaced(err)
	}
	all, err := proto.DOMDebuggerGetEventListeners{ObjectID: window.Result.ObjectID}.Call(client)
	if err != nil {
		return unlessReplaced(err)
	}
	var handlers []*proto.RuntimeCallArgument
	for _, l := range all.Listeners {
		if l.Type == "resize" && l.OriginalHandler != nil {
			handlers = append(handlers, &proto.RuntimeCallArgument{ObjectID: l.OriginalHandler.ObjectID})
		}
	}
	if len(handlers) == 0 {
		return nil
	}
	_, err = proto.RuntimeCallFunctionOn{FunctionDeclaration: deafening, ObjectID: window.Result.ObjectID, Arguments: handlers}.Call(client)
	return unlessReplaced(err) // the objects are released with the document
}

// deafening leaves a window's resize handlers the events that script dispatches. A page can no longer remove these handlers, and those that were to be
// called once remain. Zone.js, which Angular uses, keeps the browser's own functions under other names.
const deafening = `function (...handlers) {
	const own = this.onresize, of = name => this["__zone_symbol__" + name] ?? this[name]
	const deafened = handler => event => event.isTrusted || (handler.handleEvent ?? handler).call(handler.handleEvent ? handler : this, event)
	if (own) this.onresize = deafened(own)
	for (const handler of handlers) {
		if (handler === own) continue
		for (const capture of [true, false]) of("removeEventListener").call(this, "resize", handler, capture)
		of("addEventListener").call(this, "resize", deafened(handler))
	}
}`

// expandAgain expands what script has made an inner box since the look.
func (p visit) expandAgain(ctx context.Context, d document) error {
	if !p.scripted || !d.isSeenBelowFold() {
		return nil
	}
	content, err := p.contentSize(ctx)
	if err == nil {
		_, err = p.expand(ctx, content, true)
	}
	return err
}

// look makes the viewport as high as the document, until rest returns to that of the job.
func (p visit) look(ctx, within context.Context, until string, whole Size, since mark) error {
	if err := p.setView(ctx, p.media, whole, p.scale); err != nil {
		return err
	}
	settling, cancel := context.WithTimeoutCause(within, lookTimeout, errBudget)
	defer cancel()
	err := p.settle(settling, until, since, whole.Height)
	if errors.Is(err, errBudget) {
		err = context.Cause(ctx)
	}
	return err
}

// settle waits for the requests that have begun since a moment.
func (p visit) settle(ctx context.Context, until string, since mark, height int) error {
	for {
		if _, err := p.run(ctx, looking, map[string]any{"height": height, "resized": p.found.lists}, nil); err != nil {
			return err
		}
		if err := p.endAnimations(ctx, false, true); err != nil {
			return err
		}
		if p.progress.begunSince(since) == 0 {
			return nil
		}
		since.begun += p.progress.begunSince(since)
		if err := p.awaitSettled(ctx, since); err != nil {
			return err
		}
		if until == contract.UntilIdle {
			if err := p.await(ctx, until); err != nil {
				return err
			}
		}
	}
}

func (p *page) awaitSettled(ctx context.Context, mark mark) error {
	for {
		if p.progress.brokenOff() {
			return p.checkDocument(ctx)
		}
		yes, again := p.progress.settledSince(mark)
		if yes {
			return nil
		}
		if err := p.waitFor(ctx, p.progress.changed, again); err != nil {
			return err
		}
	}
}

// expand makes a page whose content scrolls in an inner box, as that of an application, as high
// as that content, where the box can be told. It takes the size of the page and returns the new one. The last call keeps how much
// remains hidden.
func (p visit) expand(ctx context.Context, content Size, last bool) (Size, error) {
	high := float64(content.Height) > (1+ownScroll)*float64(p.viewport.Height)
	if high && !(last && p.found.expanded) {
		return content, nil
	}
	var found struct {
		Expanded bool
		Hidden   int
	}
	if ran, err := p.run(ctx, expanding, map[string]bool{"high": high, "last": last}, &found); err != nil || !ran {
		return content, err
	}
	if last {
		p.found.hidden = found.Hidden
	}
	p.found.expanded = found.Expanded
	if found.Expanded {
		return p.contentSize(ctx)
	}
	return content, nil
}
