package conformance

import (
	"encoding/base64"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/einvoice"
	"platen.dev/einvoice/hybrid"
	"platen.dev/einvoice/rules"
	samples "platen.dev/einvoice/sample"
	"platen.dev/events"
)

// E-invoices from anybody: checked and read without a job.

const (
	validatePath = "/einvoices/validate"
	extractPath  = "/einvoices/extract"
)

const (
	ruleNames = "'none', 'warn' or 'enforce'"
	needRules = "rule_sets need rules warn or enforce"
)

// wrongSets are lists of rule sets that are refused at a path.
func wrongSets(at string) []refused {
	return []refused{
		{value: "en16931", kind: "list_type", msg: "Input should be a valid list"},
		{value: slices.Repeat([]any{"en16931"}, 11), kind: "too_long", msg: "List should have at most 10 items after validation, not 11"},
		{value: []any{1}, kind: "literal_error", msg: setNames(), at: at + ".0"},
		{value: []any{"xxl"}, kind: "literal_error", msg: setNames(), at: at + ".0"},
	}
}

// setNames is what is said of a set that there is not.
func setNames() string {
	var names []string
	for _, s := range rules.Sets() {
		names = append(names, "'"+s.Name+"'")
	}
	last := len(names) - 1
	if last == 0 {
		return "Input should be " + names[0]
	}
	return "Input should be " + strings.Join(names[:last], ", ") + " or " + names[last]
}

var invoiceCheckRows = append(rowsOf([]field{
	{
		id: "rules/field", section: extensionSection, statement: "rules is one of three names",
		on: []string{invoiceToPDF}, at: "rules", takes: []any{"none", "warn"}, refuses: []refused{unlisted("all", ruleNames), unlisted(true, ruleNames)},
	},
	{
		id: "rules/sets", section: extensionSection, statement: "rule_sets are up to ten names of sets, with rules",
		on: []string{invoiceToPDF}, at: "rule_sets", beside: object{"rules": "warn"}, takes: []any{[]any{"en16931"}, []any{}, slices.Repeat([]any{"en16931"}, 10)}, refuses: wrongSets("rule_sets"),
	},
	{
		id: "rules/option", section: extensionSection, statement: "einvoice.rules has the same names",
		on: visibleHalves, at: "einvoice.rules", beside: object{"einvoice.xml": invoiceXML("en16931", "380")}, takes: []any{"none", "warn"}, refuses: []refused{unlisted("all", ruleNames)},
	},
	{
		id: "rules/option-sets", section: extensionSection, statement: "einvoice.rule_sets are the same sets",
		on: visibleHalves, at: "einvoice.rule_sets", beside: object{"einvoice.xml": invoiceXML("en16931", "380"), "einvoice.rules": "warn"}, takes: []any{[]any{"en16931"}, slices.Repeat([]any{"en16931"}, 10)},
		refuses: wrongSets("einvoice.rule_sets"),
	},
	{
		id: "ubl/format", section: extensionSection, statement: "format is factur-x or ubl",
		on: []string{invoiceToPDF}, at: "format", takes: []any{"factur-x"}, refuses: []refused{unlisted("cii", formatNames), unlisted(1, formatNames)},
	},
	{
		id: "match/option", section: extensionSection, statement: "einvoice.match is one of three names",
		on: visibleHalves, at: "einvoice.match", beside: object{"einvoice.xml": invoiceXML("en16931", "380")}, takes: []any{"none", "warn"}, refuses: []refused{unlisted("all", ruleNames)},
	},
}), []row{
	{"ubl/refused", extensionSection, "UBL has its own format and one profile, and is checked by its schema and rules", proveUBLRefused},
	{"rules/type-codes", extensionSection, "with rules, other type codes of EN 16931 are accepted", proveOtherTypeCodes},
	{"rules/enforce", extensionSection, "enforce refuses an invoice that breaks a fatal rule, and charges nothing", proveEnforce},
	{"check/xml", extensionSection, "an invoice is checked, whoever made it", proveValidateXML},
	{"check/pdf", extensionSection, "so is one in a PDF", proveValidatePDF},
	{"check/body", extensionSection, "the body has xml or pdf, and known names", proveValidateBody},
	{"check/extract", extensionSection, "the XML of a PDF, and what it says", proveExtract},
	{"check/rate", extensionSection, "it counts toward the request rate, and is not charged", proveCheckRate},
}...)

// formatNames is what is said of a format that there is not.
const formatNames = "'factur-x' or 'ubl'"

func proveUBLRefused(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	xml := string(samples.XML(samples.UBLInvoice))
	cii := invoiceXML("en16931", "380")
	broken := strings.Replace(xml, ">206.00<", ">206.01<", 1)
	german := strings.Replace(xml, ">urn:cen.eu:en16931:2017<", ">"+einvoice.Guidelines["xrechnung"]+"<", 1)
	notGerman := strings.Replace(german, "<cbc:BuyerReference>Dept. 7</cbc:BuyerReference>", "", 1)
	for path, body := range map[string]func(o object) object{
		invoiceToPDF: func(o object) object { return o },
		htmlToPDF:    func(o object) object { return object{"html": "<p>x</p>", "einvoice": o} },
	} {
		for name, invoice := range map[string]object{
			"no format": {"xml": xml}, "CII": {"xml": cii, "format": "ubl"}, "type code": {"xml": strings.Replace(xml, ">380<", ">384<", 1), "format": "ubl"},
			"guideline": {"xml": strings.Replace(xml, ">urn:cen.eu:en16931:2017<", ">urn:x<", 1), "format": "ubl"},
		} {
			if detail := c.post(path, body(invoice)).problem(422, invalidInvoice, invalidInvoice)["detail"].(string); detail == "" {
				t.Errorf("%s: no reason", name)
			}
		}
		for wanted, invoice := range map[string]object{
			"profile must be en16931 with format ubl":        {"xml": xml, "format": "ubl", "profile": "basic"},
			"rule_sets: facturx has no rules for format ubl": {"xml": xml, "format": "ubl", "rules": "warn", "rule_sets": []any{"en16931", "facturx"}},
			"rule_sets need rules warn or enforce":           {"xml": xml, "format": "ubl", "rule_sets": []any{"en16931"}},
		} {
			if first := c.post(path, body(invoice)).status(422).json()["detail"].([]any)[0].(object); first["msg"] != "Value error, "+wanted {
				t.Errorf("got %v, want %q", first, wanted)
			}
		}
		c.post(path, body(object{"xml": broken, "format": "ubl", "rules": "enforce"})).problem(422, "EINVOICE_RULES_VIOLATED", "EINVOICE_RULES_VIOLATED: the invoice breaks rules of en16931 ")
		refused := c.post(path, body(object{"xml": notGerman, "format": "ubl", "rules": "enforce"})).problem(422, "EINVOICE_RULES_VIOLATED", "EINVOICE_RULES_VIOLATED")
		if first := refused["violations"].([]any)[0].(object); first["rule"] != "BR-DE-15" {
			t.Errorf("got %v, want BR-DE-15", first)
		}
		for _, invoice := range []object{{"xml": xml, "format": "ubl", "rules": "enforce"}, {"xml": german, "format": "ubl", "rules": "enforce"}, {"xml": broken, "format": "ubl"}, {"xml": cii, "format": "factur-x"}, {"xml": cii, "format": nil}} {
			c.post("/jobs/"+c.post(path, body(invoice)).accepted().String()+"/cancel", nil).status(200)
		}
	}
}

func proveOtherTypeCodes(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	for code, accepted := range map[string]bool{"384": true, "261": true, "999": false} {
		c.refusesInvoice(invoiceXML("en16931", code), "en16931")
		a := c.post(invoiceToPDF, object{"xml": invoiceXML("en16931", code), "rules": "warn"})
		if !accepted {
			a.problem(422, invalidInvoice, invalidInvoice)
			continue
		}
		c.post("/jobs/"+a.accepted().String()+"/cancel", nil).status(200)
	}
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

// brokenInvoice has a currency that does not exist.
func brokenInvoice(t *testing.T) string {
	t.Helper()
	return strings.Replace(keptInvoice(t), "<ram:InvoiceCurrencyCode>EUR<", "<ram:InvoiceCurrencyCode>EUX<", 1)
}

func proveEnforce(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	for path, body := range map[string]func(xml string, rules any) object{
		invoiceToPDF: func(xml string, rules any) object { return object{"xml": xml, "profile": "basic", "rules": rules} },
		htmlToPDF: func(xml string, rules any) object {
			return object{"html": "<p>x</p>", "einvoice": object{"xml": xml, "profile": "basic", "rules": rules}}
		},
	} {
		o := c.post(path, body(brokenInvoice(t), "enforce")).problem(422, "EINVOICE_RULES_VIOLATED", "EINVOICE_RULES_VIOLATED: the invoice breaks rules of en16931 ")
		found := o["violations"].([]any)
		if !slices.ContainsFunc(found, func(v any) bool { return v.(object)["rule"] == "BR-CL-04" && v.(object)["severity"] == "fatal" }) {
			t.Errorf("%s: %v", path, found)
		}
		if u := c.usage(); u.Reserved+u.Running != 0 {
			t.Errorf("%s: something was charged: %+v", path, u)
		}
		for _, taken := range []object{body(keptInvoice(t), "enforce"), body(brokenInvoice(t), "warn"), body(brokenInvoice(t), "none"), body(brokenInvoice(t), nil)} {
			c.post("/jobs/"+c.post(path, taken).accepted().String()+"/cancel", nil).status(200)
		}
	}
	if loc := c.post(invoiceToPDF, object{"xml": keptInvoice(t), "profile": "basic", "rule_sets": []any{"en16931"}}).status(422).json()["detail"].([]any)[0].(object); loc["msg"] != "Value error, "+needRules {
		t.Errorf("got %v", loc)
	}
}

// proveRuleWarnings has an invoice that breaks rules made into a PDF nevertheless.
func proveRuleWarnings(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	job := c.ended(c.post(invoiceToPDF, object{"xml": brokenInvoice(t), "profile": "basic", "rules": "warn"}).accepted())
	warnings, _ := job["warnings"].([]any)
	if job["status"] != "done" || !slices.ContainsFunc(warnings, func(w any) bool {
		return w.(object)["code"] == "RULE" && strings.HasPrefix(w.(object)["detail"].(string), "BR-CL-04 (BT-5), line ")
	}) {
		t.Errorf("got %v", job)
	}
	job = c.ended(c.post(invoiceToPDF, object{"xml": brokenInvoice(t), "profile": "basic"}).accepted())
	if job["status"] != "done" || job["warnings"] != nil && len(job["warnings"].([]any)) > 0 {
		t.Errorf("without rules: %v", job)
	}
}

// shownMinimum is a page that says what the smallest sample says, in its own way.
const shownMinimum = `<h1>Invoice R-2026-0042</h1><p>of 5 March 2026, your reference: Dept. 7, order PO-77</p>
	<p>LUMEN &amp; LARCH GMBH, VAT ID DE 123 456 789, tax number 27/815/00001</p><p>to Atelier Océan SARL</p>
	<table><tr><td>Net</td><td>€ 250,00</td></tr><tr><td>VAT</td><td>€ 47,50</td></tr><tr><td>Total</td><td>€ 297,50</td></tr><tr><td>Amount due</td><td>€ 200,00</td></tr></table>`

// proveMatch has pages compared with the XML: one that lacks its terms, and one that has them.
func proveMatch(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	made := func(html string, match any) object {
		return c.ended(c.post(htmlToPDF, object{"html": html, "einvoice": object{"xml": invoiceXML("minimum", "380"), "profile": "minimum", "match": match}}).accepted())
	}
	job := made("<p>Total 1.00</p>", "enforce")
	if detail, _ := job["error_detail"].(string); job["error_code"] != "EINVOICE_MISMATCH" || !strings.Contains(detail, "BT-1 Invoice number: the XML has") {
		t.Errorf("enforce: %v", job)
	}
	c.chargedNothing()
	job = made("<p>Total 1.00</p>", "warn")
	warnings, _ := job["warnings"].([]any)
	if job["status"] != "done" || !slices.ContainsFunc(warnings, func(w any) bool {
		return w.(object)["code"] == "MISMATCH" && strings.HasPrefix(w.(object)["detail"].(string), "BT-1 Invoice number: ")
	}) {
		t.Errorf("warn: %v", job)
	}
	if job = made("<p>Total 1.00</p>", nil); job["status"] != "done" || job["warnings"] != nil && len(job["warnings"].([]any)) > 0 {
		t.Errorf("without match: %v", job)
	}
	if job = made(shownMinimum, "enforce"); job["status"] != "done" {
		t.Errorf("a page with all: %v", job)
	}
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
	wrong := c.post(validatePath, object{"xml": brokenInvoice(t)}).status(200).json()
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
	for name, valid := range map[string]bool{samples.UBLInvoice: true, samples.UBLCreditNote: true, "": false} {
		xml := `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"/>`
		if name != "" {
			xml = string(samples.XML(name))
		}
		if report := c.post(validatePath, object{"xml": xml}).status(200).json(); report["kind"] != "ubl" || report["profile"] != "en16931" || report["valid"] != valid {
			t.Errorf("UBL: %v", report)
		}
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
