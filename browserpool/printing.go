package browserpool

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// chunk is how much of the output is fetched at a time, in bytes.
const chunk = 4 << 20

// print returns the document as a PDF. A scale of 0 is fitted to the content. A
// document without styles, which most often fits as it is, is printed while it is
// measured, and again if it does not fit.
func (p *page) print(ctx context.Context, job Print, params printParams, budget time.Duration) (pdf []byte, pages int, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, budget, errBudget)
	defer cancel()
	w, err := p.weigh(ctx, job.Limits, job.HTML)
	if err != nil {
		return nil, 0, err
	}
	if err := p.weighPages(ctx, job.Limits, w, params); err != nil {
		return nil, 0, err
	}
	if err := p.reveal(ctx, w, maxReveal); err != nil {
		return nil, 0, err
	}
	pdf, err = p.printFitted(ctx, w, params, orElse(job.MaxBytes, DefaultMaxBytes))
	if err != nil {
		return nil, 0, err
	}
	pages = pageCount(pdf)
	return pdf, pages, job.Limits.checkPages(pages)
}

func (p *page) printFitted(ctx context.Context, w weight, params printParams, limit int64) ([]byte, error) {
	if params.Scale == 0 && w.content == (Size{}) {
		return p.printGuessing(ctx, params, limit)
	}
	if params.Scale == 0 {
		params.Scale = p.fit(w.content)
	}
	return p.printAt(ctx, params, limit)
}

// printGuessing prints at scale 1 while it measures.
func (p *page) printGuessing(ctx context.Context, params printParams, limit int64) ([]byte, error) {
	type measurement struct {
		content Size
		err     error
	}
	measured := make(chan measurement, 1)
	go func() {
		content, err := p.contentSize(ctx)
		measured <- measurement{content, err}
	}()
	params.Scale = 1
	pdf, err := p.printAt(ctx, params, limit)
	m := <-measured
	scale := p.fit(m.content)
	if err != nil || m.err != nil || scale == 1 {
		return pdf, errors.Join(err, m.err)
	}
	if err := p.closeOutput(p.session.With(ctx)); err != nil {
		return nil, err
	}
	params.Scale = scale
	return p.printAt(ctx, params, limit)
}

func (p *page) printAt(ctx context.Context, params printParams, limit int64) ([]byte, error) {
	params.Scale = params.snapped(params.Scale)
	answer, err := p.session.Call(ctx, "", "Page.printToPDF", params)
	if err != nil {
		return nil, err
	}
	var printed proto.PagePrintToPDFResult
	if err := json.Unmarshal(answer, &printed); err != nil {
		return nil, err
	}
	p.output = printed.Stream
	return p.read(ctx, limit)
}

// read returns what was printed, fetched in chunks: one message would have to be
// as large as the largest file.
func (p *page) read(ctx context.Context, limit int64) ([]byte, error) {
	size := chunk
	var pdf []byte
	for {
		part, eof, err := p.session.ReadStream(ctx, proto.IORead{Handle: p.output, Size: &size})
		if err != nil {
			return nil, err
		}
		if int64(len(pdf)+len(part)) > limit {
			return nil, ErrTooLarge
		}
		if pdf == nil && eof {
			return part, nil
		}
		if pdf = append(pdf, part...); eof {
			return pdf, nil
		}
	}
}

// fit is the scale at which content is no wider than the viewport.
func (p *page) fit(content Size) float64 {
	if content.Width == 0 {
		return 1
	}
	return math.Min(1, math.Max(minScale, float64(p.size.Width)/float64(content.Width)))
}
