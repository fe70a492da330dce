package page

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/events/contract"
)

// chunk is how much of the output is fetched at a time, in bytes.
const chunk = 4 << 20

// printPDF returns the loaded document as a PDF, and the number of its pages.
func (p *page) printPDF(ctx context.Context, job Print, params printParams, budget time.Duration) (pdf []byte, pages int, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, budget, errBudget)
	defer cancel()
	m, err := p.measure(ctx, job.Limits, job.HTML)
	if err != nil {
		return nil, 0, err
	}
	if err := p.checkPDFPages(ctx, job.Limits, m, params); err != nil {
		return nil, 0, err
	}
	if err := p.renderBelowFold(ctx, m, maxDrawnHeight); err != nil {
		return nil, 0, err
	}
	pdf, err = p.printFitted(ctx, m, params, cmp.Or(job.MaxBytes, contract.MaxFileBytes))
	if err != nil {
		return nil, 0, err
	}
	pages = countPDFPages(pdf)
	return pdf, pages, job.Limits.checkPDFPages(pages)
}

// printFitted prints at the scale of params, or at one that fits the content if that is 0.
func (p *page) printFitted(ctx context.Context, m measurements, params printParams, limit int64) ([]byte, error) {
	if params.Scale == 0 && m.content == (Size{}) {
		return p.printThenFit(ctx, params, limit)
	}
	if params.Scale == 0 {
		params.Scale = p.fit(m.content)
	}
	return p.printAt(ctx, params, limit)
}

// printThenFit prints a document without styles, which usually fits as it is: it is
// printed at scale 1 while it is measured, and again if it does not fit.
func (p *page) printThenFit(ctx context.Context, params printParams, limit int64) ([]byte, error) {
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
	params.Scale = params.wholePixelScale(params.Scale)
	result, err := p.session.Call(ctx, "", "Page.printToPDF", params)
	if err != nil {
		return nil, err
	}
	var printed proto.PagePrintToPDFResult
	if err := json.Unmarshal(result, &printed); err != nil {
		return nil, err
	}
	p.output = printed.Stream
	return p.readOutput(ctx, limit)
}

// readOutput returns what was printed, fetched in chunks: a single message would have
// to be as large as the largest file.
func (p *page) readOutput(ctx context.Context, limit int64) ([]byte, error) {
	size := chunk
	var pdf []byte
	for {
		part, eof, err := p.session.ReadStream(ctx, proto.IORead{Handle: p.output, Size: &size})
		if browserMessage(err) != "" {
			return nil, fmt.Errorf("%w: %w", ErrOutput, err)
		}
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

// closeOutput lets the browser free what was printed last.
func (p *page) closeOutput(client proto.Client) error {
	if p.output == "" {
		return nil
	}
	handle := p.output
	p.output = ""
	return proto.IOClose{Handle: handle}.Call(client)
}

// fit is the scale at which content is no wider than the viewport.
func (p *page) fit(content Size) float64 {
	if content.Width == 0 {
		return 1
	}
	return math.Min(1, math.Max(contract.MinScale, float64(p.viewport.Width)/float64(content.Width)))
}
