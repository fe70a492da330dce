package dashboard

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/request"
	"platen.dev/events/contract"
)

// invoicePages check e-invoices from any source. Nothing of them is stored.
type invoicePages struct{ *site }

func (d invoicePages) form(ctx *fasthttp.RequestCtx, v visitor) {
	d.show(ctx, page.CheckInvoice{Frame: d.frame(ctx, v), Profiles: contract.Profiles()})
}

// maxEchoed is how many bytes of pasted XML the form repeats for editing.
const maxEchoed = 256 << 10

// check shows the report on the chosen file or, without one, the pasted XML.
func (d invoicePages) check(ctx *fasthttp.RequestCtx, v visitor) {
	args := ctx.PostArgs()
	view := page.CheckInvoice{Frame: d.frame(ctx, v), Profiles: contract.Profiles()}
	if profile := string(args.Peek("profile")); slices.Contains(view.Profiles, profile) {
		view.Profile = profile
	}
	c, ok := sentInvoice(args)
	if !ok {
		d.message(ctx, 422, "nofile")
		return
	}
	if c.Profile = view.Profile; c.XML != nil && len(args.Peek("file")) == 0 && len(*c.XML) <= maxEchoed {
		view.XML = *c.XML
	}
	report, refused := d.cfg.CheckInvoice(v.Account, c)
	if refused != nil {
		ctx.SetStatusCode(refused.Status)
		if refused.RetryAfter > 0 {
			ctx.Response.Header.Set("Retry-After", strconv.FormatInt(refused.RetryAfter, 10))
		}
		view.Problem = problemOf(*refused)
	}
	view.Report = report
	d.show(ctx, view)
}

// sentInvoice reads the invoice of a form: a file as a data URI, which keeps its bytes intact, or XML. It returns false if the file cannot be read.
func sentInvoice(args *fasthttp.Args) (c request.InvoiceCheck, ok bool) {
	xml := string(args.Peek("xml"))
	if file := string(args.Peek("file")); file != "" {
		_, encoded, _ := strings.Cut(file, ",")
		content, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return c, false
		}
		if bytes.Contains(content[:min(len(content), 1024)], []byte("%PDF-")) {
			c.PDF = content
			return c, true
		}
		xml = string(content)
	}
	c.XML = &xml
	return c, true
}
