package page

import (
	"context"
	_ "embed"
	"fmt"

	"platen.dev/events/contract"
)

// Warning tells the requester of the file about a deviation.
type Warning struct {
	// Code is one of contract.WarningCodes.
	Code string
	// Detail is a sentence that may be shown: it has no secret, and no address that the document
	// itself does not name.
	Detail string
}

// warnOfCut notes that a part of the document is not shown.
func (p *page) warnOfCut(detail string) {
	p.found.warned = append(p.found.warned, Warning{contract.PageCut, detail})
}

// endless is the height in pixels from which a box has no content of that height: an editor reserves it for as many lines as there may be.
const endless = 1_000_000

// warnOfHidden warns of pixels that boxes hide below their lower edges.
func (p *page) warnOfHidden(pixels int) {
	switch {
	case pixels >= endless:
		p.warnOfCut("The page scrolls in an inner box, which shows only a part of its content.")
	case pixels > 0:
		p.warnOfCut(fmt.Sprintf("The page scrolls in an inner box; %d pixels of its content are not shown.", pixels))
	}
}

// glancing reports whether a document shows nothing.
//
//go:embed script/glancing.js
var glancing string

// noteBlank warns of a visit that has script and shows nothing.
func (p visit) noteBlank(ctx context.Context) error {
	var blank bool
	if !p.scripted {
		return nil
	}
	_, err := p.run(ctx, optional(glancing), nil, &blank)
	if blank {
		p.found.warned = append(p.found.warned, Warning{contract.PageBlank, "The page shows nothing. To see whether its script failed, set fail_on_script_error."})
	}
	return err
}

// warnings are those about the document, at most contract.MaxWarnings.
func (p *page) warnings() []Warning {
	all := append(p.found.warned, p.progress.missing()...)
	return all[:min(len(all), contract.MaxWarnings)]
}
