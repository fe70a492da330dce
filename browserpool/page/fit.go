package page

import (
	"fmt"
	"math"

	"platen.dev/events/contract"
)

// browserShrink is the factor by which the browser itself shrinks content that is wider than the paper. It cuts what is still wider.
const browserShrink = 1.5

// extent is how wide the content of a loaded document is, in CSS pixels.
type extent struct {
	// content is the width of all that can be scrolled to.
	content int
	// visible is the width of the visible part of that; 0 if content is not wider than the viewport.
	visible int
	// rtl means that it begins at the right edge and is too wide at the left one.
	rtl bool
	// both means that it is too wide at both edges: what is centred would begin beyond the paper in any narrower layout.
	both bool
	// exact means that nothing is left to the browser, so that the height of the document is known.
	exact bool
}

// fitting is how a document is fitted to the paper.
type fitting struct {
	// scale is that of Page.printToPDF. Content that is then too wide is shrunk by the browser, unless hold is set.
	scale float64
	// hold keeps the browser from shrinking anything: content wider than layout is cut.
	hold bool
	// layout is the width for which the document is laid out, in CSS pixels.
	layout int
	// cut means that visible content is wider than that.
	cut bool
	// root is the width that the root keeps, because content would be too wide for any layout otherwise, as one of 104 %; 0 leaves it.
	root int
}

// fit decides how content is printed on paper whose printable width is that of a viewport. A requested scale is kept; 0
// fits the visible content to the paper, down to contract.MinScale.
func fit(asked float64, viewport int, e extent) fitting {
	whole := fitting{scale: 1, layout: viewport}
	if asked != 0 {
		whole.scale = asked
	}
	if e.content <= viewport+1 { // it is rounded up, and the viewport down
		return whole
	}
	visible := max(viewport, e.visible)
	ratio := float64(visible) / float64(viewport)
	switch {
	case asked != 0:
		whole.hold, whole.cut = true, visible > viewport
		return whole
	case e.exact || e.rtl || e.both || visible < e.content: // the browser would not fit it, or would fit invisible content
		scale := math.Max(contract.MinScale, 1/ratio)
		layout := int(math.Floor(float64(viewport)/scale + rounding))
		return fitting{scale: math.Min(1, scale*(1+rounding)), hold: true, layout: layout, cut: visible > layout}
	case ratio > (browserShrink+1/firstStep)/2:
		widest := int(float64(viewport) * browserShrink / firstStep)
		return fitting{scale: firstStep, layout: min(visible, widest), cut: visible > widest}
	default:
		return fitting{scale: 1, layout: visible}
	}
}

const (
	// firstStep is the scale at which the browser's own reduction leads to contract.MinScale.
	firstStep = contract.MinScale * browserShrink
	// rounding makes up for the browser's, which is to 300 dots an inch.
	rounding = 3e-5
)

// whatIsCut describes what does not fit.
func (f fitting) whatIsCut(e extent) string {
	edge := "the right edge"
	switch {
	case e.both:
		edge = "both edges"
	case e.rtl:
		edge = "the left edge"
	}
	return fmt.Sprintf("The page is %d pixels wide. Content beyond the %d pixels between the margins is cut off at %s.", e.visible, f.layout, edge)
}
