package page

import (
	"context"
	_ "embed"
	"errors"
)

var (
	// waiting notes what is hidden until somebody scrolls to it.
	//go:embed script/waiting.js
	waiting string
	// passing scrolls through the document.
	//go:embed script/passing.js
	passing string
	// retaining keeps what has been shown.
	//go:embed script/retaining.js
	retaining string
)

// noteWaiting notes what is hidden below the window until somebody scrolls to it, and whether a list draws only what the window shows, if the job shows
// more than that.
func (p visit) noteWaiting(ctx context.Context, d document) error {
	if !d.isSeenBelowFold() {
		return nil
	}
	var found struct {
		Waiting int
		Lists   bool
	}
	_, err := p.run(ctx, waiting, d.viewport.Height, &found)
	p.found.waiting, p.found.lists = found.Waiting, found.Lists
	return err
}

// pass scrolls through a page that still hides something in a window of all its height, and looks at it again: some sections are as high as the
// window, and some script counts by its height.
func (p visit) pass(ctx, within context.Context, d document, whole Size, since mark) error {
	var hides bool
	if _, err := p.run(within, "(document, _, { isShown }) => [...waiting.keys()].some(e => !isShown(e))", nil, &hides); err != nil || !hides {
		return err
	}
	if err := p.setView(ctx, p.media, d.viewport, p.scale); err != nil {
		return err
	}
	limited, cancel := context.WithTimeoutCause(within, lookTimeout, errBudget)
	defer cancel()
	if _, err := p.run(limited, passing, nil, nil); err != nil && !errors.Is(err, errBudget) {
		return err
	}
	return p.look(ctx, within, d.load.WaitUntil, whole, since)
}

// keepShown keeps what has been shown in sight when the window becomes smaller again.
func (p visit) keepShown(ctx context.Context) error {
	if p.found.waiting == 0 {
		return nil
	}
	_, err := p.run(ctx, retaining, nil, nil)
	return err
}
