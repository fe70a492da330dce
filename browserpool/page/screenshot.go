package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/chromium"
	"platen.dev/events/contract"
)

// fastEncodingPixels is the size from which a PNG is encoded for speed: that halves the
// time that a large image takes, and makes the file a quarter larger.
const fastEncodingPixels = 2 << 20

// screenshotParams is Page.captureScreenshot as it is sent. The clip says what of the page is shown, wherever it has scrolled to.
type screenshotParams struct {
	Format                string             `json:"format"`
	Quality               int                `json:"quality,omitempty"`
	Clip                  proto.PageViewport `json:"clip"`
	CaptureBeyondViewport bool               `json:"captureBeyondViewport"`
	OptimizeForSpeed      bool               `json:"optimizeForSpeed"`
}

// screenshot captures what the page shows.
func (p *page) screenshot(ctx context.Context, job Capture, viewport Size) (Image, error) {
	area, err := p.area(ctx, job.Options, viewport)
	if err != nil {
		return Image{}, err
	}
	o, scale := job.Options, job.Options.DeviceScale()
	params := screenshotParams{
		Format: cmp.Or(o.Format, "png"), Clip: area,
		CaptureBeyondViewport: area.X+area.Width > float64(p.viewport.Width) || area.Y+area.Height > float64(p.viewport.Height),
		OptimizeForSpeed:      area.Width*area.Height*scale*scale > fastEncodingPixels,
	}
	if params.Format != "png" {
		params.Quality = cmp.Or(int(o.Quality), defaultQuality)
	}
	if o.Transparent {
		show, err := p.hideBackground(ctx)
		if err != nil {
			return Image{}, err
		}
		defer show()
	}
	image := Image{Width: int(math.Round(area.Width * scale)), Height: int(math.Round(area.Height * scale))}
	limit := cmp.Or(job.MaxBytes, contract.MaxFileBytes)
	err = p.onceActive(ctx, func() (err error) {
		image.Data, err = p.session.CallBytes(ctx, "Page.captureScreenshot", params, limit)
		return err
	})
	if errors.Is(err, chromium.ErrOversized) {
		err = Because(err, "The file is larger than %d bytes.", limit)
	}
	return image, err
}

// hideBackground leaves out the white behind documents until show is called.
func (p *page) hideBackground(ctx context.Context) (show func(), err error) {
	none := 0.0
	if err := (proto.EmulationSetDefaultBackgroundColorOverride{Color: &proto.DOMRGBA{A: &none}}).Call(p.session.With(ctx)); err != nil {
		return nil, err
	}
	return func() {
		ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), stepTimeout, errBudget)
		defer cancel()
		if (proto.EmulationSetDefaultBackgroundColorOverride{}).Call(p.session.With(ctx)) != nil {
			p.session.Detach() // no other document may be shown on nothing
		}
	}, nil
}

// area is the part of the page that an image shows, in CSS pixels from the page's top left corner.
func (p *page) area(ctx context.Context, o contract.Image, viewport Size) (proto.PageViewport, error) {
	a := proto.PageViewport{Width: float64(viewport.Width), Height: float64(viewport.Height), Scale: 1}
	switch {
	case o.Clip != contract.Box{}:
		a.X, a.Y, a.Width, a.Height = float64(o.Clip.X), float64(o.Clip.Y), float64(o.Clip.Width), float64(o.Clip.Height)
		return a, nil
	case o.Selector != "":
		box, err := p.boxOf(ctx, o.Selector)
		if err != nil {
			return a, err
		}
		a.X, a.Y, a.Width, a.Height = box.X, box.Y, min(box.Width, contract.MaxWidth), box.Height
		return p.cut(a, o, "element"), nil
	case o.FullPage:
		content, err := p.contentSize(ctx)
		if err != nil {
			return a, err
		}
		a.Height = float64(max(content.Height, viewport.Height))
		return p.cut(a, o, "page"), nil
	}
	return a, nil
}

// cut makes an image no larger than it may be, and warns of what it lacks.
func (p *page) cut(a proto.PageViewport, o contract.Image, what string) proto.PageViewport {
	if largest := float64(o.Largest(a.Width)); a.Height > largest {
		p.warn(contract.PageCut, fmt.Sprintf("The %s is %.0f pixels high. The image ends after %.0f.", what, a.Height, largest))
		a.Height = largest
	}
	return a
}

// elementBox is where an element is drawn on a page.
type elementBox struct {
	Found               bool
	X, Y, Width, Height float64
}

// measureBox measures the border box of the first element that a selector matches.
const measureBox = `(document, selector) => {
	const element = document.querySelector(selector);
	if (element === null) return {Found: false};
	const r = element.getBoundingClientRect(), view = document.defaultView;
	const x = Math.max(0, r.left + view.scrollX), y = Math.max(0, r.top + view.scrollY);
	return {Found: true, X: x, Y: y, Width: r.right + view.scrollX - x, Height: r.bottom + view.scrollY - y};
}`

// boxOf returns the box of the first element that a selector matches.
func (p *page) boxOf(ctx context.Context, selector string) (b elementBox, err error) {
	_, err = p.run(ctx, measureBox, selector, &b)
	switch {
	case errors.Is(err, errScript):
		return b, Because(fmt.Errorf("%w: it cannot be parsed", ErrSelector), "The selector %q is not valid CSS.", clip(selector))
	case err != nil:
		return b, err
	case !b.Found:
		return b, Because(ErrSelector, "Nothing in the document matches the selector %q.", clip(selector))
	case b.Width < 1 || b.Height < 1:
		return b, Because(ErrSelector, "What the selector %q matches is not shown: it is less than a pixel wide or high.", clip(selector))
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
