package page

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"
)

// Bounds of scrolling to the end of a page, which may keep growing.
const (
	// maxScrolls is the maximum number of steps, each of the window's height.
	maxScrolls = 100
	// scrollTimeout is for all of them, within the load timeout.
	scrollTimeout = 20 * time.Second
	// scrollPause is the least time of a step: pages react only once scrolling has paused.
	scrollPause = 100 * time.Millisecond
	// restTimeout is how long a step waits for what it has started to load.
	restTimeout = 3 * time.Second
)

// scrolling scrolls the document, or the box in which it scrolls.
//
//go:embed script/scrolling.js
var scrolling string

// scrolled is the scroll position of a page, in CSS pixels from its top.
type scrolled struct{ Seen, Height float64 }

// scroll scrolls a visit to its end, step by step with the network at rest, and back to its top.
func (p *page) scroll(ctx, within context.Context) error {
	limited, cancel := context.WithTimeoutCause(within, scrollTimeout, errBudget)
	defer cancel()
	at, ended, err := p.scrollDown(limited)
	if err != nil && !(errors.Is(err, errBudget) && ctx.Err() == nil) {
		return err
	}
	if !ended {
		p.warnOfCut(fmt.Sprintf("The page kept growing while it was scrolled; scrolling stopped at %.0f pixels.", at.Seen))
	}
	back, cancel := context.WithTimeoutCause(ctx, stepTimeout, errBudget)
	defer cancel()
	_, err = p.run(back, scrolling, 0, nil)
	return err
}

// scrollDown scrolls to the end of the page, or until a bound is reached. The page has ended if its end has not moved once the
// network is at rest, or if it cannot be scrolled.
func (p *page) scrollDown(ctx context.Context) (at scrolled, ended bool, err error) {
	wasEnd, since := false, mark{}
	for range maxScrolls {
		var next scrolled
		ran, err := p.run(ctx, scrolling, at.Seen, &next)
		if err != nil || !ran {
			return at, !ran && err == nil, err
		}
		at = next
		isEnd := at.Seen >= at.Height
		if isEnd && wasEnd {
			return at, true, nil
		}
		if err := p.rest(ctx, since); err != nil {
			return at, false, err
		}
		wasEnd, since = isEnd, p.progress.mark()
	}
	return at, false, nil
}

// rest waits for a while until nothing that began since a mark is under way.
func (p *page) rest(ctx context.Context, since mark) error {
	if err := p.waitFor(ctx, nil, scrollPause); err != nil || p.progress.begunSince(since) == 0 {
		return err
	}
	short, cancel := context.WithTimeoutCause(ctx, restTimeout, errBudget)
	defer cancel()
	if err := p.awaitSettled(short, since); !errors.Is(err, errBudget) {
		return err
	}
	return context.Cause(ctx)
}
