package page

import (
	"fmt"
	"math"

	"platen.dev/events/contract"
)

// browserShrink is how much the browser itself reduces what is wider than the paper when it
// prints. It cuts what is wider still.
const browserShrink = 1.5

// extent is how wide the content of a loaded document is, in CSS pixels.
type extent struct {
	// content is the width of all that can be scrolled to.
	content int
	// visible is the width of what of it can be seen; if content is not wider than the viewport,
	// it is 0.
	visible int
	// rtl means that it begins at the right edge and is too wide at the left one.
	rtl bool
	// exact means that nothing is left to the browser, so that it is known how high the document becomes.
	exact bool
}

// fitting is how a document is brought onto the paper.
type fitting struct {
	// scale is that of Page.printToPDF. What is then too wide is reduced by the browser unless it
	// is held.
	scale float64
	// hold keeps the browser from reducing anything: what is wider than layout is cut.
	hold bool
	// layout is how wide the document is laid out, in CSS pixels.
	layout int
	// cut means that something that can be seen is wider than that.
	cut bool
}

// fit decides how content is printed on paper whose printable width is that of a viewport. The
// scale asked for is kept; 0 means that what can be seen is fitted to the paper, as far as
// contract.MinScale allows.
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
	case e.exact || e.rtl || visible < e.content: // the browser would not fit it, or fit what cannot be seen
		scale := math.Max(contract.MinScale, 1/ratio)
		layout := int(math.Floor(float64(viewport)/scale + rounding))
		return fitting{scale: math.Min(1, scale*(1+rounding)), hold: true, layout: layout, cut: visible > layout}
	case ratio > (browserShrink+1/firstStep)/2:
		return fitting{scale: firstStep, layout: visible, cut: ratio > browserShrink/firstStep}
	default:
		return fitting{scale: 1, layout: visible}
	}
}

const (
	// firstStep is the scale from which the browser's own reduction comes to contract.MinScale.
	firstStep = contract.MinScale * browserShrink
	// rounding makes up for the browser's, which is to 300 dots an inch.
	rounding = 3e-5
)

// whatIsCut says what does not fit.
func (f fitting) whatIsCut(e extent) string {
	edge := "right"
	if e.rtl {
		edge = "left"
	}
	return fmt.Sprintf("The page is %d pixels wide. What does not fit the %d pixels between the margins is cut off at the %s edge.", e.visible, f.layout, edge)
}
