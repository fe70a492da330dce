package node

import (
	"bytes"
	"context"
	"errors"

	"platen.dev/document"
	"platen.dev/edge"
	"platen.dev/edge/request"
	"platen.dev/einvoice"
	"platen.dev/einvoice/blocks"
	"platen.dev/einvoice/inspect"
	"platen.dev/einvoice/report"
	"platen.dev/einvoice/rules"
)

// documents prepares the documents sent to the API.
var documents = edge.Documents{
	Markdown: convert, Fragment: fragment, Sanitize: sanitize, Embeds: document.Embeds, Template: document.SanitizeTemplate,
	Invoice: checkInvoice, Validate: validate, Extract: inspect.Extract, Placeholders: blocks.CheckPlaceholders,
}

// sanitize returns "" for HTML that leaves nothing to show.
func sanitize(html string, limit int) (string, error) {
	s, err := document.SanitizeWithin(html, limit)
	if err != nil || s.Empty() {
		return "", tooLarge(err)
	}
	return s.HTML(), nil
}

func convert(markdown string, limit int) (string, error) {
	html, err := document.MarkdownWithin(markdown, limit)
	return html, tooLarge(err)
}

func fragment(markdown string, limit int) (string, error) {
	html, err := document.MarkdownFragment(markdown, limit)
	return html, tooLarge(err)
}

func tooLarge(err error) error {
	if errors.Is(err, document.ErrTooLarge) {
		return edge.ErrTooLarge
	}
	return err
}

func checkInvoice(i request.Invoice) (edge.ByRules, error) {
	invoice, err := einvoice.ParseWanted([]byte(i.XML), einvoice.WantedBy(i.Format, i.Profile, i.Rules))
	return func(sets []string) *report.Rules { return inspect.Rules(invoice, sets) }, err
}

// validate returns the report on an invoice from an untrusted source.
func validate(c request.InvoiceCheck) *report.Report {
	want := inspect.Wanted{Profile: c.Profile}
	if len(c.Sets) > 0 {
		want.Sets, _ = rules.Named(c.Sets) // the body's declaration allows no unknown ones
	}
	if c.XML != nil {
		return inspect.XML([]byte(*c.XML), want)
	}
	return inspect.PDF(c.PDF, want)
}

// picture draws a page of a file that a job has made: a PDF, or an image, which is its own only
// page.
func picture(ctx context.Context, file []byte, page, width int) ([]byte, error) {
	if !bytes.HasPrefix(file, []byte("%PDF-")) {
		return document.Thumbnail(file, width)
	}
	return document.Picture(ctx, file, page, width)
}
