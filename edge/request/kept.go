package request

import (
	"slices"

	"platen.dev/edge/schema"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// Kept returns the body of a job, as far as it is stored: sources as rendered (Markdown as html), credentials and the webhook's URL
// as schema.Hidden. It omits defaults, as Encode does.
func Kept(s events.Submission) schema.Ordered {
	op, ok := ByPath("/" + string(s.Operation))
	if !ok {
		return nil
	}
	body := op.body.Encode(kept(s))
	if s.Operation == events.MarkdownToPDF {
		body[0] = schema.Member{Name: "html", Value: s.Content.HTML} // instead of the Markdown
	}
	if len(s.Webhook) > 0 {
		body = append(body, schema.Member{Name: "webhook_url", Value: schema.Hidden{}})
	}
	return slices.DeleteFunc(body, func(m schema.Member) bool { return m.Value == "" }) // a source in the content store
}

// kept returns the body from which a command was made, with placeholders for sealed credentials.
func kept(s events.Submission) Body {
	c := s.Content
	b := Body{
		URL: c.URL, HTML: c.HTML, Full: c.Full, Assets: c.Assets, Large: c.Stored != nil, Image: c.Image,
		Test: s.Test, Wait: s.Waits, Tags: s.Tags,
		PDF: &PDFOptions{
			Print: c.Print, Header: c.Print.Header, Footer: c.Print.Footer,
			FirstHeader: c.Print.FirstHeader, FirstFooter: c.Print.FirstFooter, LastHeader: c.Print.LastHeader, LastFooter: c.Print.LastFooter,
			Password: standIn(c.Print.Password), OwnerPassword: standIn(c.Print.OwnerPassword),
		},
	}
	if c.Load != nil {
		b.Render = &Render{Load: *c.Load}
		if len(c.Headers) > 0 {
			b.Render.Headers = make([]contract.Header, 1)
		}
		if len(c.Cookies) > 0 {
			b.Render.Cookies = make([]contract.Cookie, 1)
		}
	}
	if c.Auth != nil {
		b.Auth = &Auth{Type: c.Auth.Type, Value: standIn(c.Auth.Value)}
	}
	if c.Delivery != nil {
		b.Delivery = &Delivery{URL: standIn(c.Delivery.URL)}
	}
	if c.Invoice != nil {
		b.keepInvoice(*c.Invoice)
	}
	return b
}

// standIn returns a placeholder for a sealed text, "" if there is none.
func standIn(s events.Sealed) string {
	if len(s) > 0 {
		return "sealed"
	}
	return ""
}

// keepInvoice adds an e-invoice with what it keeps beside its XML.
func (b *Body) keepInvoice(i events.Invoice) {
	xml, _ := i.XML.Inflate() // what is damaged is shown as far as it can be read
	b.Invoice = &Invoice{XML: string(xml), Profile: i.Profile, Format: i.Format, Rules: i.Rules, RuleSets: i.RuleSets, Match: i.Match}
	if len(i.HTML) > 0 {
		html, _ := i.HTML.Inflate()
		b.HTML = string(html)
	}
	if document, _, violations := blockTemplate.Decode(i.Template, ""); len(violations) == 0 {
		b.Template = &document
	}
}
