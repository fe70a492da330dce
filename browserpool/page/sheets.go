package page

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"platen.dev/events/contract"
)

// This file prints the first and the last page again, with header and footer of their own: the browser has one template for all pages.

// Sheet is a page of a printed document that was printed again, alone. Marked content has the same numbers as on the page of the
// whole document, so that it can replace the content of that page.
type Sheet struct {
	// Page is its place in the whole document's file, from 1.
	Page int
	PDF  []byte
}

// printSheets prints the pages that have templates of their own. params are those with which the document was printed; pages is how many pages were printed.
func (p press) printSheets(ctx context.Context, params printParams, pages int) (all []Sheet, err error) {
	o := p.job.Options
	ofFirst, ofLast := o.FirstHeader != nil || o.FirstFooter != nil, o.LastHeader != nil || o.LastFooter != nil
	if !o.HeaderFooter || !ofFirst && !ofLast {
		return nil, nil
	}
	total := pages
	if ofLast && o.PageRanges != "" {
		if total, err = p.totalPages(ctx, params); err != nil {
			return nil, err
		}
	}
	printed := contract.PagesOf(o.PageRanges)
	again := func(number, place int, header, footer *string) error {
		if !printed.Has(number) {
			return nil
		}
		own := params.withTemplates(o, header, footer)
		own.PageRanges, own.GenerateOutline = strconv.Itoa(number), false
		pdf, err := p.printAgain(ctx, own, p.job.maxBytes())
		if browserMessage(err) == rangeRefused {
			err = Because(fmt.Errorf("%w: page %d is gone", ErrRender, number), "The document changes while it is printed.")
		}
		all = append(all, Sheet{place, pdf})
		return err
	}
	if ofFirst {
		err = again(1, 1, o.FirstHeader, o.FirstFooter)
	}
	if ofLast && total > 1 && err == nil {
		err = again(total, pages, o.LastHeader, o.LastFooter)
	}
	return all, err
}

// sheetsSayTotal reports whether a template of the first or the last page says how many pages there are.
func sheetsSayTotal(o contract.Paper) bool {
	templates := []*string{o.FirstHeader, o.FirstFooter, o.LastHeader, o.LastFooter}
	return o.HeaderFooter && slices.ContainsFunc(templates, func(t *string) bool { return t != nil && strings.Contains(*t, "totalPages") })
}

// totalPages counts all pages of a document that was printed in part.
func (p press) totalPages(ctx context.Context, params printParams) (int, error) {
	pdf, err := p.printAgain(ctx, params.whole(), p.job.maxBytes())
	return countPDFPages(pdf), err
}
