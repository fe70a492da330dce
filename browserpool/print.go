package browserpool

import (
	"context"
	"fmt"
	"time"
)

// What a job may take when it does not say.
const (
	DefaultLoadTimeout  = 30 * time.Second
	DefaultPrintTimeout = 60 * time.Second
	DefaultMaxBytes     = 150 << 20
)

// shortDocument is up to how many bytes of HTML printing is worth a guess at the scale.
const shortDocument = 64 << 10

// Print is one document to be printed.
type Print struct {
	// HTML is a whole document that has been sanitised: no script in it runs, and
	// what it embeds is fetched through the egress proxy.
	HTML string
	// Options say what the paper looks like.
	Options PDFOptions
	// LoadTimeout is the budget for parsing and for what the document embeds; when
	// it ends while images are under way, the document is printed without them. 0
	// means DefaultLoadTimeout.
	LoadTimeout time.Duration
	// PrintTimeout is the budget for layout and printing; 0 means DefaultPrintTimeout.
	PrintTimeout time.Duration
	// MaxBytes bounds the PDF; 0 means DefaultMaxBytes.
	MaxBytes int64
}

// Result is a printed document.
type Result struct {
	PDF []byte
	// Queued is how long the job waited for a page, Load and Print how long these steps took.
	Queued, Load, Print time.Duration
}

// Print waits for a page, prints and gives the page back. Waiting is bounded by
// ctx alone, the rest by ctx and the job's budgets. The error is one of this
// package's, or ctx's.
func (p *Pool) Print(ctx context.Context, job Print) (Result, error) {
	if err := job.Options.Validate(); err != nil {
		return Result{}, err
	}
	asked := time.Now()
	lease, err := p.Acquire(ctx)
	if err != nil {
		return Result{}, err
	}
	defer lease.Return()
	queued := time.Since(asked)
	result, err := lease.Print(ctx, job)
	result.Queued = queued
	return result, err
}

// Print prints one document on the leased page. A page prints once: after it the
// lease is to be returned.
func (l *Lease) Print(ctx context.Context, job Print) (Result, error) {
	params, err := job.Options.params()
	if err != nil {
		return Result{}, err
	}
	result, err := l.page.run(ctx, job, params)
	l.page.spoiled = err != nil
	if err != nil && ctx.Err() != nil {
		return Result{}, fmt.Errorf("print: %w", context.Cause(ctx))
	}
	return result, err
}

func (p *page) run(ctx context.Context, job Print, params printParams) (Result, error) {
	start := time.Now()
	if err := p.load(ctx, job.HTML, orElse(job.LoadTimeout, DefaultLoadTimeout)); err != nil {
		return Result{}, verdict("load", err)
	}
	loaded := time.Now()
	pdf, err := p.print(ctx, params, len(job.HTML) <= shortDocument, orElse(job.MaxBytes, DefaultMaxBytes), orElse(job.PrintTimeout, DefaultPrintTimeout))
	if err != nil {
		return Result{}, verdict("print", err)
	}
	return Result{PDF: pdf, Load: loaded.Sub(start), Print: time.Since(loaded)}, nil
}
