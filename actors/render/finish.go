package render

import (
	"context"
	"fmt"

	"platen.dev/document"
	"platen.dev/events"
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
	w.prove(ctx)
	return nil
}

func (w *work) finished(ctx context.Context, pdf []byte) ([]byte, error) {
	if w.submission.Test || w.submission.Operation.Image() {
		return pdf, nil
	}
	f, err := w.finishedBy(ctx, w.submission.Content.Print)
	if err != nil {
		return nil, err
	}
	if w.converts() {
		return w.finishConverted(ctx, pdf, f)
	}
	return document.Finish(ctx, pdf, f)
}

// finishConverted converts a PDF once its visible content is complete: only compression and encryption follow.
func (w *work) finishConverted(ctx context.Context, pdf []byte, f document.Finishing) ([]byte, error) {
	last := document.Finishing{Level: f.Level, EndLines: w.promises(), Password: f.Password, OwnerPassword: f.OwnerPassword, Denied: f.Denied}
	f.Level, f.Password, f.OwnerPassword = 0, "", ""
	if w.promises() {
		f.Metadata = document.Metadata{} // the conversion writes it
	}
	pdf, err := document.Finish(ctx, pdf, f)
	if err != nil {
		return nil, err
	}
	if pdf, err = w.convert(pdf); err != nil {
		return nil, err
	}
	if pdf, err = document.Finish(ctx, pdf, last); err != nil {
		return nil, err
	}
	if err = w.conforming(pdf); err != nil {
		return nil, err
	}
	return pdf, w.compare(pdf)
}

// finishedBy returns the finishing that a printed PDF gets by these options.
func (w *work) finishedBy(ctx context.Context, o events.PrintOptions) (f document.Finishing, err error) {
	for _, s := range w.out.sheets {
		f.Sheets = append(f.Sheets, document.Sheet(s))
	}
	if o.Metadata != nil {
		f.Metadata = document.Metadata(*o.Metadata)
	}
	if f.Password, err = w.unsealed(o.Password); err != nil {
		return f, fmt.Errorf("password: %w", err)
	}
	if f.OwnerPassword, err = w.unsealed(o.OwnerPassword); err != nil {
		return f, fmt.Errorf("owner password: %w", err)
	}
	if o.Denied != nil {
		f.Denied = document.Denied(*o.Denied)
	}
	if c := o.Compression; c != nil {
		f.Level, f.ImageQuality = int(c.Level), int(c.ImageQuality)
	}
	if marks := o.Marks(); len(marks) > 0 {
		f.Tagged = o.Structured()
		if err = w.mark(ctx, &f, marks); err != nil {
			return f, fmt.Errorf("watermark: %w", err)
		}
	}
	return f, nil
}

// unsealed decrypts a credential of the job; "" for none.
func (w *work) unsealed(sealed events.Sealed) (string, error) {
	if len(sealed) == 0 {
		return "", nil
	}
	return w.cfg.Unseal(w.job, sealed)
}
