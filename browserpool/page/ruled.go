package page

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"platen.dev/events/contract"
)

// ruling reads the paper of page rules.
//
//go:embed script/ruling.js
var ruling string

// ruled is the paper that page rules ask for, in CSS pixels; what they leave open is nil.
type ruled struct {
	Width, Height            *float64
	Turned                   string
	Top, Right, Bottom, Left *float64
}

// ruledPaper returns params with the paper of the page rules, as far as they specify it and the job leaves it to them, and lays the document out for that.
// The browser applies the rules itself; this is for what must be known before.
func (p press) ruledPaper(ctx context.Context, params printParams) (printParams, error) {
	var r ruled
	if ran, err := p.run(ctx, ruling, nil, &r); errors.Is(err, errScript) || err == nil && !ran {
		return params, nil
	} else if err != nil {
		return params, err
	}
	if !params.PreferCSSPageSize {
		r = r.leftBy(p.job.Options)
	}
	if r == (ruled{}) {
		return params, nil
	}
	given, lenient := params, !params.PreferCSSPageSize && !params.SinglePage
	err := params.follow(r)
	if err != nil && lenient && r != r.margins() {
		params, r = given, r.margins()
		err = params.follow(r)
	}
	switch {
	case err != nil && lenient: // the browser knows better what to do with them
		return given, nil
	case err != nil:
		return params, err
	case !params.PreferCSSPageSize && r != r.margins(): // the browser lays out for the size of the rules, and scales that to the paper
		params.sent = sentPaper{given.PaperWidth, given.PaperHeight, given.Landscape}
	}
	params.setTemplates(p.job.Options)
	return params, p.setView(ctx, p.media, params.viewport(), p.scale)
}

// leftBy returns the rules that options do not override.
func (r ruled) leftBy(o contract.Paper) ruled {
	open := func(given string, said *float64) *float64 {
		if given != "" {
			return nil
		}
		return said
	}
	if o.GivesSize() || o.SinglePage {
		r = r.margins()
	}
	r.Top, r.Right, r.Bottom, r.Left = open(o.MarginTop, r.Top), open(o.MarginRight, r.Right), open(o.MarginBottom, r.Bottom), open(o.MarginLeft, r.Left)
	return r
}

// margins returns the rules without a size.
func (r ruled) margins() ruled {
	return ruled{Top: r.Top, Right: r.Right, Bottom: r.Bottom, Left: r.Left}
}

// follow applies what page rules specify.
func (p *printParams) follow(r ruled) error {
	width, height := p.paperSize()
	if r.Width != nil && r.Height != nil {
		width, height = *r.Width/pixelsPerInch, *r.Height/pixelsPerInch
	}
	if r.Turned == "landscape" && width < height || r.Turned == "portrait" && width > height {
		width, height = height, width
	}
	p.PaperWidth, p.PaperHeight, p.Landscape = width, height, false
	if p.SinglePage {
		p.PaperHeight = float64(contract.MaxSide)
	}
	for _, side := range []float64{width, height} {
		if side < float64(contract.MinSide)-rounding || side > float64(contract.MaxSide)+rounding {
			return Because(fmt.Errorf("%w: page rules", ErrOptions), "The page rules (@page) ask for paper outside the range of 10 mm to 200 in.")
		}
	}
	for _, side := range []struct{ said, inches *float64 }{
		{r.Top, &p.MarginTop}, {r.Right, &p.MarginRight}, {r.Bottom, &p.MarginBottom}, {r.Left, &p.MarginLeft},
	} {
		if side.said != nil {
			*side.inches = max(0, *side.said/pixelsPerInch)
		}
	}
	if err := p.checkRoom(); err != nil {
		return Because(err, "The margins of the page rules (@page) leave no room on the paper.")
	}
	return nil
}
