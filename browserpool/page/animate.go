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
// for a script engine. framed says whether script may run, and so be told of the end. The last time is before the page is printed or captured.
func (p *page) endAnimations(ctx context.Context, last, framed bool) error {
	if !p.progress.isAnimated() {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lookTimeout, errBudget)
	defer cancel()
	_, err := p.run(ctx, ending, map[string]bool{"last": last, "framed": framed}, nil)
	return err
}
