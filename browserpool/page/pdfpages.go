package page

import (
	"context"
	"fmt"

	"platen.dev/events/contract"
)

// This file keeps documents of too many pages from being printed: the time that
// printing takes grows with the square of their number, and the browser does not stop.

// rangeRefused is the browser's message for page ranges that a document does not have.
const rangeRefused = "Page range exceeds page count"

// checkPDFPages refuses a document that has too many pages on paper: the first page beyond
// the limit is printed, which takes no longer than the layout.
func (p press) checkPDFPages(ctx context.Context, params printParams) error {
	limit := p.job.Limits.withDefaults().Pages
	params = params.whole()
	params.PageRanges = fmt.Sprintf("%d-%d", limit+1, limit+1)
	_, err := p.printAt(ctx, params, contract.MaxFileBytes)
	switch {
	case err == nil:
		return exceeded(int64(limit), "pages")
	case browserMessage(err) == rangeRefused:
		return nil
	default:
		return err
	}
}

// mayBeLong reports whether a document may have too many pages. The browser also counts texts, and what earlier documents have left, so elements are
// counted before a visit is taken for long.
func (p press) mayBeLong(ctx context.Context, m measurements, params printParams) (long bool, err error) {
	limit := p.job.Limits.withDefaults().Pages
	if p.kind == forVisit && m.maxPDFPages(params) > limit {
		_, err = p.run(ctx, optional(countElements), nil, &m.nodes)
	}
	return m.maxPDFPages(params) > limit, err
}

// countElements counts the elements of a document.
const countElements = `(document, _, all) => all.within(document).length`

// maxPDFPages is a bound on the pages that a document has on paper: a page is begun by
// an element, or by content that is higher than a page.
func (m measurements) maxPDFPages(params printParams) int {
	return 1 + m.nodes + 2*m.content.Height/params.printableHeight()
}

// checkPDFPages refuses a PDF that nevertheless has too many pages.
func (l Limits) checkPDFPages(pages int) error {
	if limit := l.withDefaults().Pages; pages > limit {
		return exceeded(int64(limit), "pages")
	}
	return nil
}
