package page

import (
	"context"
	_ "embed"
)

// ending brings running animations to their end.
//
//go:embed script/ending.js
var ending string

// endAnimations brings what fades in, slides in or changes to its end, if it has one and any was made: a document without animations does not pay
// for a script engine. If framed is set, it waits for the frame in which the page is told of the end; without script, a page has no such frame.
func (p *page) endAnimations(ctx context.Context, framed bool) error {
	if !p.progress.isAnimated() {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lookTimeout, errBudget)
	defer cancel()
	_, err := p.run(ctx, ending, framed, nil)
	return err
}
