package page

import (
	"context"
	_ "embed"
	"math"

	"platen.dev/events/contract"
)

// unbreaking lets a document be one page.
//
//go:embed script/unbreaking.js
var unbreaking string

// arrangeSinglePage arranges a document as one page, and sets the paper to its height, which page rules have to say, too.
func (p press) arrangeSinglePage(ctx context.Context, params *printParams, f fitting) error {
	if _, err := p.run(ctx, unbreaking, map[string]int{"height": p.viewport.Height}, nil); err != nil {
		return err
	}
	if err := p.setSinglePage(ctx, params, f); err != nil {
		return err
	}
	if err := p.arrange(ctx, *params, f, 0); err != nil {
		return err
	}
	before := params.PaperHeight
	if err := p.setSinglePage(ctx, params, f); err != nil || params.PaperHeight == before {
		return err
	}
	return p.arrange(ctx, *params, f, 0)
}

// setSinglePage sets the paper to the height that a document has when it is printed with a fitting.
func (p press) setSinglePage(ctx context.Context, params *printParams, f fitting) error {
	before := p.viewport
	if err := p.setView(ctx, p.media, Size{Width: f.layout, Height: 1}, p.scale); err != nil { // content is at least as high as the window
		return err
	}
	content, err := p.contentSize(ctx)
	if err != nil {
		return err
	}
	params.setHeight(params.heightFor(content.Height, f.scale))
	return p.setView(ctx, p.media, before, p.scale)
}

// heightFor returns the height of the paper, in inches, on which content of a height in pixels is one page at a scale. One extra pixel compensates for rounding.
func (p *printParams) heightFor(content int, scale float64) float64 {
	margins := (marginPoints(p.MarginTop) + marginPoints(p.MarginBottom)) / pointsPerInch
	height := math.Ceil(((float64(content)+1)*scale/pixelsPerInch+margins)*pointsPerInch) / pointsPerInch
	return min(max(height, float64(contract.MinSide)), float64(contract.MaxSide))
}
