package render

import (
	"context"
	"fmt"

	"platen.dev/browserpool/page"
	"platen.dev/document"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// finish counts the pages of a printed PDF and applies the options that need no browser.
// The browser page has been returned by then.
func (w *work) finish(ctx context.Context) (err error) {
	w.finishing = w.cfg.Now()
	if w.out.extension == ".pdf" && w.out.pages == 0 {
		if w.out.pages, err = w.cfg.Pages(w.out.data); err != nil {
			return fmt.Errorf("count pages: %w", err)
		}
	}
	if w.out.data, err = w.finished(ctx, w.out.data); err != nil {
		return fmt.Errorf("finish: %w", err)
	}
	return nil
}

func (w *work) finished(ctx context.Context, pdf []byte) ([]byte, error) {
	if w.submission.Test || w.submission.Operation.Image() {
		return pdf, nil
	}
	pdf, err := w.options(ctx, pdf, w.submission.Content.Print)
	if err == nil && w.invoice != nil {
		return w.hybrid(pdf)
	}
	return pdf, err
}

func (w *work) options(ctx context.Context, pdf []byte, o events.PrintOptions) ([]byte, error) {
	if o.Watermark == nil && o.Compression == nil && len(o.Password) == 0 && len(o.OwnerPassword) == 0 && o.Metadata == nil {
		return pdf, nil
	}
	var f document.Finishing
	var err error
	if o.Metadata != nil && w.invoice == nil { // an e-invoice gets it when it becomes a PDF/A-3
		f.Metadata = document.Metadata(*o.Metadata)
	}
	if f.Password, err = w.cfg.Unseal(w.job, o.Password); err != nil {
		return nil, fmt.Errorf("password: %w", err)
	}
	if f.OwnerPassword, err = w.cfg.Unseal(w.job, o.OwnerPassword); err != nil {
		return nil, fmt.Errorf("owner password: %w", err)
	}
	if o.Denied != nil {
		f.Denied = document.Denied(*o.Denied)
	}
	if c := o.Compression; c != nil {
		f.Level, f.ImageQuality = int(c.Level), int(c.ImageQuality)
	}
	if o.Watermark != nil {
		f.Tagged = o.Tagged || o.Outline
		if f.Overlay, err = w.overlay(ctx, o); err != nil {
			return nil, fmt.Errorf("watermark: %w", err)
		}
	}
	return document.Finish(ctx, pdf, f)
}

// overlay prints the watermark on paper of the document's size.
func (w *work) overlay(ctx context.Context, o events.PrintOptions) ([]byte, error) {
	lease, err := w.cfg.Acquire(ctx, w.account, events.Quick)
	if err != nil {
		return nil, err
	}
	defer lease.Return()
	mark := document.Watermark{Text: o.Watermark.Text, Color: o.Watermark.Color, FontSize: o.Watermark.FontSize, Rotation: int(o.Watermark.Rotation)}
	result, err := lease.Print(ctx, page.Print{HTML: mark.HTML(), MaxBytes: w.limit, Options: contract.Paper{
		Format:       o.Format,
		Landscape:    o.Landscape,
		Width:        o.Width,
		Height:       o.Height,
		Scale:        1,
		MarginTop:    "0",
		MarginRight:  "0",
		MarginBottom: "0",
		MarginLeft:   "0",
	}})
	return result.PDF, err
}
