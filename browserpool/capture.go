package browserpool

import (
	"context"
	"fmt"
	"time"
)

// What a capture is when it does not say.
const (
	DefaultCaptureTimeout = 60 * time.Second
	DefaultQuality        = 80
)

// DefaultViewport is the window of a capture that does not say.
var DefaultViewport = Size{Width: 1024, Height: 768}

// maxPageHeight cuts the capture of a whole page, in CSS pixels.
const maxPageHeight = 8192

// Size is a width and a height in CSS pixels.
type Size struct{ Width, Height int }

// Capture is one document to be turned into a picture, as it looks on a screen.
type Capture struct {
	// HTML, URL, Auth, Load and LoadTimeout are as for Print.
	HTML        string
	URL         string
	Auth        Auth
	Load        Load
	LoadTimeout time.Duration
	// Viewport is the window, 320–1920 wide and 320–8192 high; zero means
	// DefaultViewport. Its width is the picture's.
	Viewport Size
	// FullPage makes the picture as high as what can be scrolled through, at least
	// the window and at most 8192; otherwise it is as high as the window. What
	// overflows to the right is never on it.
	FullPage bool
	// Format is png or jpeg; empty means png.
	Format string
	// Quality of a jpeg, 1 to 100; 0 means DefaultQuality.
	Quality int
	// CaptureTimeout is the budget for everything from loading to the finished
	// picture, whatever else is asked for; 0 means DefaultCaptureTimeout.
	CaptureTimeout time.Duration
	// MaxBytes bounds the picture; 0 means DefaultMaxBytes.
	MaxBytes int64
	// Limits bound the document; a picture has no pages.
	Limits Limits
}

// Image is a finished capture.
type Image struct {
	Data []byte
	// Width and Height are in pixels.
	Width, Height int
	// Queued is how long the job waited for a page, Load and Capture how long these steps took.
	Queued, Load, Capture time.Duration
	// Traffic is as in Result.
	Traffic int64
}

// Validate tells what is wrong with the capture, naming the field, as ErrOptions.
func (c Capture) Validate() error {
	view := orElse(c.Viewport, DefaultViewport)
	switch {
	case view.Width < 320 || view.Width > 1920:
		return fmt.Errorf("%w: viewport width %d is not within 320 to 1920", ErrOptions, view.Width)
	case view.Height < 320 || view.Height > maxPageHeight:
		return fmt.Errorf("%w: viewport height %d is not within 320 to %d", ErrOptions, view.Height, maxPageHeight)
	case c.Format != "" && c.Format != "png" && c.Format != "jpeg":
		return fmt.Errorf("%w: image format %q", ErrOptions, c.Format)
	case c.Quality < 0 || c.Quality > 100:
		return fmt.Errorf("%w: quality %d is not within 1 to 100", ErrOptions, c.Quality)
	case c.Quality != 0 && c.Format != "jpeg":
		return fmt.Errorf("%w: quality is for jpeg only", ErrOptions)
	}
	return c.source().validate()
}

func (c Capture) source() source {
	load := c.Load
	load.Timeout = orElse(load.Timeout, c.LoadTimeout)
	return source{html: c.HTML, url: c.URL, auth: c.Auth, load: load, limits: c.Limits, media: "screen", size: orElse(c.Viewport, DefaultViewport)}
}

// Capture waits for a page, captures and gives the page back. Waiting is bounded
// by ctx alone, the rest by ctx and the job's budgets. The error is one of this
// package's, or ctx's.
func (p *Pool) Capture(ctx context.Context, job Capture) (Image, error) {
	if err := job.Validate(); err != nil {
		return Image{}, err
	}
	asked := time.Now()
	lease, err := p.Acquire(ctx)
	if err != nil {
		return Image{}, err
	}
	defer lease.Return()
	queued := time.Since(asked)
	image, err := lease.Capture(ctx, job)
	image.Queued = queued
	return image, err
}

// Capture makes a picture of one document on the leased page. A page serves one
// job: after it the lease is to be returned.
func (l *Lease) Capture(ctx context.Context, job Capture) (Image, error) {
	if err := job.Validate(); err != nil {
		return Image{}, err
	}
	var image Image
	where := l.draw
	if job.URL != "" {
		where = l.visit
	}
	err := l.use(ctx, where, func(ctx context.Context, p *page) (err error) {
		image, err = p.capture(ctx, job)
		return err
	})
	if err != nil {
		return Image{}, err
	}
	return image, nil
}

// ready refuses a document that is beyond a limit, and shows all that is to be captured.
func (p *page) ready(ctx context.Context, job Capture) error {
	w, err := p.weigh(ctx, job.Limits, job.HTML)
	if err == nil && job.FullPage {
		return p.reveal(ctx, w, maxPageHeight)
	}
	return err
}

func (p *page) capture(ctx context.Context, job Capture) (Image, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, orElse(job.CaptureTimeout, DefaultCaptureTimeout), errBudget)
	defer cancel()
	from := job.source()
	load, err := p.show(ctx, from)
	if err != nil {
		return Image{}, err
	}
	start := time.Now()
	if err := p.ready(ctx, job); err != nil {
		return Image{}, verdict("capture", err)
	}
	image, err := p.shoot(ctx, job, from.size)
	if err != nil {
		return Image{}, verdict("capture", err)
	}
	image.Load, image.Capture, image.Traffic = load, time.Since(start), p.proxy.Carried()
	return image, nil
}
