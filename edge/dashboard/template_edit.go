package dashboard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/request"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// Bounds of concurrent preview requests, per account and in all: a request holds its invoice while it waits for its turn.
const (
	previewsPerAccount = 2
	previewsPerNode    = 16
)

// usualProfile is the profile of the sample that is shown first.
const usualProfile = "en16931"

// editTemplate shows a saved template, one of its versions, or a new one like the built-in.
func (d templatePages) editTemplate(ctx *fasthttp.RequestCtx, v visitor) {
	view, body := page.Template{Frame: d.frame(ctx, v), Sample: usualProfile}, d.cfg.Templates.BuiltIn()
	if ctx.QueryArgs().Has("template") {
		id, t, ok := d.saved(ctx, v, ctx.QueryArgs())
		if !ok {
			return
		}
		view.ID, view.Name, body = id, t.Name, t.Body
		if number := string(ctx.QueryArgs().Peek("version")); number != "" {
			earlier, present, ok, err := d.version(v.Account, id, number)
			switch {
			case err != nil:
				d.unavailable(ctx, "read versions", err)
				return
			case !ok:
				redirect(ctx, Path+"/templates?wrong=no-such-version")
				return
			}
			view.Name, body = earlier.Name, earlier.Body
			if !present {
				view.Version = earlier.Number
			}
		}
	}
	groups, err := filledForm(body)
	if err != nil {
		d.unavailable(ctx, "read template", err)
		return
	}
	view.Groups = groups
	d.showEditor(ctx, view)
}

func (d templatePages) showEditor(ctx *fasthttp.RequestCtx, view page.Template) {
	view.Groups = withDefaults(view.Groups, d.cfg.Templates.Defaults())
	view.Placeholders, view.Profiles = d.cfg.Templates.Placeholders(), contract.Profiles()
	d.show(ctx, view)
}

// sentTemplate reads the editor's form. It returns the page again, with the problems beside the fields, and the template if there are none. If it cannot
// be known which template that is, ok is false and the response says so.
func (d templatePages) sentTemplate(ctx *fasthttp.RequestCtx, v visitor) (view page.Template, body []byte, ok bool) {
	args := ctx.PostArgs()
	var blank []string
	for _, path := range args.PeekMulti("blank") {
		blank = append(blank, string(path))
	}
	view = page.Template{
		Frame: d.frame(ctx, v), Name: sentName(ctx), Sample: string(args.Peek("sample")), XML: string(args.Peek("xml")),
		Groups: sentForm(func(path string) string { return string(args.Peek("t." + path)) }, blank),
	}
	id := events.TemplateID(args.Peek("template"))
	switch _, known, err := d.savedTemplate(v.Account, id); {
	case err != nil:
		d.unavailable(ctx, "read template", err)
		return view, nil, false
	case known: // else it is gone, or another account's
		view.ID = id
	}
	if !slices.Contains(contract.Profiles(), view.Sample) {
		view.Sample = usualProfile
	}
	body, wrong := request.CanonicalTemplate(templateOf(view.Groups), d.cfg.Templates.CheckText)
	view.Wrong = withWrong(view.Groups, wrong)
	return view, body, true
}

// saveTemplate saves what was typed, or shows it again with the problems.
func (d templatePages) saveTemplate(ctx *fasthttp.RequestCtx, v visitor) {
	view, body, ok := d.sentTemplate(ctx, v)
	if !ok {
		return
	}
	id := cmp.Or(view.ID, events.NewTemplateID())
	var err error
	if len(view.Wrong) == 0 {
		err = d.cfg.Services.Templates.Put(v.principal(), id, view.Name, body)
	}
	if code := service.CodeOf(err); code != "" && code != service.RateLimited {
		view.Wrong = []page.Violation{{Text: err.Error()}}
	}
	switch {
	case len(view.Wrong) > 0:
		ctx.SetStatusCode(422)
		d.showEditor(ctx, view)
	case d.did(ctx, err):
		d.toEditor(ctx, id, "template-saved")
	}
}

// previewTemplate shows an invoice by the typed template: the whole page, or only its changing part for the script.
func (d templatePages) previewTemplate(ctx *fasthttp.RequestCtx, v visitor) {
	view, body, ok := d.sentTemplate(ctx, v)
	if !ok {
		return
	}
	if len(view.Wrong) > 0 {
		view.Preview.Problem = page.Text("preview.fields")
		ctx.SetStatusCode(422)
	} else {
		var status int
		if view.Preview, _, status = d.preview(v, view, body, true); status > 0 {
			ctx.SetStatusCode(status)
		}
	}
	if !ctx.PostArgs().Has("part") {
		d.showEditor(ctx, view)
		return
	}
	var part bytes.Buffer
	if err := page.Fragment(&part, view); err != nil {
		d.unavailable(ctx, "write preview", err)
		return
	}
	ctx.SetContentType("text/html; charset=utf-8")
	ctx.SetBody(part.Bytes())
}

// previewPDF sends the file of a preview, or the page that says why there is none.
func (d templatePages) previewPDF(ctx *fasthttp.RequestCtx, v visitor) {
	view, body, ok := d.sentTemplate(ctx, v)
	if !ok {
		return
	}
	status, pdf := 422, []byte(nil)
	if len(view.Wrong) > 0 {
		view.Preview.Problem = page.Text("preview.fields")
	} else {
		view.Preview, pdf, status = d.preview(v, view, body, false)
	}
	if status > 0 {
		ctx.SetStatusCode(status)
		d.showEditor(ctx, view)
		return
	}
	ctx.SetContentType("application/pdf")
	ctx.Response.Header.Set("Content-Disposition", `attachment; filename="preview.pdf"`)
	ctx.SetBody(pdf)
}

// preview shows an invoice by a template. If there is no preview, it says why, with a status; else that is 0.
func (d templatePages) preview(v visitor, view page.Template, template []byte, pictures bool) (shown page.Preview, pdf []byte, status int) {
	end, free := d.previews.Begin(v.Account)
	if !free {
		return page.Preview{Problem: page.Text("preview.busy")}, nil, 429
	}
	defer end()
	invoice := Invoice{XML: []byte(strings.TrimSpace(view.XML))}
	if len(invoice.XML) == 0 {
		invoice = Invoice{d.cfg.Templates.Sample(view.Sample), view.Sample}
	}
	made, err := d.cfg.Templates.Preview(context.Background(), v.Account, invoice, template, pictures)
	var invalid InvoiceError
	var failed PreviewError
	switch {
	case err == nil:
		return page.Preview{Pictures: made.Pictures, Pages: made.Pages, Size: int64(len(made.PDF))}, made.PDF, 0
	case errors.As(err, &invalid):
		return page.Preview{Wrong: invalid}, nil, 422
	case errors.Is(err, ErrPreviewBusy):
		return page.Preview{Problem: page.Text("preview.busy")}, nil, 429
	case errors.As(err, &failed) && events.ErrorCode(failed) == events.PageTimeout:
		return page.Preview{Problem: page.Text("preview.slow")}, nil, 422
	case errors.As(err, &failed):
		return page.Preview{Problem: page.Cause(events.ErrorCode(failed))}, nil, 422
	}
	d.cfg.Logger.Error("dashboard: preview", "account", string(v.Account), "error", err)
	return page.Preview{Problem: page.Text("preview.failed")}, nil, 503
}
