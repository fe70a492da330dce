package page

import (
	"context"

	"github.com/go-rod/rod/lib/proto"
)

const (
	// maxDrawnHeight is how much of a page is drawn before it is printed, in CSS pixels
	// from the top: drawing takes four bytes per pixel.
	maxDrawnHeight = 20_000
	// threeFrames lasts until an observer that sees something in the first frame has been
	// called in the second and has drawn in the third.
	threeFrames = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done()))))`
)

// renderBelowFold makes the viewport as high as the document for a moment, as if somebody
// had scrolled through it: charts and pictures that wait for an IntersectionObserver are
// drawn. At most maxHeight is shown. The viewport gets its size back. A page on which no
// script ran waits for nothing and is spared the drawing.
func (p *page) renderBelowFold(ctx context.Context, m measurements, maxHeight int) error {
	if p.kind != forVisit || !m.scripted || m.content.Height <= p.viewport.Height {
		return nil
	}
	before := p.viewport
	whole := Size{Width: before.Width, Height: min(m.content.Height, maxHeight)}
	if err := p.setView(ctx, p.media, whole); err != nil {
		return err
	}
	if _, err := p.evaluate(ctx, proto.RuntimeEvaluate{Expression: threeFrames, AwaitPromise: true}); err != nil {
		return err
	}
	return p.setView(ctx, p.media, before)
}
