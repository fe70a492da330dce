package edge

import (
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/request"
	"platen.dev/edge/schema"
	"platen.dev/edge/transport"
	"platen.dev/einvoice/report"
	"platen.dev/events"
)

// invoices has the endpoints about e-invoices from any source. They make no job and store nothing.
type invoices struct {
	*front
	turns *transport.Turns
}

// heavy is how long the work on an invoice may take before its account must rest from large content: the work is not charged.
const heavy = 250 * time.Millisecond

func (s *invoices) validate(ctx *fasthttp.RequestCtx) *problem {
	return s.serve(ctx, request.InvoiceCheckKind, func(account events.AccountID, c request.InvoiceCheck) (any, *problem) {
		return s.check(account, c), nil
	})
}

func (s *invoices) extract(ctx *fasthttp.RequestCtx) *problem {
	return s.serve(ctx, request.InvoicePDFKind, func(account events.AccountID, c request.InvoiceCheck) (any, *problem) {
		return s.read(account, c)
	})
}

// serve decodes a body and responds with the result of do.
func (s *invoices) serve(ctx *fasthttp.RequestCtx, kind schema.Object[request.InvoiceCheck], do func(events.AccountID, request.InvoiceCheck) (any, *problem)) *problem {
	caller, wrong := s.enterWithBody(ctx)
	if wrong != nil {
		return wrong
	}
	c, violations := s.decode(caller.Account, kind, sent(ctx))
	if len(violations) > 0 {
		return invalidRequest(violations)
	}
	answer, wrong := do(caller.Account, c)
	if wrong != nil {
		return wrong
	}
	ctx.SetStatusCode(200)
	ctx.SetContentType(jsonType)
	ctx.Response.Header.Set("Cache-Control", "private, no-store")
	writeJSON(ctx, answer)
	return nil
}

func (s *invoices) decode(account events.AccountID, kind schema.Object[request.InvoiceCheck], sent request.Sent) (request.InvoiceCheck, []schema.Violation) {
	defer s.turns.Begin(account).Take(len(sent.Body))()
	return request.DecodeInvoice(kind, sent)
}

// check reports on an invoice.
func (s *invoices) check(account events.AccountID, c request.InvoiceCheck) *report.Report {
	defer s.turn(account, c)()
	return s.cfg.Documents.Validate(c)
}

// read extracts the invoice from a PDF.
func (s *invoices) read(account events.AccountID, c request.InvoiceCheck) (*report.Extract, *problem) {
	defer s.turn(account, c)()
	e, err := s.cfg.Documents.Extract(c.PDF)
	if err != nil {
		return nil, invoiceNotFound.with("EINVOICE_NOT_FOUND: " + err.Error() + ".")
	}
	return e, nil
}

// turn waits for the account's turn. A PDF of any size needs one, as it may decode to much more than it has.
func (s *invoices) turn(account events.AccountID, c request.InvoiceCheck) (done func()) {
	bytes := c.Bytes()
	if c.PDF != nil {
		bytes = max(bytes, transport.FreeContent+1)
	}
	w := s.turns.Begin(account)
	release := w.Take(bytes)
	start := time.Now()
	return func() {
		release()
		w.End(time.Since(start) > heavy)
	}
}
