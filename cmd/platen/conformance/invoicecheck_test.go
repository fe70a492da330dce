package conformance

import (
	"encoding/base64"
	"os"
	"strings"
	"testing"
	"time"

	"platen.dev/einvoice/hybrid"
	"platen.dev/events"
)

// E-invoices from anybody: checked and read without a job.

const (
	validatePath = "/einvoices/validate"
	extractPath  = "/einvoices/extract"
)

var invoiceCheckRows = []row{
	{"check/xml", extensionSection, "an invoice is checked, whoever made it", proveValidateXML},
	{"check/pdf", extensionSection, "so is one in a PDF", proveValidatePDF},
	{"check/body", extensionSection, "the body has xml or pdf, and known names", proveValidateBody},
	{"check/extract", extensionSection, "the XML of a PDF, and what it says", proveExtract},
	{"check/rate", extensionSection, "it counts toward the request rate, and is not charged", proveCheckRate},
}

// keptInvoice keeps all rules.
func keptInvoice(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../../einvoice/rules/testdata/base.xml")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// foreignHybrid is a PDF with an invoice in it.
func foreignHybrid(t *testing.T, xml string) []byte {
	t.Helper()
	printed, err := os.ReadFile("../../../document/pdfa/testdata/plain.pdf")
	if err != nil {
		t.Fatal(err)
	}
	pdf, err := hybrid.Convert(printed, hybrid.Invoice{XML: []byte(xml), Profile: "basic", Title: "Invoice", Now: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	return pdf
}

func proveValidateXML(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	good := keptInvoice(t)
	report := c.post(validatePath, object{"xml": good}).status(200).json()
	if report["kind"] != "cii" || report["profile"] != "basic" || report["valid"] != true || report["pdfa"] != nil || report["match"] != nil {
		t.Errorf("got %v", report)
	}
	sets := report["rules"].(object)["sets"].([]any)
	if len(sets) == 0 || sets[0].(object)["name"] != "en16931" {
		t.Errorf("got %v", sets)
	}
	wrong := c.post(validatePath, object{"xml": strings.Replace(good, "<ram:InvoiceCurrencyCode>EUR<", "<ram:InvoiceCurrencyCode>EUX<", 1)}).status(200).json()
	var said bool
	for _, v := range wrong["rules"].(object)["violations"].([]any) {
		said = said || v.(object)["rule"] == "BR-CL-04" && v.(object)["severity"] == "fatal" && v.(object)["term"] == "BT-5" && v.(object)["line"] != nil
	}
	if wrong["valid"] != false || !said {
		t.Errorf("got %v", wrong)
	}
	for name, xml := range map[string]string{"nothing": "", "no XML": "x", "another root": "<a/>", "DOCTYPE": "<!DOCTYPE a><a/>"} {
		if report := c.post(validatePath, object{"xml": xml}).status(200).json(); report["valid"] != false {
			t.Errorf("%s: %v", name, report)
		}
	}
	if report := c.post(validatePath, object{"xml": `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"/>`}).status(200).json(); report["kind"] != "ubl" || report["valid"] != nil ||
		len(report["unchecked"].([]any)) == 0 {
		t.Errorf("UBL: %v", report)
	}
}

func proveValidatePDF(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	report := c.post(validatePath, object{"pdf": foreignHybrid(t, keptInvoice(t))}).status(200).json()
	embedding := report["embedding"].(object)
	if report["kind"] != "hybrid" || report["valid"] != true || report["pdfa"].(object)["valid"] != true || embedding["file_name"] != "factur-x.xml" || embedding["level"] != "BASIC" {
		t.Errorf("got %v", report)
	}
	for _, pdf := range []string{"", "x", "%PDF-1.7"} {
		report := c.post(validatePath, object{"pdf": []byte(pdf)}).status(200).json()
		if report["valid"] != false || report["kind"] != nil || report["pdfa"].(object)["valid"] != false {
			t.Errorf("%q: %v", pdf, report)
		}
	}
}

func proveValidateBody(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	c.post(validatePath, object{"xml": "<a/>", "profile": "basic", "rule_sets": []any{"en16931"}}).status(200)
	for at, body := range map[string]object{
		"xml": {}, "pdf": {"pdf": "?"}, "profile": {"xml": "x", "profile": "xxl"}, "rule_sets": {"xml": "x", "rule_sets": []any{"xxl"}}, "html": {"xml": "x", "html": "x"},
	} {
		first := c.post(validatePath, body).status(422).json()["detail"].([]any)[0].(object)
		if loc := first["loc"].([]any); loc[1] != at {
			t.Errorf("%s: got %v", at, loc)
		}
	}
	c.post(validatePath, object{"xml": "x", "pdf": base64.StdEncoding.EncodeToString([]byte("x"))}).status(422)
}

func proveExtract(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	xml := keptInvoice(t)
	got := c.post(extractPath, object{"pdf": foreignHybrid(t, xml)}).status(200).json()
	facts := got["facts"].(object)
	if got["xml"] != xml || got["file_name"] != "factur-x.xml" || got["relationship"] != "Alternative" || got["profile"] != "basic" || facts["currency"] != "EUR" || facts["number"] == nil {
		t.Errorf("got %v", got)
	}
	c.post(extractPath, object{"pdf": []byte("x")}).problem(422, "EINVOICE_NOT_FOUND", "EINVOICE_NOT_FOUND: not a PDF")
	c.post(extractPath, object{}).status(422)
}

func proveCheckRate(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	for range perMinute[events.PlanFree] {
		c.post(validatePath, object{"xml": "<a/>"}).status(200)
	}
	c.post(extractPath, object{"pdf": []byte("x")}).problem(429, "RATE_LIMIT_EXCEEDED", "rate-limit-exceeded: ")
	if u := c.usage(); u.Reserved+u.Running != 0 {
		t.Errorf("something was charged: %+v", u)
	}
}
