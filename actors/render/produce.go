package render

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/store"
)

// output is a file on its way to the store.
type output struct {
	data []byte
	// extension is the file's type: .pdf, .png or .jpg.
	extension string
	// pages is zero for images, and for a PDF whose pages are not counted yet.
	pages int
	// sheets replace pages of a PDF when it is finished.
	sheets []page.Sheet
	// load is the time to load the page, made the time to print or capture it.
	load, made time.Duration
	warnings   []page.Warning
}

// render does the part of the work that needs the browser.
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
	access, err := w.access(content)
	if err != nil {
		return output{}, err
	}
	if w.submission.Operation.Image() {
		return w.capture(ctx, content, access)
	}
	if content.Invoice != nil {
		if content, err = w.unfold(content); err != nil {
			return output{}, err
		}
	}
	if content.Invoice != nil || content.Print.Conforms() {
		if content, err = w.printable(ctx, content); err != nil {
			return output{}, err
		}
	}
	return w.print(ctx, content, access)
}

// access decrypts the credentials for requesting the target page.
func (w *work) access(c events.Content) (a page.Access, err error) {
	if c.Auth != nil {
		a.Auth.Type = c.Auth.Type
		if a.Auth.Value, err = w.cfg.Unseal(w.job, c.Auth.Value); err != nil {
			return page.Access{}, fmt.Errorf("credentials: %w", err)
		}
	}
	if err := errors.Join(w.unseal(c.Headers, &a.Headers), w.unseal(c.Cookies, &a.Cookies)); err != nil {
		return page.Access{}, err
	}
	return a, nil
}

// unseal decrypts a list.
func (w *work) unseal(sealed events.Sealed, list any) error {
	text, err := w.unsealed(sealed)
	if err == nil && text != "" {
		err = json.Unmarshal([]byte(text), list)
	}
	if err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	return nil
}

// loadOf returns when the page of a job counts as loaded.
func loadOf(c events.Content) (l contract.Load) {
	if c.Load != nil {
		l = *c.Load
	}
	return l
}

func (w *work) print(ctx context.Context, c events.Content, access page.Access) (output, error) {
	paper := c.Print.Paper
	paper.Tagged = c.Print.Structured()
	result, err := w.lease.Print(ctx, page.Print{
		HTML: c.HTML, Full: c.Full, Assets: c.Assets, URL: c.URL, Auth: access.Auth, Headers: access.Headers, Cookies: access.Cookies,
		Load: loadOf(c), Options: paper, MaxBytes: w.limit,
	})
	return output{data: result.PDF, pages: result.Pages, sheets: result.Sheets, extension: ".pdf", load: result.Load, made: result.Print, warnings: result.Warnings}, err
}

var imageExtensions = map[string]string{"png": ".png", "jpeg": ".jpg", "webp": ".webp"}

func (w *work) capture(ctx context.Context, c events.Content, access page.Access) (output, error) {
	result, err := w.lease.Capture(ctx, page.Capture{
		HTML: c.HTML, Full: c.Full, Assets: c.Assets, URL: c.URL, Auth: access.Auth, Headers: access.Headers, Cookies: access.Cookies,
		Load: loadOf(c), Options: *c.Image, MaxBytes: w.limit,
	})
	return output{data: result.Data, extension: imageExtensions[c.Image.Format], load: result.Load, made: result.Capture, warnings: result.Warnings}, err
}

// store makes the file durable, under a name that is unique to the attempt.
func (w *work) store(ctx context.Context) error {
	storing := w.cfg.Now()
	w.report.Finish = storing.Sub(w.finishing)
	name := events.FileName(w.job, w.id, events.Partition(w.account, w.cfg.Log.Partitions()), w.out.extension)
	size, err := w.cfg.Files.Put(ctx, name, bytes.NewReader(w.out.data), w.limit)
	w.out.data = nil
	if errors.Is(err, store.ErrTooLarge) {
		return fmt.Errorf("store: %w", err)
	}
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
