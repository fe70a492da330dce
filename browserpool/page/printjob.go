package page

import (
	"cmp"
	"context"
	"time"

	"platen.dev/events/contract"
)

// defaultPrintTimeout is the budget for layout and printing of a job that sets none.
const defaultPrintTimeout = 60 * time.Second

// Print is one document to be printed.
type Print struct {
	// HTML is a whole document that has been sanitised. No script in it runs, and
	// what it embeds is fetched through the egress proxy.
	HTML string
	// Full says that the HTML is not sanitised: it is shown like a page by URL, of an origin of its own, which serves
	// Assets.
	Full   bool
	Assets []contract.Asset
	// URL is the http or https page to go to, instead of HTML. It runs its script, in a browser context that serves nothing else at the time.
	URL string
	// Auth, Headers and Cookies are those for the URL, as in Access.
	Auth    Auth
	Headers []contract.Header
	Cookies []contract.Cookie
	// Options describe the paper.
	Options contract.Paper
	// Load says when the document is ready to be printed. When its timeout ends while
	// images of HTML are still loading, HTML is printed without them; a URL fails.
	Load contract.Load
	// PrintTimeout is the budget for layout and printing; 0 means one minute.
	PrintTimeout time.Duration
	// MaxBytes bounds the PDF; 0 means contract.MaxFileBytes.
	MaxBytes int64
	// Limits bound the document.
	Limits Limits
}

// Result is a printed document.
type Result struct {
	PDF []byte
	// Pages is the number of pages; 0 means that this package cannot count the pages of the PDF.
	Pages int
	// Sheets are pages with a header and footer of their own.
	Sheets []Sheet
	// Load and Print are how long these steps took.
	Load, Print time.Duration
	// Traffic is how many bytes the document sent and received.
	Traffic int64
	// Warnings list deviations from what the document asks for.
	Warnings []Warning
}

// maxBytes is MaxBytes with its default.
func (job Print) maxBytes() int64 { return cmp.Or(job.MaxBytes, contract.MaxFileBytes) }

// resolve translates the job, or refuses it with ErrOptions.
func (job Print) resolve() (document, printParams, error) {
	params, err := paramsOf(job.Options)
	if err != nil {
		return document{}, params, err
	}
	d := document{
		html: job.HTML, full: job.Full, assets: job.Assets, url: job.URL, access: Access{job.Auth, job.Headers, job.Cookies}, load: job.Load, limits: job.Limits,
		media: cmp.Or(job.Load.Media, contract.MediaPrint), viewport: params.viewport(), scale: 1, below: maxDrawnHeight,
	}
	d, err = d.resolve()
	if err != nil {
		return d, params, err
	}
	if d.url == "" {
		d.html = params.withRules(d.html)
	}
	return d, params, nil
}

// press prints what a page shows.
type press struct {
	*page
	job Print
}

// print loads the job's document and prints it.
func (p press) print(ctx context.Context, d document, params printParams) (Result, error) {
	load, err := p.load(ctx, d)
	if err != nil {
		return Result{}, err
	}
	start := time.Now()
	budget := cmp.Or(p.job.PrintTimeout, defaultPrintTimeout)
	leftToLoad := cmp.Or(milliseconds(d.load.Timeout), contract.DefaultLoadTimeout) - load
	defer p.abandonLoadingAfter(ctx, min(leftToLoad, budget/2))()
	result, err := p.printPDF(ctx, params, budget)
	if err != nil {
		return Result{}, stepError("print", err)
	}
	if err := p.checkDocument(ctx); err != nil { // it may break off while it is printed
		return Result{}, stepError("print", err)
	}
	if err := p.checkParts(d.load); err != nil { // printing may load more
		return Result{}, stepError("print", err)
	}
	result.Load, result.Print, result.Traffic, result.Warnings = load, time.Since(start), p.proxy.Carried(), p.warnings()
	return result, nil
}
