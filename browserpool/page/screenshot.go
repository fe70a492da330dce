package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/chromium"
	"platen.dev/events/contract"
)

// fastEncodingPixels is the size from which a PNG is encoded for speed: that halves the
// time that a large image takes, and makes the file a quarter larger.
const fastEncodingPixels = 2 << 20

// screenshotParams is Page.captureScreenshot as it is sent. The clip keeps the image
// to the viewport's width and starts it at the top, wherever the page has scrolled to.
type screenshotParams struct {
	Format                string             `json:"format"`
	Quality               int                `json:"quality,omitempty"`
	Clip                  proto.PageViewport `json:"clip"`
	CaptureBeyondViewport bool               `json:"captureBeyondViewport"`
	OptimizeForSpeed      bool               `json:"optimizeForSpeed"`
}

// screenshot captures what the page shows.
func (p *page) screenshot(ctx context.Context, job Capture, size Size) (Image, error) {
	if job.Options.FullPage {
		content, err := p.contentSize(ctx)
		if err != nil {
			return Image{}, err
		}
		size.Height = min(max(content.Height, size.Height), contract.MaxPageHeight)
		if content.Height > contract.MaxPageHeight {
			p.warn(contract.PageCut, fmt.Sprintf("The page is %d pixels high. The image ends after %d.", content.Height, contract.MaxPageHeight))
		}
	}
	params := screenshotParams{
		Format:                cmp.Or(job.Options.Format, "png"),
		Clip:                  proto.PageViewport{Width: float64(size.Width), Height: float64(size.Height), Scale: 1},
		CaptureBeyondViewport: size.Height > p.viewport.Height,
		OptimizeForSpeed:      size.Width*size.Height > fastEncodingPixels,
	}
	if params.Format == "jpeg" {
		params.Quality = cmp.Or(int(job.Options.Quality), defaultQuality)
	}
	image := Image{Width: size.Width, Height: size.Height}
	limit := cmp.Or(job.MaxBytes, contract.MaxFileBytes)
	err := p.onceActive(ctx, func() (err error) {
		image.Data, err = p.session.CallBytes(ctx, "Page.captureScreenshot", params, limit)
		return err
	})
	if errors.Is(err, chromium.ErrOversized) {
		err = Because(err, "The file is larger than %d bytes.", limit)
	}
	return image, err
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
