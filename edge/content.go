package edge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"platen.dev/edge/request"
	"platen.dev/edge/transport"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// content makes the content of a job from a request, except for an e-invoice's block template. Sources are sanitised or
// checked, credentials are sealed.
func (s *submissions) content(w *transport.Work, job events.JobID, r request.Request) (events.Content, *problem) {
	c, wrong := s.source(w, r)
	if wrong != nil {
		return c, wrong
	}
	c.Image = r.Image
	if r.Render != nil {
		c.Load = &r.Render.Load
		c.Headers, c.Cookies = s.cfg.Seal(job, asJSON(r.Render.Headers)), s.cfg.Seal(job, asJSON(r.Render.Cookies))
	}
	if n := len(c.Headers) + len(c.Cookies); n > contract.MaxContent {
		return c, contentTooLarge.with(fmt.Sprintf("payload-too-large-for-queue: headers and cookies take %d bytes, %d are allowed.", n, contract.MaxContent))
	}
	if r.PDF != nil {
		c.Print = s.printOptions(job, *r.PDF)
	}
	if r.Auth != nil {
		c.Auth = &events.Credentials{Type: r.Auth.Type, Value: s.cfg.Seal(job, r.Auth.Value)}
	}
	if r.Delivery != nil {
		c.Delivery = &events.Delivery{URL: s.cfg.Seal(job, r.Delivery.URL)}
	}
	return c, nil
}

// asJSON is a list as JSON, "" for none.
func asJSON[T any](list []T) string {
	if len(list) == 0 {
		return ""
	}
	b, err := json.Marshal(list)
	if err != nil {
		panic(err) // impossible: texts can always be marshalled
	}
	return string(b)
}

// printOptions makes safe those print options that must not be kept as they were sent.
func (s *submissions) printOptions(job events.JobID, o request.PDFOptions) events.PrintOptions {
	kept := o.Print
	kept.Header, kept.Footer = s.pageTemplate(o.Header), s.pageTemplate(o.Footer)
	kept.FirstHeader, kept.FirstFooter = s.endTemplate(o.FirstHeader), s.endTemplate(o.FirstFooter)
	kept.LastHeader, kept.LastFooter = s.endTemplate(o.LastHeader), s.endTemplate(o.LastFooter)
	kept.Password, kept.OwnerPassword = s.cfg.Seal(job, o.Password), s.cfg.Seal(job, o.OwnerPassword)
	return kept
}

// pageTemplate makes a header or footer template safe.
func (s *submissions) pageTemplate(html string) string {
	if html == "" {
		return ""
	}
	return s.cfg.Documents.Template(html)
}

// endTemplate makes the template of a first or last page safe; nil stays nil.
func (s *submissions) endTemplate(html *string) *string {
	if html == nil {
		return nil
	}
	return new(s.pageTemplate(*html))
}

// source returns the content that a request asks to render.
func (s *submissions) source(w *transport.Work, r request.Request) (c events.Content, wrong *problem) {
	switch r.Operation {
	case events.URLToPDF, events.URLToImage:
		c.URL, wrong = r.URL, s.checkPage(r.URL)
	case events.HTMLToPDF, events.HTMLToImage:
		c.Full, c.Assets = r.Full, r.Assets
		c.HTML, wrong = s.html(w, r)
	case events.MarkdownToPDF:
		c.HTML, wrong = s.converted(w, r)
	case events.EInvoiceToPDF:
		c.Invoice, wrong = s.invoice(w, *r.Invoice)
		return c, wrong
	}
	if wrong != nil {
		return c, wrong
	}
	c.Embeds = !c.Full && s.cfg.Documents.Embeds(c.HTML)
	if r.Invoice == nil {
		return c, nil
	}
	return s.embed(w, *r.Invoice, c)
}

// largest returns how many bytes of HTML a request may have. With an e-invoice the HTML is compressed before it is measured; large content is stored.
func largest(r request.Request) int {
	if r.Invoice != nil || r.Large {
		return contract.MaxBody
	}
	return contract.MaxContent
}

func tooMuchHTML(limit int) *problem {
	return contentTooLarge.with(fmt.Sprintf("payload-too-large-for-queue: the content to be rendered has more than %d bytes, or too many tags and styles for that size.", limit))
}

// html returns the HTML to render.
func (s *submissions) html(w *transport.Work, r request.Request) (string, *problem) {
	switch {
	case !r.Full:
		return s.sanitised(w, r)
	case strings.TrimSpace(r.HTML) == "":
		return "", emptyHTML
	}
	return r.HTML, nil
}

func (s *submissions) sanitised(w *transport.Work, r request.Request) (string, *problem) {
	defer w.Take(len(r.HTML))()
	limit := largest(r)
	safe, err := s.cfg.Documents.Sanitize(r.HTML, limit)
	switch {
	case err != nil:
		return "", tooMuchHTML(limit)
	case safe == "":
		return "", emptyHTML
	}
	return safe, nil
}

func (s *submissions) converted(w *transport.Work, r request.Request) (string, *problem) {
	defer w.Take(len(r.Markdown))()
	limit := largest(r)
	html, err := s.cfg.Documents.Markdown(r.Markdown, limit)
	switch {
	case errors.Is(err, ErrTooLarge):
		return "", tooMuchHTML(limit)
	case err != nil:
		return "", markdownInvalid.with("markdown-invalid: " + err.Error())
	}
	return html, nil
}

// embed adds an e-invoice to the content that is its visible half.
func (s *submissions) embed(w *transport.Work, i request.Invoice, c events.Content) (events.Content, *problem) {
	invoice, wrong := s.invoice(w, i)
	if wrong != nil {
		return c, wrong
	}
	if c.HTML != "" {
		invoice.HTML, invoice.HTMLBytes, c.HTML = events.Deflate([]byte(c.HTML)), len(c.HTML), ""
	}
	c.Invoice = invoice
	return c, nil
}

// invoice validates the XML of an e-invoice.
func (s *submissions) invoice(w *transport.Work, i request.Invoice) (*events.Invoice, *problem) {
	xml := []byte(i.XML)
	if len(xml) > contract.MaxXML {
		return nil, invoiceInvalid.with("EINVOICE_XML_INVALID: the XML is limited to 1,048,576 bytes.")
	}
	byRules, err := s.cfg.Documents.Invoice(i)
	if err != nil {
		return nil, invoiceInvalid.with("EINVOICE_XML_INVALID: " + err.Error())
	}
	if i.Rules == contract.RulesEnforce {
		if wrong := s.enforce(w, byRules, i); wrong != nil {
			return nil, wrong
		}
	}
	return &events.Invoice{Profile: i.Profile, XML: events.Deflate(xml), Rules: i.Rules, RuleSets: i.RuleSets, Format: i.Format, Match: i.Match}, nil
}

// enforce refuses an invoice that breaks business rules.
func (s *submissions) enforce(w *transport.Work, byRules ByRules, i request.Invoice) *problem {
	defer w.Take(len(i.XML))()
	found := byRules(i.RuleSets)
	if found == nil || found.Valid {
		return nil
	}
	return rulesViolated(*found)
}
