package render

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"platen.dev/browserpool/page"
	"platen.dev/events"
)

// output is a file on its way to the store.
type output struct {
	data []byte
	// extension is the file's type: .pdf, .png or .jpg.
	extension string
	// pages is zero for images, and where nobody has counted yet.
	pages int
	// load is what the page took to load, made what came after in the browser.
	load, made time.Duration
}

// render makes the file, as far as the browser is needed for it.
func (w *work) render(ctx context.Context) (err error) {
	w.started = w.cfg.Now()
	w.noteWait()
	w.out, err = w.output(ctx)
	w.report.Load, w.report.Made = w.out.load, w.out.made
	return err
}

func (w *work) output(ctx context.Context) (output, error) {
	if w.submission.Test {
		return sampleOf(w.submission.Operation), nil
	}
	content := w.submission.Content
	auth, err := w.auth(content.Auth)
	if err != nil {
		return output{}, err
	}
	if w.submission.Operation.Image() {
		return w.capture(ctx, content, auth)
	}
	if content.Invoice != nil {
		if content, err = w.unfold(ctx, content); err != nil {
			return output{}, err
		}
	}
	return w.print(ctx, content, auth)
}

// auth opens the credentials for the target page.
func (w *work) auth(c *events.Credentials) (page.Auth, error) {
	if c == nil {
		return page.Auth{}, nil
	}
	value, err := w.cfg.Unseal(w.job, c.Value)
	if err != nil {
		return page.Auth{}, fmt.Errorf("credentials: %w", err)
	}
	return page.Auth{Type: c.Type, Value: value}, nil
}

func loadOf(o *events.LoadOptions) page.Load {
	if o == nil {
		return page.Load{}
	}
	return page.Load{
		Timeout: time.Duration(o.Timeout) * time.Millisecond, WaitUntil: o.WaitUntil,
		WaitSelector: o.WaitFor, WaitAfter: time.Duration(o.WaitAfter) * time.Millisecond,
	}
}

func (w *work) print(ctx context.Context, c events.Content, auth page.Auth) (output, error) {
	o := c.Print
	result, err := w.lease.Print(ctx, page.Print{
		HTML: c.HTML, URL: c.URL, Auth: auth, Load: loadOf(c.Load),
		MaxBytes: w.limit,
		Options: page.PDFOptions{
			Format: o.Format, Landscape: o.Landscape, HideBackground: o.OmitBackground, Scale: o.Scale,
			Margin:              page.Margin{Top: o.MarginTop, Right: o.MarginRight, Bottom: o.MarginBottom, Left: o.MarginLeft},
			DisplayHeaderFooter: o.HeaderFooter, HeaderTemplate: o.Header, FooterTemplate: o.Footer,
		},
	})
	return output{data: result.PDF, pages: result.Pages, extension: ".pdf", load: result.Load, made: result.Print}, err
}

var imageExtensions = map[string]string{"png": ".png", "jpeg": ".jpg"}

func (w *work) capture(ctx context.Context, c events.Content, auth page.Auth) (output, error) {
	o := c.Image
	result, err := w.lease.Capture(ctx, page.Capture{
		HTML: c.HTML, URL: c.URL, Auth: auth, Load: loadOf(c.Load),
		Viewport: page.Size{Width: int(o.Width), Height: int(o.Height)},
		FullPage: o.FullPage, Format: o.Format, Quality: int(o.Quality),
		MaxBytes: w.limit,
	})
	return output{data: result.Data, extension: imageExtensions[o.Format], load: result.Load, made: result.Capture}, err
}

// store gives the file a name of the attempt's own and makes it durable.
func (w *work) store(ctx context.Context) error {
	storing := w.cfg.Now()
	w.report.Finish = storing.Sub(w.finishing)
	name := fmt.Sprintf("%s-%s%s", w.job, w.id, w.out.extension)
	size, err := w.cfg.Files.Put(ctx, name, bytes.NewReader(w.out.data), w.limit)
	w.out.data = nil
	if err != nil {
		return fmt.Errorf("store: %w: %w", errInfrastructure, err)
	}
	end := w.cfg.Now()
	w.report.Store, w.report.Size, w.report.Pages = end.Sub(storing), size, w.out.pages
	w.file = events.File{Name: name, Size: size, Pages: w.out.pages}
	w.metrics = events.Metrics{
		PageLoad:   w.out.load.Milliseconds(),
		Processing: (w.out.made + end.Sub(w.finishing)).Milliseconds(),
		Total:      end.Sub(w.started).Milliseconds(),
	}
	return nil
}
