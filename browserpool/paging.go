package browserpool

import (
	"context"
	"fmt"
)

// This file keeps documents of too many pages from being printed: the time that
// takes grows with the square of their number, and the browser does not stop.

// beyond is how the browser refuses pages that a document does not have.
const beyond = "Page range exceeds page count"

// weighPages refuses a document of too many pages. Where it may have them, the
// first that is too many is printed: that takes no longer than the layout.
func (p *page) weighPages(ctx context.Context, limits Limits, w weight, params printParams) error {
	most := limits.withDefaults().Pages
	if w.pages(params) <= most {
		return nil
	}
	if params.Scale == 0 {
		content, err := p.contentSize(ctx)
		if err != nil {
			return err
		}
		params.Scale = p.fit(content)
	}
	params.PageRanges = fmt.Sprintf("%d-%d", most+1, most+1)
	_, err := p.printAt(ctx, params, DefaultMaxBytes)
	switch {
	case err == nil:
		return exceeded(int64(most), "pages")
	case browserError(err) == beyond:
		return nil
	default:
		return err
	}
}

// pages guesses on the high side: a page is begun by an element, or by content that
// is higher than a page.
func (w weight) pages(params printParams) int {
	return 1 + w.nodes + 2*w.content.Height/params.pageHeight()
}

// pageHeight is how much of a document fits on a page, in CSS pixels.
func (p *printParams) pageHeight() int {
	_, paper := p.sheet()
	return max(1, int((paper-p.MarginTop-p.MarginBottom)*pixelsPerInch/orElse(p.Scale, 1)))
}

// checkPages refuses what was printed all the same.
func (l Limits) checkPages(pages int) error {
	if most := l.withDefaults().Pages; pages > most {
		return exceeded(int64(most), "pages")
	}
	return nil
}
