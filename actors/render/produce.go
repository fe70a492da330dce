package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"platen.dev/browserpool/page"
	"platen.dev/events"
)

// MaxFile is the largest file in bytes, unless the account has a limit of its own
// (api-spec.md, Limits).
const MaxFile = 150 << 20

// errDelivery is the fault of a step that this version does not have yet.
var errDelivery = errors.New("delivery to the caller's storage is not in this version")

// output is a finished file before it is stored.
type output struct {
	data []byte
	// extension is the file's type: .pdf, .png or .jpg.
	extension string
	// pages is zero for images, and where nobody has counted yet.
	pages int
	// load is what the page took to load, made what came after in the browser.
	load, made time.Duration
}

// produce renders and stores. A panic below is the job's failure, not the node's.
func (a *attempt) produce(lease Lease, submit events.SubmitJob, submitErr error) (file events.File, m events.Metrics, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	out, err := a.output(lease, submit, submitErr)
	if err != nil {
		return file, m, err
	}
	a.report.Load, a.report.Made = out.load, out.made
	finishing := a.cfg.Now()
	if out.extension == ".pdf" && out.pages == 0 {
		if out.pages, err = a.cfg.Pages(out.data); err != nil {
			return file, m, fmt.Errorf("count pages: %w", err)
		}
	}
	if out.data, err = a.finish(out.data, submit); err != nil {
		return file, m, fmt.Errorf("finish: %w", err)
	}
	if submit.Content.Delivery != nil {
		return file, m, errDelivery
	}
	storing := a.cfg.Now()
	a.report.Finish = storing.Sub(finishing)
	name := fmt.Sprintf("%s-%016x%s", a.job, uint64(a.id), out.extension)
	size, err := a.cfg.Files.Put(a.ctx, name, bytes.NewReader(out.data), a.limit)
	if err != nil {
		return file, m, fmt.Errorf("store: %w: %w", errInfrastructure, err)
	}
	end := a.cfg.Now()
	a.report.Store, a.report.Size, a.report.Pages = end.Sub(storing), size, out.pages
	m = events.Metrics{
		PageLoad:   out.load.Milliseconds(),
		Processing: (out.made + end.Sub(finishing)).Milliseconds(),
		Total:      end.Sub(a.started).Milliseconds(),
	}
	return events.File{Name: name, Size: size, Pages: out.pages}, m, nil
}

// output holds the page no longer than the browser needs it.
func (a *attempt) output(lease Lease, submit events.SubmitJob, submitErr error) (output, error) {
	defer lease.Return()
	switch {
	case submitErr != nil:
		return output{}, submitErr
	case submit.Test:
		return sampleOf(submit.Operation), nil
	}
	auth, err := a.auth(submit.Content.Auth)
	if err != nil {
		return output{}, err
	}
	if submit.Operation.Image() {
		return a.capture(lease, submit.Content, auth)
	}
	content, err := a.unfold(submit.Content)
	if err != nil {
		return output{}, err
	}
	return a.print(lease, content, auth)
}

// auth opens the credentials for the target page.
func (a *attempt) auth(c *events.Credentials) (page.Auth, error) {
	if c == nil {
		return page.Auth{}, nil
	}
	value, err := a.cfg.Unseal(a.job, c.Value)
	if err != nil {
		return page.Auth{}, fmt.Errorf("credentials: %w", err)
	}
	return page.Auth{Type: c.Type, Value: value}, nil
}

func loadOf(o *events.LoadOptions) page.Load {
	if o == nil {
		return page.Load{}
	}
	return page.Load{
		Timeout: time.Duration(o.Timeout) * time.Millisecond, WaitUntil: o.WaitUntil,
		WaitSelector: o.WaitFor, WaitAfter: time.Duration(o.WaitAfter) * time.Millisecond,
	}
}

func (a *attempt) print(lease Lease, c events.Content, auth page.Auth) (output, error) {
	o := c.Print
	result, err := lease.Print(a.ctx, page.Print{
		HTML: c.HTML, URL: c.URL, Auth: auth, Load: loadOf(c.Load),
		MaxBytes: a.limit,
		Options: page.PDFOptions{
			Format: o.Format, Landscape: o.Landscape, HideBackground: o.OmitBackground, Scale: o.Scale,
			Margin:              page.Margin{Top: o.MarginTop, Right: o.MarginRight, Bottom: o.MarginBottom, Left: o.MarginLeft},
			DisplayHeaderFooter: o.HeaderFooter, HeaderTemplate: o.Header, FooterTemplate: o.Footer,
		},
	})
	return output{data: result.PDF, pages: result.Pages, extension: ".pdf", load: result.Load, made: result.Print}, err
}

var imageExtensions = map[string]string{"png": ".png", "jpeg": ".jpg"}

func (a *attempt) capture(lease Lease, c events.Content, auth page.Auth) (output, error) {
	o := c.Image
	result, err := lease.Capture(a.ctx, page.Capture{
		HTML: c.HTML, URL: c.URL, Auth: auth, Load: loadOf(c.Load),
		Viewport: page.Size{Width: int(o.Width), Height: int(o.Height)},
		FullPage: o.FullPage, Format: o.Format, Quality: int(o.Quality),
		MaxBytes: a.limit,
	})
	return output{data: result.Data, extension: imageExtensions[o.Format], load: result.Load, made: result.Capture}, err
}

// noPage is the lease of a job that needs no page.
type noPage struct{}

var errNoPage = errors.New("no page was leased")

func (noPage) Print(context.Context, page.Print) (page.Result, error) {
	return page.Result{}, errNoPage
}

func (noPage) Capture(context.Context, page.Capture) (page.Image, error) {
	return page.Image{}, errNoPage
}

func (noPage) Return() {}
