package conformance

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	"platen.dev/einvoice"
	"platen.dev/einvoice/blocks"
	"platen.dev/events"
)

// E-invoices: the checks that come before the XML's schema.

const (
	invoiceSection = "POST /einvoice-to-pdf"
	optionSection  = "E-invoice option on HTML to PDF and URL to PDF"
	profileNames   = "'minimum', 'basicwl', 'basic', 'en16931', 'extended' or 'xrechnung'"
)

var visibleHalves = []string{urlToPDF, htmlToPDF}

var invoiceRows = append(rowsOf([]field{
	{
		id: "invoice/profile", section: invoiceSection, statement: "profile is one of five names",
		on: []string{invoiceToPDF}, at: "profile", takes: []any{"en16931"},
		refuses: []refused{unlisted("comfort", profileNames), unlisted("EN16931", profileNames), unlisted(1, profileNames)},
	},
	{
		id: "invoice/option", section: optionSection, statement: "einvoice is an object whose xml is required",
		on: visibleHalves, at: "einvoice", takes: []any{object{"xml": invoiceXML("en16931", "380")}},
		refuses: []refused{
			notObject("x"),
			{object{}, "missing", "Field required", "einvoice.xml"},
			unknownIn(object{"xml": "x", "template": nil}, "einvoice.template"),
			{object{"xml": 1}, "string_type", "Input should be a valid string", "einvoice.xml"},
		},
	},
	{
		id: "invoice/option-format", section: optionSection, statement: "format is factur-x, or ubl, an extension",
		on: visibleHalves, at: "einvoice.format", beside: object{"einvoice.xml": invoiceXML("en16931", "380")}, takes: []any{"factur-x"},
		refuses: []refused{unlisted("zugferd", formatNames), unlisted(1, formatNames)},
	},
	{
		id: "invoice/option-profile", section: optionSection, statement: "profile has the same values as for e-invoice to PDF",
		on: visibleHalves, at: "einvoice.profile", beside: object{"einvoice.xml": invoiceXML("en16931", "380")}, takes: []any{"en16931"},
		refuses: []refused{unlisted("basic-wl", profileNames)},
	},
}), []row{
	{"invoice/guidelines", "E-invoice data", "the XML declares the guideline of the profile, and of no other", proveGuidelines},
	{"invoice/default-profile", "E-invoice data", "the profile is en16931 when it is left out", proveDefaultProfile},
	{"invoice/guideline-space", "E-invoices", "white space around the guideline does not count", proveGuidelineSpace},
	{"invoice/type-codes", "E-invoice data", "the document type code is 380 or 381", proveTypeCodes},
	{"invoice/not-well-formed", "Errors", "XML that cannot be parsed, or is not an invoice, is EINVOICE_XML_INVALID", proveNoInvoice},
	{"invoice/schema", "E-invoices", "what breaks the profile's schema is refused, up to 20 violations with path, line and expectation", proveSchema},
	{"invoice/placeholder", "E-invoice data", "an unknown placeholder is rejected with its path and the known ones", proveUnknownPlaceholder},
	{"invoice/doctype", "E-invoices", "a DOCTYPE is refused", proveDoctype},
	{"invoice/size", invoiceSection, "the XML has 1,048,576 bytes at most", proveInvoiceSize},
	{"invoice/attachments", invoiceSection, "XML that is too large even compressed, as attachments make it, is 413 and free", proveAttachments},
	{"invoice/html-compressed", "Submitting", "HTML beside an e-invoice counts compressed", proveCompressedHTML},
	{"invoice/conflict", optionSection, "einvoice with user_password, owner_password, compression or pdfa 2b is a conflict on every plan", proveConflict},
	{"invoice/template-conflict", invoiceSection, "template and template_id exclude one another", proveTemplateConflict},
	{"invoice/template-unknown", invoiceSection, "an unknown template_id is 404", proveTemplateUnknown},
	{"invoice/uncharged", "Errors", "requests that are refused cost nothing", proveInvoiceUncharged},
}...)

const invalidInvoice = "EINVOICE_XML_INVALID"

// invoiced are the three ways to send an invoice.
func invoiced(xml string, profile any) map[string]object {
	option := object{"xml": xml, "profile": profile}
	return map[string]object{
		invoiceToPDF: {"xml": xml, "profile": profile},
		htmlToPDF:    {"html": "<p>x</p>", "einvoice": option},
		urlToPDF:     {"url": publicPage, "einvoice": option},
	}
}

// accepts and refuses send an invoice in all three ways.
func (c *customer) accepts(xml string, profile any) {
	c.t.Helper()
	for path, body := range invoiced(xml, profile) {
		c.post(path, body).accepted()
	}
}

func (c *customer) refusesInvoice(xml string, profile any) {
	c.t.Helper()
	for path, body := range invoiced(xml, profile) {
		c.post(path, body).problem(422, invalidInvoice, invalidInvoice+": ")
	}
}

func proveGuidelines(t *testing.T, s *server) {
	want := map[string]string{
		"minimum": "urn:factur-x.eu:1p0:minimum", "basicwl": "urn:factur-x.eu:1p0:basicwl",
		"basic":    "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic",
		"en16931":  "urn:cen.eu:en16931:2017",
		"extended": "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended",
	}
	c := s.customer(t, events.PlanBusiness)
	for declared, guideline := range want {
		for profile := range einvoice.Guidelines {
			if profile == declared {
				c.accepts(invoiceOf(guideline, "380", ""), profile)
			} else {
				c.refusesInvoice(invoiceOf(guideline, "380", ""), profile)
			}
		}
	}
	c.refusesInvoice(invoiceOf("", "380", ""), "basic")
}

func proveDefaultProfile(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	c.accepts(invoiceXML("en16931", "380"), nil)
	c.refusesInvoice(invoiceXML("basic", "380"), nil)
}

func proveGuidelineSpace(t *testing.T, s *server) {
	s.customer(t, events.PlanPro).accepts(invoiceOf("\n\t "+einvoice.Guidelines["basic"]+" \n", "380", ""), "basic")
}

func proveTypeCodes(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	for _, code := range []string{"380", "381"} {
		c.accepts(invoiceXML("en16931", code), "en16931")
	}
	for _, code := range []string{"", "0", "326", "384", "389", "3800", "invoice"} {
		c.refusesInvoice(invoiceXML("en16931", code), "en16931")
	}
	none := strings.Replace(invoiceXML("en16931", "380"), "<ram:TypeCode>380</ram:TypeCode>", "", 1)
	c.refusesInvoice(none, "en16931")
}

func proveNoInvoice(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	whole := invoiceXML("en16931", "380")
	for _, xml := range []string{
		"", "x", "<a/>", whole[:len(whole)-1], whole + "<a/>", whole + "x",
		strings.Replace(whole, "CrossIndustryInvoice:100", "CrossIndustryInvoice:99", 1),
		strings.Replace(whole, "UTF-8", "ISO-8859-1", 1),
	} {
		c.refusesInvoice(xml, "en16931")
	}
}

func proveSchema(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	wrong := strings.Replace(invoiceXML("en16931", "380"), "<ram:GrandTotalAmount>", "<ram:GrandTotalAmount>x", 1)
	for path, body := range invoiced(wrong, "en16931") {
		detail, _ := c.post(path, body).problem(422, invalidInvoice, invalidInvoice+": ")["detail"].(string)
		for _, part := range []string{"ram:GrandTotalAmount", "line ", "column ", "decimal"} {
			if !strings.Contains(detail, part) {
				t.Errorf("%s: %q does not name %s", path, detail, part)
			}
		}
	}
	many := strings.Replace(invoiceXML("en16931", "380"), "<rsm:SupplyChainTradeTransaction>", "<rsm:SupplyChainTradeTransaction>"+strings.Repeat("<ram:Nothing/>", 30), 1)
	detail, _ := c.post(invoiceToPDF, object{"xml": many}).problem(422, invalidInvoice, invalidInvoice+": ")["detail"].(string)
	if n := strings.Count(detail, "ram:Nothing"); n < 20 || strings.Count(detail, "\n") > 20 {
		t.Errorf("%d violations are named: %s", n, detail)
	}
	if u := c.usage(); u.Reserved+u.Used+u.Running != 0 {
		t.Errorf("refusals were charged: %+v", u)
	}
}

func proveUnknownPlaceholder(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	body := minimal(invoiceToPDF)
	template := wholeTemplate()
	template["blocks"].([]any)[1] = object{"type": "trading-parties", "labels": object{"seller": "{seller}"}}
	body["template"] = template
	known := "Value error, unknown placeholder {seller}; use one of {" + strings.Join(blocks.Placeholders(), "}, {") + "}"
	c.post(invoiceToPDF, body).violations(wrong{"body.template.blocks.1.labels.seller", "value_error", known})
}

func proveDoctype(t *testing.T, s *server) {
	head := `<?xml version="1.0" encoding="UTF-8"?>`
	xml := strings.Replace(invoiceXML("en16931", "380"), head, head+`<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>`, 1)
	s.customer(t, events.PlanPro).refusesInvoice(xml, "en16931")
}

// padded is an invoice of n bytes that compresses well.
func padded(n int) string {
	empty := invoiceOf(einvoice.Guidelines["en16931"], "380", "<!---->")
	return invoiceOf(einvoice.Guidelines["en16931"], "380", "<!--"+strings.Repeat("x", n-len(empty))+"-->")
}

func proveInvoiceSize(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	c.accepts(padded(1_048_576), "en16931")
	c.refusesInvoice(padded(1_048_577), "en16931")
}

// noise returns n bytes that do not compress, always the same.
func noise(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(b) // it never fails
	return b
}

// attached is an invoice with an attachment of noise, in base64.
func attached(n int) string {
	return invoiceOf(einvoice.Guidelines["en16931"], "380", "<!--"+base64.StdEncoding.EncodeToString(noise(n))+"-->")
}

// Compressed base64 is about as large as the bytes that it encodes.
func proveAttachments(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	c.accepts(attached(230<<10), "en16931")
	before := c.usage()
	for path, body := range invoiced(attached(245<<10), "en16931") {
		c.post(path, body).problem(413, "PAYLOAD_TOO_LARGE_FOR_QUEUE", "PAYLOAD_TOO_LARGE_FOR_QUEUE: ")
	}
	if after := c.usage(); after.Reserved != before.Reserved || after.Running != before.Running {
		t.Errorf("a refused request was charged: %+v, before %+v", after, before)
	}
}

func proveCompressedHTML(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	option := object{"xml": invoiceXML("en16931", "380")}
	c.post(htmlToPDF, object{"html": strings.Repeat("x", 500_000), "einvoice": option}).accepted()
	noise := base64.StdEncoding.EncodeToString(noise(245 << 10))
	c.post(htmlToPDF, object{"html": noise, "einvoice": option}).problem(413, "PAYLOAD_TOO_LARGE_FOR_QUEUE", "PAYLOAD_TOO_LARGE_FOR_QUEUE: ")
}

func proveConflict(t *testing.T, s *server) {
	for _, plan := range events.Plans() {
		c := s.customer(t, plan)
		for _, path := range visibleHalves {
			for name, value := range map[string]any{"user_password": "x", "compression": object{"level": 1}, "owner_password": "x", "pdfa": "2b"} {
				body := minimal(path)
				body["einvoice"], body["options"] = object{"xml": invoiceXML("en16931", "380")}, object{name: value}
				c.post(path, body).problem(422, "EINVOICE_OPTIONS_CONFLICT", "EINVOICE_OPTIONS_CONFLICT: ")
			}
		}
		c.post(htmlToPDF, object{"html": "x", "einvoice": nil, "options": object{"user_password": nil}}).accepted()
	}
	denied := object{"html": "x", "einvoice": object{"xml": invoiceXML("en16931", "380")}, "options": object{"permissions": object{"copying": false}, "owner_password": "x"}}
	s.customer(t, events.PlanPro).post(htmlToPDF, denied).problem(422, "EINVOICE_OPTIONS_CONFLICT", "EINVOICE_OPTIONS_CONFLICT: ")
}

func proveTemplateConflict(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	body := minimal(invoiceToPDF)
	body["template"], body["template_id"] = wholeTemplate(), "tpl_1"
	c.post(invoiceToPDF, body).problem(422, "EINVOICE_OPTIONS_CONFLICT", "EINVOICE_OPTIONS_CONFLICT: ")
	body["template"] = nil
	c.post(invoiceToPDF, body).status(404)
}

func proveTemplateUnknown(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	for _, test := range []bool{false, true} {
		body := minimal(invoiceToPDF)
		body["template_id"], body["test"] = "tpl_unknown", test
		c.post(invoiceToPDF, body).problem(404, "EINVOICE_TEMPLATE_NOT_FOUND", "EINVOICE_TEMPLATE_NOT_FOUND: ")
	}
}

func proveInvoiceUncharged(t *testing.T, s *server) {
	c := s.customer(t, events.PlanStarter)
	c.refusesInvoice("<a/>", "en16931")
	c.refusesInvoice(padded(1_048_577), "en16931")
	c.post(invoiceToPDF, object{"xml": invoiceXML("en16931", "380"), "template_id": "tpl_unknown"}).status(404)
	if u := c.usage(); u.Reserved+u.Used+u.Running+u.Tests != 0 {
		t.Errorf("refusals were charged: %+v", u)
	}
}
