package page

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"time"
)

// Bounds of scrolling to the end of a page, which may keep growing.
const (
	// maxScrolls is the maximum number of steps, each of the window's height, or more if the end could not be reached otherwise.
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
type scrolled struct {
	Seen, Height float64
	// window is what is seen at once, grew whether the height has.
	window float64
	grew   bool
}

// next is where the next of the steps that are left begins. The last of them is to find the end where it was.
func (at scrolled) next(left int) float64 {
	least := (at.Height - at.Seen) / float64(max(1, left-1))
	return at.Seen + max(0, math.Ceil(least)-at.window)
}

// whyStopped says why the end of a page was not reached.
func (at scrolled) whyStopped() string {
	switch {
	case at.Seen == 0:
		return "The page was not scrolled: loading it took all the time."
	case at.grew:
		return fmt.Sprintf("The page kept growing while it was scrolled; scrolling stopped at %.0f pixels, of %.0f by then.", at.Seen, at.Height)
	default:
		return fmt.Sprintf("Scrolling the page took too long; it stopped at %.0f of %.0f pixels.", at.Seen, at.Height)
	}
}

// scroll scrolls a visit to its end, step by step with the network at rest, and back to its top.
func (p *page) scroll(ctx, within context.Context) error {
	limited, cancel := context.WithTimeoutCause(within, scrollTimeout, errBudget)
	defer cancel()
	at, ended, err := p.scrollDown(limited)
	if err != nil && !(errors.Is(err, errBudget) && ctx.Err() == nil) {
		return err
	}
	if !ended {
		p.warnOfCut(at.whyStopped())
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
	for done := range maxScrolls {
		var next scrolled
		ran, err := p.run(ctx, scrolling, at.next(maxScrolls-done), &next)
		if err != nil || !ran {
			return at, !ran && err == nil, err
		}
		next.window, next.grew = cmp.Or(at.window, next.Seen), at.grew || done > 0 && next.Height > at.Height
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
