package browserpool

import (
	"context"

	"github.com/go-rod/rod/lib/proto"
)

const (
	// maxReveal is how much of a page is shown at once, in CSS pixels from the top: it is
	// drawn, and that takes four bytes a pixel.
	maxReveal = 20_000
	// threeFrames are what it takes until an observer that sees something in the first
	// has been told in the second and has drawn in the third.
	threeFrames = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done()))))`
)

// reveal shows a visited page whole for a moment, as if somebody had scrolled through
// it: charts and pictures that wait until an IntersectionObserver sees them are drawn.
// Most is how much is shown, from the top. The window has its size again afterwards.
// What has no script waits for nothing, and is spared the drawing.
func (p *page) reveal(ctx context.Context, w weight, most int) error {
	if p.visiting == nil || !w.scripted || w.content.Height <= p.size.Height {
		return nil
	}
	window := p.size
	whole := Size{Width: window.Width, Height: min(w.content.Height, most)}
	if err := p.view(ctx, p.media, whole); err != nil {
		return err
	}
	if _, err := p.evaluate(ctx, proto.RuntimeEvaluate{Expression: threeFrames, AwaitPromise: true}); err != nil {
		return err
	}
	return p.view(ctx, p.media, window)
}
