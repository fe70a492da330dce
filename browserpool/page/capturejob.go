package page

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"platen.dev/events/contract"
)

// defaultQuality is that of a JPEG or WebP whose job sets none.
const defaultQuality = 80

// defaultViewport is that of a capture that sets none.
var defaultViewport = Size{Width: contract.DefaultWidth, Height: contract.DefaultHeight}

// Size is a width and a height in CSS pixels.
type Size struct{ Width, Height int }

// Capture is one document to be captured as an image, as it looks on a screen.
type Capture struct {
	// HTML and the fields up to Load are as for Print.
	HTML    string
	Full    bool
	Assets  []contract.Asset
	URL     string
	Auth    Auth
	Headers []contract.Header
	Cookies []contract.Cookie
	Load    contract.Load
	// Options determine what is captured, and the image format.
	Options contract.Image
	// CaptureTimeout is the budget for everything from loading to the finished image,
	// whatever other budgets allow; 0 means contract.CaptureTimeout.
	CaptureTimeout time.Duration
	// MaxBytes bounds the image; 0 means contract.MaxFileBytes.
	MaxBytes int64
	// Limits bound the document; an image has no pages.
	Limits Limits
}

// Image is a finished capture.
type Image struct {
	Data []byte
	// Width and Height are in pixels.
	Width, Height int
	// Load and Capture are how long these steps took.
	Load, Capture time.Duration
	// Traffic is as in Result.
	Traffic int64
	// Warnings are as in Result.
	Warnings []Warning
}

// resolve translates the job, or refuses it with ErrOptions.
func (job Capture) resolve() (document, error) {
	o := job.Options
	viewport := cmp.Or(Size{Width: int(o.Width), Height: int(o.Height)}, defaultViewport)
	d := document{
		html: job.HTML, full: job.Full, assets: job.Assets, url: job.URL, access: Access{job.Auth, job.Headers, job.Cookies}, load: job.Load, limits: job.Limits,
		media: cmp.Or(job.Load.Media, contract.MediaScreen), viewport: viewport, scale: o.DeviceScale(), below: viewport.Height,
	}
	switch {
	case o.FullPage, o.Selector != "":
		d.below = contract.MaxPageHeight
	case o.Clip != contract.Box{}:
		d.below = int(o.Clip.Y + o.Clip.Height)
	}
	if err := validateViewport(viewport); err != nil {
		return d, err
	}
	switch {
	case !slices.Contains([]string{"", "png", "jpeg", "webp"}, o.Format):
		return d, fmt.Errorf("%w: image format %q", ErrOptions, o.Format)
	case o.Quality != 0 && (o.Quality < contract.MinQuality || o.Quality > contract.MaxQuality):
		return d, fmt.Errorf("%w: quality %d is not within %d to %d", ErrOptions, o.Quality, contract.MinQuality, contract.MaxQuality)
	case o.Quality != 0 && o.Format != "jpeg" && o.Format != "webp":
		return d, fmt.Errorf("%w: quality is for jpeg and webp only", ErrOptions)
	case o.DeviceScale() > contract.MaxDeviceScale:
		return d, fmt.Errorf("%w: a scale of %g", ErrOptions, o.Scale)
	}
	return d.resolve()
}

func validateViewport(v Size) error {
	switch {
	case v.Width < contract.MinWidth || v.Width > contract.MaxWidth:
		return fmt.Errorf("%w: viewport width %d is not within %d to %d", ErrOptions, v.Width, contract.MinWidth, contract.MaxWidth)
	case v.Height < contract.MinHeight || v.Height > contract.MaxHeight:
		return fmt.Errorf("%w: viewport height %d is not within %d to %d", ErrOptions, v.Height, contract.MinHeight, contract.MaxHeight)
	}
	return nil
}

// capture loads the job's document and captures it.
func (s shot) capture(ctx context.Context, d document) (Image, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(s.job.CaptureTimeout, contract.CaptureTimeout), errBudget)
	defer cancel()
	load, err := s.load(ctx, d)
	if err != nil {
		return Image{}, err
	}
	s.warnOfHidden(s.found.hidden)
	start := time.Now()
	image, err := s.take(ctx)
	if err != nil {
		return Image{}, stepError("capture", err)
	}
	if err := s.checkParts(d.load); err != nil {
		return Image{}, stepError("capture", err)
	}
	image.Load, image.Capture, image.Traffic = load, time.Since(start), s.proxy.Carried()
	image.Warnings = append(image.Warnings, s.warnings()...)
	return image, nil
}
