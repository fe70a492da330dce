package browserpool

import (
	"context"
	"math"

	"github.com/go-rod/rod/lib/proto"
)

// quickPixels is from how many pixels on a png is encoded quickly, which halves
// the time that a large one takes for a quarter more bytes.
const quickPixels = 2 << 20

// shotParams is Page.captureScreenshot as it is sent. A clip keeps the picture
// to the window's width and starts it at the top, wherever the page has scrolled to.
type shotParams struct {
	Format                string             `json:"format"`
	Quality               int                `json:"quality,omitempty"`
	Clip                  proto.PageViewport `json:"clip"`
	CaptureBeyondViewport bool               `json:"captureBeyondViewport"`
	OptimizeForSpeed      bool               `json:"optimizeForSpeed"`
}

// shoot makes a picture of what the page shows.
func (p *page) shoot(ctx context.Context, job Capture, size Size) (Image, error) {
	if job.FullPage {
		content, err := p.contentSize(ctx)
		if err != nil {
			return Image{}, err
		}
		size.Height = min(max(content.Height, size.Height), maxPageHeight)
	}
	params := shotParams{
		Format:                orElse(job.Format, "png"),
		Clip:                  proto.PageViewport{Width: float64(size.Width), Height: float64(size.Height), Scale: 1},
		CaptureBeyondViewport: size.Height > p.size.Height,
		OptimizeForSpeed:      size.Width*size.Height > quickPixels,
	}
	if params.Format == "jpeg" {
		params.Quality = orElse(job.Quality, DefaultQuality)
	}
	image := Image{Width: size.Width, Height: size.Height}
	err := p.whenActive(ctx, func() (err error) {
		image.Data, err = p.session.CallBytes(ctx, "Page.captureScreenshot", params, orElse(job.MaxBytes, DefaultMaxBytes))
		return err
	})
	return image, err
}

// inactive is what the browser says of a document that is just about to take the
// place of another.
const inactive = "Not attached to an active page"

// whenActive makes a call, again and again while the page is not ready for it: a
// job that waits for the commit only may be that early.
func (p *page) whenActive(ctx context.Context, call func() error) error {
	for {
		err := call()
		if browserError(err) != inactive {
			return err
		}
		if err := p.waitFor(ctx, nil, lookEvery); err != nil {
			return err
		}
	}
}

// contentSize is how large the page is, all that one can scroll to, in CSS pixels.
func (p *page) contentSize(ctx context.Context) (Size, error) {
	layout, err := proto.PageGetLayoutMetrics{}.Call(p.session.With(ctx))
	if err != nil || layout.CSSContentSize == nil {
		return Size{}, err
	}
	return Size{Width: int(math.Ceil(layout.CSSContentSize.Width)), Height: int(layout.CSSContentSize.Height)}, nil
}
