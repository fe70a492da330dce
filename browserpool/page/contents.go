package page

import (
	"context"
	_ "embed"
	"errors"

	"platen.dev/events/contract"
)

// This file prints a document with a page of contents: first without numbers, to learn on which pages the headings are, then with them.

var (
	// contents inserts the table of contents before the document; numbering writes the page numbers into it.
	//go:embed script/contents.js
	contents string
	//go:embed script/numbering.js
	numbering string
)

// addContents inserts the table of contents before the loaded document. It returns the destination of each entry; none if there are no headings.
func (p press) addContents(ctx context.Context, toc *contract.TOC) (names []string, err error) {
	if toc == nil {
		return nil, nil
	}
	_, err = p.run(ctx, contents, map[string]any{"title": toc.Title, "depth": toc.Depth}, &names)
	if errors.Is(err, errScript) {
		err = Because(ErrRender, "The table of contents could not be added to the document.")
	}
	return names, err
}

// printWithContents prints a document with a table of contents; names are its destinations. To learn their page numbers, it prints all pages first.
func (p press) printWithContents(ctx context.Context, m measurements, params *printParams, names []string) ([]byte, error) {
	asked := *params
	*params = params.whole()
	pdf, err := p.printFitted(ctx, m, params)
	params.PageRanges, params.GenerateTaggedPDF, params.GenerateOutline = asked.PageRanges, asked.GenerateTaggedPDF, asked.GenerateOutline
	if err != nil {
		return nil, err
	}
	pages, numbers := destinations(pdf), make([]int, len(names))
	for i, name := range names {
		numbers[i] = pages[name]
	}
	if _, err := p.run(ctx, numbering, numbers, nil); err != nil {
		return nil, err
	}
	return p.printAgain(ctx, *params, p.job.maxBytes())
}
