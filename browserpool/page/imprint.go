package page

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"image"
	"image/draw"
	"image/png"

	"github.com/go-rod/rod/lib/proto"
)

const (
	// maxCanvases is how many canvases of a page are imprinted, and maxCanvasPixels how many pixels of all.
	maxCanvases     = 20
	maxCanvasPixels = 4 << 20
)

var (
	// canvases finds the canvases that the browser would print empty.
	//
	//go:embed script/canvases.js
	canvases string
	// imprinting replaces them with pictures of them.
	//
	//go:embed script/imprinting.js
	imprinting string
)

// canvasMissing warns of canvases without a picture.
const canvasMissing = "What some canvases of WebGL show is missing on paper."

// imprint makes canvases of WebGL, such as maps, show on paper what they show on the screen. The browser prints them empty: what is drawn there is gone
// once it has been shown. Whatever becomes of the pictures, everything else is shown again.
func (p press) imprint(ctx context.Context) error {
	if p.kind != forVisit || !p.scripted {
		return nil
	}
	within, cancel := context.WithTimeoutCause(ctx, lookTimeout, errBudget)
	defer cancel()
	var boxes []proto.PageViewport
	ran, err := p.run(within, canvases, maxCanvases, &boxes)
	if err == nil && (!ran || len(boxes) == 0) {
		return nil
	}
	var pictures []*picture
	if err == nil {
		pictures, err = p.pictures(within, boxes)
	}
	if err != nil {
		p.warnOfCut(canvasMissing)
	}
	within, cancel = context.WithTimeoutCause(ctx, stepTimeout, errBudget)
	defer cancel()
	if _, err := p.run(within, imprinting, pictures, nil); !errors.Is(err, errScript) {
		return err
	}
	return nil
}

// picture is a part of a page: its pixels, as script takes them.
type picture struct {
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Pixels []byte `json:"pixels"` // four bytes each: red, green, blue, alpha
}

// pictures captures parts of the page, on a transparent background. What is beyond maxCanvasPixels is nil, with a warning.
func (p press) pictures(ctx context.Context, boxes []proto.PageViewport) ([]*picture, error) {
	show, err := p.hideBackground(ctx)
	if err != nil {
		return nil, err
	}
	defer show()
	all, left := make([]*picture, len(boxes)), float64(maxCanvasPixels)
	for i, box := range boxes {
		if left -= box.Width * box.Height; left < 0 {
			p.warnOfCut(canvasMissing)
			break
		}
		if all[i], err = p.pictureOf(ctx, box); err != nil {
			return all, err
		}
	}
	return all, nil
}

func (p press) pictureOf(ctx context.Context, box proto.PageViewport) (*picture, error) {
	box.Scale = 1
	params := screenshotParams{Format: "png", Clip: box, CaptureBeyondViewport: !p.viewport.shows(box), OptimizeForSpeed: true}
	file, err := p.session.CallBytes(ctx, "Page.captureScreenshot", params, 8*maxCanvasPixels)
	if err != nil {
		return nil, err
	}
	shown, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	pixels := image.NewNRGBA(shown.Bounds())
	draw.Draw(pixels, pixels.Rect, shown, shown.Bounds().Min, draw.Src)
	return &picture{pixels.Rect.Dx(), pixels.Rect.Dy(), pixels.Pix}, nil
}
