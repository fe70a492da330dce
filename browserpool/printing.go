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

// print returns the document as a PDF. A scale of 0 is fitted to the content; for
// a short document, which most often fits as it is, it is printed while that is
// measured, and again if it does not fit.
func (p *page) print(ctx context.Context, job Print, params printParams, budget time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, budget, errBudget)
	defer cancel()
	w, err := p.weigh(ctx, job.Limits, job.HTML)
	if err != nil {
		return nil, err
	}
	if err := p.weighPages(ctx, job.Limits, w, params); err != nil {
		return nil, err
	}
	pdf, err := p.printFitted(ctx, job, params)
	if err != nil {
		return nil, err
	}
	return pdf, job.Limits.checkPages(pdf)
}

func (p *page) printFitted(ctx context.Context, job Print, params printParams) ([]byte, error) {
	limit := orElse(job.MaxBytes, DefaultMaxBytes)
	if params.Scale != 0 {
		return p.printAt(ctx, params, limit)
	}
	if job.URL == "" && len(job.HTML) <= shortDocument {
		return p.printGuessing(ctx, params, limit)
	}
	scale, err := p.fit(ctx)
	if err != nil {
		return nil, err
	}
	params.Scale = scale
	return p.printAt(ctx, params, limit)
}

// printGuessing prints at scale 1 while it measures.
func (p *page) printGuessing(ctx context.Context, params printParams, limit int64) ([]byte, error) {
	type fitting struct {
		scale float64
		err   error
	}
	fitted := make(chan fitting, 1)
	go func() {
		scale, err := p.fit(ctx)
		fitted <- fitting{scale, err}
	}()
	params.Scale = 1
	pdf, err := p.printAt(ctx, params, limit)
	f := <-fitted
	if err != nil || f.err != nil || f.scale == 1 {
		return pdf, errors.Join(err, f.err)
	}
	if err := p.closeOutput(p.session.With(ctx)); err != nil {
		return nil, err
	}
	params.Scale = f.scale
	return p.printAt(ctx, params, limit)
}

func (p *page) printAt(ctx context.Context, params printParams, limit int64) ([]byte, error) {
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

// fit returns the scale at which the widest content is as wide as the viewport.
func (p *page) fit(ctx context.Context) (float64, error) {
	layout, err := proto.PageGetLayoutMetrics{}.Call(p.session.With(ctx))
	if err != nil {
		return 0, err
	}
	if layout.CSSContentSize == nil {
		return 1, nil
	}
	return math.Min(1, math.Max(minScale, float64(p.size.Width)/layout.CSSContentSize.Width)), nil
}
