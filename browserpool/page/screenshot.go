package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/chromium"
	"platen.dev/events/contract"
)

// fastEncodingPixels is the size from which a PNG is encoded for speed: that halves the
// time that a large image takes, and makes the file a quarter larger.
const fastEncodingPixels = 2 << 20

// screenshotParams is Page.captureScreenshot as it is sent. The clip selects the part of the page to show, regardless of its scroll position.
type screenshotParams struct {
	Format                string             `json:"format"`
	Quality               int                `json:"quality,omitempty"`
	Clip                  proto.PageViewport `json:"clip"`
	CaptureBeyondViewport bool               `json:"captureBeyondViewport"`
	OptimizeForSpeed      bool               `json:"optimizeForSpeed"`
}

// shot is a capture of what a page shows.
type shot struct {
	*page
	job      Capture
	viewport Size
}

// take captures the image, or refuses a document that is beyond a limit.
func (s shot) take(ctx context.Context) (Image, error) {
	if _, err := s.measure(ctx, s.job.Limits, s.job.HTML); err != nil {
		return Image{}, err
	}
	area, err := s.area(ctx)
	if err != nil {
		return Image{}, err
	}
	left, err := s.beginAt(ctx, area)
	if err != nil {
		return Image{}, err
	}
	scrolled, err := s.isScrolled(ctx)
	if err != nil {
		return Image{}, err
	}
	o, scale := s.job.Options, s.job.Options.DeviceScale()
	params := screenshotParams{
		Format: cmp.Or(o.Format, "png"), Clip: area,
		CaptureBeyondViewport: scrolled || !s.page.viewport.shows(area),
		OptimizeForSpeed:      area.Width*area.Height*scale*scale > fastEncodingPixels,
	}
	params.Clip.X += left
	if params.Format != "png" {
		params.Quality = cmp.Or(int(o.Quality), defaultQuality)
	}
	if o.Transparent {
		show, err := s.hideBackground(ctx)
		if err != nil {
			return Image{}, err
		}
		defer show()
	}
	image := Image{Width: int(math.Round(area.Width * scale)), Height: int(math.Round(area.Height * scale))}
	limit := cmp.Or(s.job.MaxBytes, contract.MaxFileBytes)
	err = s.onceActive(ctx, func() (err error) {
		image.Data, err = s.session.CallBytes(ctx, "Page.captureScreenshot", params, limit)
		return err
	})
	if errors.Is(err, chromium.ErrOversized) {
		err = Because(err, "The file is larger than %d bytes.", limit)
	}
	return image, err
}

// isScrolled reports whether script, or a field with the focus, has scrolled the page: what is above the window is then beyond it, too.
func (s shot) isScrolled(ctx context.Context) (scrolled bool, err error) {
	if s.kind != forVisit {
		return false, nil
	}
	_, err = s.run(ctx, "document => document.defaultView.scrollX != 0 || document.defaultView.scrollY != 0", nil, &scrolled)
	return scrolled, unlessLate(ctx, err)
}

// beginAt returns how far a document that begins at the right extends to the left of the window: the browser counts from there. It would capture
// what is below the window as far left of the area, and nothing of foreign frames there; so the window becomes as high as the area.
func (s shot) beginAt(ctx context.Context, area proto.PageViewport) (left float64, err error) {
	var layout *proto.PageGetLayoutMetricsResult
	err = s.onceActive(ctx, func() (err error) {
		layout, err = proto.PageGetLayoutMetrics{}.Call(s.session.With(ctx))
		return err
	})
	if err != nil {
		return 0, err
	}
	if at := layout.CSSLayoutViewport; at != nil && at.PageX != 0 {
		var scrolled float64
		if _, err := s.run(ctx, "document => document.defaultView.scrollX", nil, &scrolled); err != nil {
			return 0, unlessLate(ctx, err)
		}
		left = max(0, float64(at.PageX)-scrolled) // or else script has scrolled
	}
	foreign := visit{s.page}.hasForeign(ctx)
	if left < 1 && !foreign {
		return 0, nil
	}
	if err := s.raise(ctx, int(math.Ceil(area.Y+area.Height))); err != nil || !foreign {
		return left, err
	}
	_, err = s.run(ctx, twoFrames, nil, nil) // to draw them
	return left, unlessLate(ctx, err)
}

// raise makes the window at least as high as a number of pixels. Boxes that are as high as a share of the window keep their heights.
func (s shot) raise(ctx context.Context, high int) error {
	if high <= s.page.viewport.Height {
		return nil
	}
	if _, err := s.run(ctx, holdingHeights, nil, nil); err != nil {
		return unlessLate(ctx, err)
	}
	if err := s.setView(ctx, s.media, Size{Width: s.page.viewport.Width, Height: high}, s.scale); err != nil {
		return err
	}
	_, err := s.run(ctx, keepingHeights, nil, nil)
	return unlessLate(ctx, err)
}

// holdingHeights notes how high boxes are in the window, and keepingHeights has those that have grown with it keep that height.
const (
	holdingHeights = `(document, _, { highIn }) => { globalThis.held = highIn(document.body ?? document.documentElement, innerHeight) }`
	keepingHeights = `(document, _, { keepHeights }) => keepHeights(held)`
)

// shows reports whether a viewport of this size shows the whole of an area.
func (s Size) shows(a proto.PageViewport) bool {
	return a.X+a.Width <= float64(s.Width) && a.Y+a.Height <= float64(s.Height)
}

// hideBackground removes the white background of documents until show is called.
func (p *page) hideBackground(ctx context.Context) (show func(), err error) {
	none := 0.0
	if err := (proto.EmulationSetDefaultBackgroundColorOverride{Color: &proto.DOMRGBA{A: &none}}).Call(p.session.With(ctx)); err != nil {
		return nil, err
	}
	return func() {
		ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), stepTimeout, errBudget)
		defer cancel()
		if (proto.EmulationSetDefaultBackgroundColorOverride{}).Call(p.session.With(ctx)) != nil {
			p.session.Detach() // no other document may be shown without a background
		}
	}, nil
}

// area is the part of the page that the image shows, in CSS pixels from the page's top left corner.
func (s shot) area(ctx context.Context) (proto.PageViewport, error) {
	o, a := s.job.Options, proto.PageViewport{Width: float64(s.viewport.Width), Height: float64(s.viewport.Height), Scale: 1}
	switch {
	case o.Clip != contract.Box{}:
		a.X, a.Y, a.Width, a.Height = float64(o.Clip.X), float64(o.Clip.Y), float64(o.Clip.Width), float64(o.Clip.Height)
		return a, s.unrollFor(ctx)
	case o.Selector != "":
		if err := s.unrollFor(ctx); err != nil {
			return a, err
		}
		box, err := s.boxOf(ctx, o.Selector)
		if err != nil {
			return a, err
		}
		if box.Width > contract.MaxWidth {
			s.warnOfCut(fmt.Sprintf("The element is %.0f pixels wide. The image ends after %d.", box.Width, contract.MaxWidth))
		}
		a.X, a.Y, a.Width, a.Height = box.X, box.Y, min(box.Width, contract.MaxWidth), box.Height
		return s.cut(a, "element"), nil
	case o.FullPage:
		if err := s.unroll(ctx); err != nil {
			return a, err
		}
		content, err := s.contentSize(ctx)
		if err != nil {
			return a, err
		}
		a.Height = float64(max(content.Height, s.viewport.Height))
		return s.cut(a, "page"), nil
	case s.kind == forVisit && strings.Contains(s.job.URL, "#"):
		if err := s.unrollFor(ctx); err != nil {
			return a, err
		}
		_, err := s.run(ctx, targeting, nil, &a.Y)
		return a, unlessLate(ctx, err)
	}
	return a, nil
}

// targeting returns where a window begins that shows what the fragment of the URL names; 0 without such an element.
const targeting = `document => {
	const target = document.querySelector(":target"), root = document.scrollingElement ?? document.documentElement
	if (!target) return 0
	const above = [getComputedStyle(target).scrollMarginTop, getComputedStyle(document.documentElement).scrollPaddingTop].map(space => parseFloat(space) || 0)
	const top = target.getBoundingClientRect().top + scrollY - above[0] - above[1]
	return Math.max(0, Math.min(top, root.scrollHeight - innerHeight))
}`

// unroll shows what only scrolling would: sections, all of frames, and what bars that are fixed to the window would cover in the middle of the image.
func (s shot) unroll(ctx context.Context) error {
	if s.kind != forVisit {
		return nil
	}
	scripts := []string{optional(leaving), optional(unrolling), optional(framing)}
	if s.job.URL != "" {
		scripts = append(scripts, optional(undimming), unfixing)
	}
	visit{s.page}.noteForeign(ctx)
	var hidden struct{ Below int }
	_, err := s.run(ctx, merged(scripts...), arrangement{Page: s.viewport.Height}, &hidden)
	s.warnOfHidden(hidden.Below)
	return unlessLate(ctx, err)
}

// unrollFor has what depends on the window be drawn outside of it, too, once script has reacted to the window's return to its height.
func (s shot) unrollFor(ctx context.Context) error {
	if s.kind != forVisit {
		return nil
	}
	scripts := []string{optional(unrolling)}
	if s.scripted {
		scripts = append(scripts, twoFrames)
	}
	for _, script := range scripts {
		if _, err := s.run(ctx, script, nil, nil); err != nil {
			return unlessLate(ctx, err)
		}
	}
	return nil
}

// twoFrames lasts for two frames.
const twoFrames = `async () => { for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame) }`

// cut reduces an area to the largest that an image can show, and warns of what it lacks.
func (s shot) cut(a proto.PageViewport, what string) proto.PageViewport {
	if largest := float64(s.job.Options.Largest(a.Width)); a.Height > largest {
		s.warnOfCut(fmt.Sprintf("The %s is %.0f pixels high. The image ends after %.0f.", what, a.Height, largest))
		a.Height = largest
	}
	return a
}

// elementBox is where an element is drawn on a page.
type elementBox struct {
	Found bool
	// Cut is set if a part of the element is not drawn.
	Cut                 bool
	X, Y, Width, Height float64
}

// boxOf returns the box of the first element that a selector matches.
func (s shot) boxOf(ctx context.Context, selector string) (b elementBox, err error) {
	err = s.query(ctx, boxing, selector, &b)
	switch {
	case err != nil:
		return b, err
	case !b.Found:
		return b, noMatch(selector)
	case b.Width < 1 || b.Height < 1:
		return b, Because(ErrSelector, "The element that matches %q is invisible: it is less than a pixel wide or high.", clip(selector))
	case b.Cut:
		s.warnOfCut("A part of the element is outside of the page, or of a box that holds it.")
	}
	return b, nil
}

// onceActive repeats a call while another document is about to take the place of this one: a
// job that waits for contract.UntilCommit only may be that early.
func (p *page) onceActive(ctx context.Context, call func() error) error {
	for {
		err := call()
		if !errors.Is(err, cdp.ErrNotAttachedToActivePage) {
			return err
		}
		if err := p.waitFor(ctx, nil, pollInterval); err != nil {
			return err
		}
	}
}
