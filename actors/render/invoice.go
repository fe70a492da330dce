package render

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"strings"

	"platen.dev/einvoice"
	"platen.dev/einvoice/blocks"
	"platen.dev/einvoice/pdfa"
	"platen.dev/events"
)

// maxInflated bounds what a compressed part of an e-invoice may become, in bytes; the
// edge accepts less.
const maxInflated = 16 << 20

// unfold puts the visible half of a job's e-invoice where content is. A page by URL
// stays; elsewhere characters that no font has, which PDF/A forbids, are replaced.
func (a *attempt) unfold(c events.Content) (events.Content, error) {
	if c.Invoice == nil || c.URL != "" {
		return c, nil
	}
	c, err := visible(c)
	if err != nil {
		return c, err
	}
	for _, text := range []*string{&c.HTML, &c.Print.Footer} {
		var replaced []rune
		if *text, replaced, err = pdfa.Printable(a.ctx, *text); err != nil {
			return c, err
		}
		if len(replaced) > 0 {
			a.cfg.Logger.Warn("characters without a glyph were replaced", "job", a.job.String(), "characters", fmt.Sprintf("%U", replaced[:min(len(replaced), 20)]))
		}
	}
	return c, nil
}

// visible is the caller's HTML as it was sent, or else the invoice as its template shows it.
func visible(c events.Content) (events.Content, error) {
	if len(c.Invoice.HTML) > 0 {
		html, err := inflate(c.Invoice.HTML)
		c.HTML = string(html)
		return c, err
	}
	i, _, err := readInvoice(c.Invoice)
	if err != nil {
		return c, err
	}
	template := blocks.Default()
	if len(c.Invoice.Template) > 0 {
		if template, err = blocks.Parse(c.Invoice.Template); err != nil {
			return c, err
		}
	}
	shown := blocks.Show(i, template)
	c.HTML = shown.HTML
	c.Print = events.PrintOptions{
		Format: shown.Format, MarginTop: shown.Top, MarginRight: shown.Right, MarginBottom: shown.Bottom, MarginLeft: shown.Left,
		HeaderFooter: shown.Footer != "", Footer: shown.Footer,
	}
	return c, nil
}

// readInvoice gives the invoice, and its XML as it was sent.
func readInvoice(i *events.Invoice) (invoice *einvoice.Invoice, xml []byte, err error) {
	if xml, err = inflate(i.XML); err != nil {
		return nil, nil, err
	}
	invoice, err = einvoice.Read(xml, i.Profile)
	return invoice, xml, err
}

func inflate(b []byte) ([]byte, error) {
	out, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), maxInflated+1))
	if err == nil && len(out) > maxInflated {
		err = fmt.Errorf("more than %d bytes", maxInflated)
	}
	if err != nil {
		return nil, fmt.Errorf("inflate the e-invoice: %w", err)
	}
	return out, nil
}

// hybrid makes a printed PDF a hybrid invoice, and holds it to the rules before
// anybody gets it.
func (a *attempt) hybrid(pdf []byte, i *events.Invoice) ([]byte, error) {
	invoice, xml, err := readInvoice(i)
	if err != nil {
		return nil, err
	}
	pdf, err = pdfa.Convert(pdf, pdfa.Invoice{
		XML: xml, Profile: i.Profile, Title: blocks.Title(invoice), Author: strings.TrimSpace(invoice.Seller().Name().Text()), Now: a.cfg.Now(),
	})
	if err != nil {
		return nil, err
	}
	return pdf, pdfa.Check(pdf)
}
