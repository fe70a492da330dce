package page

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// chunk is how much of the output is fetched at a time, in bytes.
const chunk = 4 << 20

// printPDF returns the loaded document as a PDF.
func (p press) printPDF(ctx context.Context, params printParams, budget time.Duration) (result Result, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, budget, errBudget)
	defer cancel()
	if params.GenerateTaggedPDF {
		if err := p.sayLanguage(ctx); err != nil {
			return result, err
		}
	}
	if p.kind == forVisit { // other documents have no page rules
		if params, err = p.ruledPaper(ctx, params); err != nil {
			return result, err
		}
	}
	names, err := p.addContents(ctx, p.job.Options.TOC)
	if err != nil {
		return result, err
	}
	if p.kind == forVisit {
		if err := p.reveal(ctx); err != nil {
			return result, err
		}
	}
	m, err := p.measure(ctx, p.job.Limits, p.job.HTML)
	if err != nil {
		return result, err
	}
	if err := p.imprint(ctx); err != nil {
		return result, err
	}
	if len(names) == 0 {
		result.PDF, err = p.printFitted(ctx, m, &params)
	} else {
		result.PDF, err = p.printWithContents(ctx, m, &params, names)
	}
	if browserMessage(err) == rangeRefused {
		err = Because(ErrPageRanges, "The document has none of the pages %s.", params.PageRanges)
	}
	if err != nil {
		return result, err
	}
	if result.PDF, err = p.withoutBlankEnd(ctx, params, result.PDF); err != nil {
		return result, err
	}
	result.Pages = countPDFPages(result.PDF)
	if err := p.job.Limits.checkPDFPages(result.Pages); err != nil {
		return result, err
	}
	result.Sheets, err = p.printSheets(ctx, params, result.Pages)
	return result, err
}

// printFitted prints at the scale of params, or at one that fits the content if that is 0. It leaves in params what it prints with.
func (p press) printFitted(ctx context.Context, m measurements, params *printParams) (pdf []byte, err error) {
	limit := p.job.maxBytes()
	mayBeLong, err := p.mayBeLong(ctx, m, *params)
	if err != nil {
		return nil, err
	}
	if m.content == (Size{}) {
		if !mayBeLong && !params.SinglePage && !p.mayHave(textField) {
			return p.printThenFit(ctx, params, limit)
		}
		if m.content, err = p.contentSize(ctx); err != nil {
			return nil, err
		}
	}
	f, content, err := p.fit(ctx, m.content, *params)
	if err != nil {
		return nil, err
	}
	if params.SinglePage {
		err = p.arrangeSinglePage(ctx, params, f)
	} else {
		err = p.arrange(ctx, *params, f, content.Height)
	}
	if err != nil {
		return nil, err
	}
	params.Scale = f.scale
	if mayBeLong {
		if err = p.checkPDFPages(ctx, *params); err != nil {
			return nil, err
		}
	}
	return p.printAt(ctx, *params, limit)
}

// printThenFit prints a document without styles, which usually fits as it is: it is
// printed while it is measured, and again if it does not fit.
func (p press) printThenFit(ctx context.Context, params *printParams, limit int64) (pdf []byte, err error) {
	type measurement struct {
		content Size
		err     error
	}
	measured := make(chan measurement, 1)
	go func() {
		content, err := p.contentSize(ctx)
		measured <- measurement{content, err}
	}()
	asked := *params
	params.Scale = cmp.Or(params.Scale, 1)
	pdf, err = p.printAt(ctx, *params, limit)
	m := <-measured
	if err = errors.Join(err, m.err); err != nil {
		return nil, err
	}
	f, content, err := p.fit(ctx, m.content, asked)
	if err != nil || f.scale == params.Scale && !f.hold && content == m.content {
		return pdf, err
	}
	if err := errors.Join(p.closeOutput(p.session.With(ctx)), p.arrange(ctx, asked, f, content.Height)); err != nil {
		return nil, err
	}
	params.Scale = f.scale
	return p.printAt(ctx, *params, limit)
}

// fit decides how content of a size is fitted to the paper, and warns of content that is cut. It returns the size of the content, which is another one
// if lines had to be broken.
func (p press) fit(ctx context.Context, content Size, params printParams) (fitting, Size, error) {
	e, content, err := p.seeWrapped(ctx, content, params.Scale)
	if err != nil {
		return fitting{}, content, err
	}
	e.exact = params.SinglePage
	f := fit(params.Scale, p.viewport.Width, e)
	if f.cut {
		p.warnOfCut(f.whatIsCut(e))
	}
	if f.layout > p.viewport.Width {
		f.root, err = p.rootThatFits(ctx, f.layout, max(f.layout, e.visible))
	}
	return f, content, err
}

// printAgain prints what was printed before.
func (p press) printAgain(ctx context.Context, params printParams, limit int64) ([]byte, error) {
	if err := p.closeOutput(p.session.With(ctx)); err != nil {
		return nil, err
	}
	return p.printAt(ctx, params, limit)
}

func (p press) printAt(ctx context.Context, params printParams, limit int64) ([]byte, error) {
	result, err := p.session.Send(ctx, "Page.printToPDF", params.toSend())
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
			return nil, Because(ErrTooLarge, "The file is larger than %d bytes.", limit)
		}
		if pdf == nil && eof {
			return part, nil
		}
		if pdf = append(pdf, part...); eof {
			return pdf, nil
		}
	}
}

// closeOutput lets the browser free its last output.
func (p *page) closeOutput(client proto.Client) error {
	if p.output == "" {
		return nil
	}
	handle := p.output
	p.output = ""
	return proto.IOClose{Handle: handle}.Call(client)
}
