package render

import (
	"fmt"

	"platen.dev/browserpool/page"
	"platen.dev/document"
	"platen.dev/events"
)

// finish does to a printed PDF what its options ask for; the page is given back by then.
func (a *attempt) finish(pdf []byte, submit events.SubmitJob) ([]byte, error) {
	if submit.Test || submit.Operation.Image() {
		return pdf, nil
	}
	pdf, err := a.options(pdf, submit.Content.Print)
	if err == nil && submit.Content.Invoice != nil {
		return a.hybrid(pdf, submit.Content.Invoice)
	}
	return pdf, err
}

func (a *attempt) options(pdf []byte, o events.PrintOptions) ([]byte, error) {
	if o.Watermark == nil && o.Compression == nil && len(o.Password) == 0 {
		return pdf, nil
	}
	var f document.Finishing
	var err error
	if f.Password, err = a.cfg.Unseal(a.job, o.Password); err != nil {
		return nil, fmt.Errorf("password: %w", err)
	}
	if c := o.Compression; c != nil {
		f.Level, f.ImageQuality = int(c.Level), int(c.ImageQuality)
	}
	if o.Watermark != nil {
		if f.Overlay, err = a.overlay(o); err != nil {
			return nil, fmt.Errorf("watermark: %w", err)
		}
	}
	return document.Finish(a.ctx, pdf, f)
}

// overlay prints the watermark on the paper of the document.
func (a *attempt) overlay(o events.PrintOptions) ([]byte, error) {
	lease, err := a.cfg.Acquire(a.ctx, events.Quick)
	if err != nil {
		return nil, err
	}
	defer lease.Return()
	w := document.Watermark{Text: o.Watermark.Text, Color: o.Watermark.Color, FontSize: o.Watermark.FontSize, Rotation: int(o.Watermark.Rotation)}
	result, err := lease.Print(a.ctx, page.Print{HTML: w.HTML(), MaxBytes: a.limit, Options: page.PDFOptions{
		Format: o.Format, Landscape: o.Landscape, Scale: 1,
		Margin: page.Margin{Top: "0", Right: "0", Bottom: "0", Left: "0"},
	}})
	return result.PDF, err
}
