package render

import (
	"context"
	"slices"

	"platen.dev/browserpool/page"
	"platen.dev/document"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// mark adds watermarks to the finishing of a printed PDF: it prints them on paper of the document's sizes.
func (w *work) mark(ctx context.Context, f *document.Finishing, marks []*events.Watermark) error {
	sizes, ofPage, err := w.pageSizes()
	if err != nil {
		return err
	}
	laid := make([]document.Watermark, len(marks))
	for i, m := range marks {
		laid[i] = w.watermark(*m)
	}
	layers := document.LayOut(laid, sizes, ofPage)
	if layers.None() {
		return nil // no page has one
	}
	f.Over, f.Under = layers.Over, layers.Under
	lease, err := w.cfg.Acquire(ctx, w.account, events.Quick)
	if err != nil {
		return err
	}
	defer lease.Return()
	paper := contract.Paper{PreferCSS: true, Scale: 1, MarginTop: "0", MarginRight: "0", MarginBottom: "0", MarginLeft: "0"}
	result, err := lease.Print(ctx, page.Print{HTML: layers.HTML, MaxBytes: w.limit, Options: paper})
	f.Overlay = result.PDF
	return err
}

func (w *work) watermark(m events.Watermark) document.Watermark {
	d := document.Watermark{
		Text: m.Text, Picture: m.Image, Color: m.Color, FontSize: m.FontSize, Rotation: int(m.Rotation), Position: m.Position, Opacity: m.Opacity, Behind: m.Behind,
	}
	if m.Pages != "" {
		wanted, printed := contract.PagesOf(m.Pages), contract.PagesOf(w.submission.Content.Print.PageRanges)
		d.On = func(place int) bool { return wanted.Has(printed.At(place)) }
	}
	return d
}

// pageSizes returns the page sizes of the printed PDF. It is parsed, which takes long for a large one, only if the document may have decided them.
func (w *work) pageSizes() (sizes []document.PageSize, ofPage []int, err error) {
	c := w.submission.Content
	o, visit := c.Print.Paper, c.URL != "" || c.Full
	if o.SinglePage || o.PreferCSS || visit && !o.GivesSize() {
		return document.PageSizes(w.out.data)
	}
	width, height, err := o.Size()
	if err != nil {
		return nil, nil, err
	}
	size := document.PageSize{Width: width.Points(), Height: height.Points()}
	if o.Landscape {
		size.Width, size.Height = size.Height, size.Width
	}
	return []document.PageSize{size}, slices.Repeat([]int{1}, w.out.pages), nil
}
