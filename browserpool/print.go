package browserpool

import (
	"context"
	"time"
)

// What a job may take when it does not say.
const (
	DefaultLoadTimeout  = 30 * time.Second
	DefaultPrintTimeout = 60 * time.Second
	DefaultMaxBytes     = 150 << 20
)

// Print is one document to be printed.
type Print struct {
	// HTML is a whole document that has been sanitised: no script in it runs, and
	// what it embeds is fetched through the egress proxy.
	HTML string
	// URL, in place of HTML, is a page to go to, http or https. It runs its script,
	// in a browser context that serves nothing else.
	URL string
	// Auth is sent to the URL's origin.
	Auth Auth
	// Options say what the paper looks like.
	Options PDFOptions
	// Load says when the document is ready to be printed. When its timeout ends while
	// images of HTML are under way, it is printed without them; a URL is given up.
	Load Load
	// LoadTimeout is Load.Timeout where that is 0.
	LoadTimeout time.Duration
	// PrintTimeout is the budget for layout and printing; 0 means DefaultPrintTimeout.
	PrintTimeout time.Duration
	// MaxBytes bounds the PDF; 0 means DefaultMaxBytes.
	MaxBytes int64
	// Limits bound the document.
	Limits Limits
}

// Result is a printed document.
type Result struct {
	PDF []byte
	// Pages is how many it has; 0 when the browser wrote it in another form than is known.
	Pages int
	// Queued is how long the job waited for a page, Load and Print how long these steps took.
	Queued, Load, Print time.Duration
	// Traffic is how many bytes of bodies and tunnels the document sent and received.
	Traffic int64
}

// Print waits for a page, prints and gives the page back. Waiting is bounded by
// ctx alone, the rest by ctx and the job's budgets. The error is one of this
// package's, or ctx's.
func (p *Pool) Print(ctx context.Context, job Print) (Result, error) {
	if _, _, err := job.resolve(); err != nil {
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

// resolve translates the job, or refuses it.
func (job Print) resolve() (source, printParams, error) {
	params, err := job.Options.params()
	if err != nil {
		return source{}, params, err
	}
	load := job.Load
	load.Timeout = orElse(load.Timeout, job.LoadTimeout)
	from := source{html: job.HTML, url: job.URL, auth: job.Auth, load: load, limits: job.Limits, media: "print", size: params.viewport()}
	return from, params, from.validate()
}

// Print prints one document on the leased page. A page serves one job: after it
// the lease is to be returned.
func (l *Lease) Print(ctx context.Context, job Print) (Result, error) {
	from, params, err := job.resolve()
	if err != nil {
		return Result{}, err
	}
	var result Result
	where := l.stay
	if job.URL != "" {
		where = l.visit
	}
	err = l.use(ctx, where, func(ctx context.Context, p *page) error {
		result, err = p.run(ctx, job, from, params)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	return result, nil
}

func (p *page) run(ctx context.Context, job Print, from source, params printParams) (Result, error) {
	load, err := p.show(ctx, from)
	if err != nil {
		return Result{}, err
	}
	start := time.Now()
	budget := orElse(job.PrintTimeout, DefaultPrintTimeout)
	defer p.hurry(ctx, min(orElse(from.load.Timeout, DefaultLoadTimeout)-load, budget/2))()
	pdf, pages, err := p.print(ctx, job, params, budget)
	if err != nil {
		return Result{}, verdict("print", err)
	}
	return Result{PDF: pdf, Pages: pages, Load: load, Print: time.Since(start), Traffic: p.proxy.Carried()}, nil
}
