package conformance

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"platen.dev/einvoice"
	samples "platen.dev/einvoice/sample"
	"platen.dev/einvoice/schema"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// Rows of e-invoices that go through the whole pipeline.

var hybridRows = []row{
	{"hybrid/embedded", invoiceSection, "the PDF carries the XML as factur-x.xml, byte for byte", proveEmbedded},
	{"hybrid/option", optionSection, "the caller's HTML or page is the visible half, the XML is embedded", proveOption},
	{"hybrid/every-text", "E-invoices", "every text of the XML shows on the page", proveEveryText},
	{"hybrid/no-glyph", "E-invoices", "characters that no font has are replaced; a page that shows them all the same ends EINVOICE_FAILED and costs nothing", proveNoGlyph},
	{"hybrid/attachments", "E-invoices", "attachments inside the XML stay inside it", proveAttachmentsStay},
	{"hybrid/large-attachments", "Extensions", "an XML of nearly 1 MB is rendered with large, whatever is in it", proveLargeAttachments},
	{"hybrid/credit-note", "E-invoice data", "a credit note shows title_credit_note", proveCreditNote},
	{"hybrid/placeholders", "E-invoice data", "placeholders are filled from the XML", provePlaceholders},
	{"hybrid/evidence", extensionSection, "a done e-invoice has signed evidence of its XML, its file and the rules that were checked", proveEvidence},
	{"ubl/job", extensionSection, "an invoice of UBL shows on the same page, and is attached as it is as invoice.xml, to a file that is not called Factur-X", proveUBL},
	{"hybrid/saved-template", "E-invoice data", "template_id names a saved template, the account's default applies without one", proveSavedTemplate},
}

// invoiceFile is the PDF of an e-invoice.
func (c *customer) invoiceFile(path string, body object) []byte {
	c.t.Helper()
	id := c.post(path, body).accepted()
	if job := c.ended(id); job["status"] != "done" {
		c.t.Fatalf("%s: the job ended %v", path, job)
	}
	return c.download(id).status(200).body
}

// pageNumber matches the text between two pages, which interrupts a text that continues.
var pageNumber = regexp.MustCompile(`(?m)^\d+ / \d+$`)

// textOf returns a PDF's text without page numbers and white space, so that line breaks
// do not matter. It is in the order in which it was drawn, so that a neighbouring column
// does not split it.
func textOf(t *testing.T, pdf []byte) string {
	t.Helper()
	return squeezed(pageNumber.ReplaceAllString(testkit.Tool(t, pdf, "pdftotext", "-raw", "-", "-"), ""))
}

func squeezed(text string) string { return strings.Join(strings.Fields(text), "") }

// filesInside returns the files embedded in a PDF, by name.
func filesInside(t *testing.T, pdf []byte) map[string]string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "file.pdf")
	if err := os.WriteFile(path, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	if err := os.Mkdir(out, 0o700); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command("pdfdetach", "-saveall", "-o", out, path).CombinedOutput(); err != nil {
		t.Fatalf("pdfdetach: %v %s", err, said)
	}
	files := map[string]string{}
	found, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range found {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = string(content)
	}
	return files
}

// carries checks that a PDF embeds exactly one file, the XML that was sent.
func carries(t *testing.T, pdf []byte, xml string) {
	t.Helper()
	name := "factur-x.xml"
	if strings.Contains(xml, "xrechnung_3.0<") {
		name = "xrechnung.xml"
	}
	if files := filesInside(t, pdf); len(files) != 1 || files[name] != xml {
		t.Errorf("the PDF carries %d files, or not the XML that was sent", len(files))
	}
}

func proveEmbedded(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	for profile := range einvoice.Guidelines {
		xml := invoiceXML(profile, "380") + "\n<!-- é, kept -->\n"
		carries(t, c.invoiceFile(invoiceToPDF, object{"xml": xml, "profile": profile}), xml)
	}
}

func proveOption(t *testing.T, s *server) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<p>A page of the seller's</p>")
	}))
	defer page.Close()
	c := s.customer(t, events.PlanBusiness)
	xml := invoiceXML("basic", "380")
	option := object{"xml": xml, "profile": "basic"}
	for path, body := range map[string]object{
		htmlToPDF: {"html": "<p>A page of the seller's</p>", "einvoice": option, "options": object{"watermark": object{"text": "COPY"}}},
		urlToPDF:  {"url": page.URL, "einvoice": option},
	} {
		pdf := c.invoiceFile(path, body)
		carries(t, pdf, xml)
		text := textOf(t, pdf)
		if !strings.Contains(text, "Apageoftheseller") || strings.Contains(text, "Furtherdata") || (path == htmlToPDF) != strings.Contains(text, "COPY") {
			t.Errorf("%s shows %s", path, text)
		}
	}
}

func proveEveryText(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	for profile := range einvoice.Guidelines {
		xml := invoiceXML(profile, "380")
		shown := textOf(t, c.invoiceFile(invoiceToPDF, object{"xml": xml, "profile": profile}))
		for _, text := range textsOf(t, xml, profile) {
			if !strings.Contains(shown, text) {
				t.Errorf("%s: %q is not in %s", profile, text, shown)
			}
		}
	}
}

// textsOf returns the texts of an invoice that its page must show, without white space.
func textsOf(t *testing.T, xml, profile string) (texts []string) {
	t.Helper()
	i, err := einvoice.Parse([]byte(xml), profile)
	if err != nil {
		t.Fatal(err)
	}
	for leaf := range i.Leaves() {
		if leaf.Kind() != schema.Base64 {
			texts = append(texts, squeezed(leaf.Text()))
		}
	}
	return texts
}

func proveUBL(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	for name, title := range map[string]string{samples.UBLInvoice: "Invoice", samples.UBLCreditNote: "Creditnote"} {
		xml := string(samples.XML(name)) + "<!-- é, kept -->\n"
		pdf := c.invoiceFile(invoiceToPDF, object{"xml": xml, "format": "ubl", "rules": "enforce"})
		if files := filesInside(t, pdf); len(files) != 1 || files["invoice.xml"] != xml {
			t.Errorf("%s: the PDF carries %d files, or not the XML that was sent", name, len(files))
		}
		shown := textOf(t, pdf)
		i, err := einvoice.ParseUBL([]byte(xml))
		if err != nil {
			t.Fatal(err)
		}
		for leaf := range i.Leaves() {
			if leaf.Kind() != schema.Base64 && !strings.Contains(shown, squeezed(leaf.Transmitted())) {
				t.Errorf("%s: %q is not in %s", name, leaf.Transmitted(), shown)
			}
		}
		if !strings.HasPrefix(shown, title) || bytes.Contains(pdf, []byte("urn:factur-x")) {
			t.Errorf("%s begins with %.40s, or says that it is Factur-X", name, shown)
		}
		if report := c.post(validatePath, object{"pdf": pdf}).status(200).json(); report["kind"] != "hybrid" || report["valid"] != true || report["embedding"].(object)["file_name"] != "invoice.xml" {
			t.Errorf("%s: %v", name, report)
		}
	}
	pdf := c.invoiceFile(htmlToPDF, object{"html": "<p>mine</p>", "einvoice": object{"xml": string(samples.XML(samples.UBLInvoice)), "format": "ubl"}})
	if files := filesInside(t, pdf); len(files) != 1 || files["invoice.xml"] == "" || textOf(t, pdf) != "mine" {
		t.Errorf("%d files, %s", len(files), textOf(t, pdf))
	}
}

func proveNoGlyph(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	xml := strings.Replace(invoiceXML("en16931", "380"), "Thank you", "Thank \U000F1234 \uE123 yo\u20DDu", 1)
	pdf := c.invoiceFile(invoiceToPDF, object{"xml": xml})
	carries(t, pdf, xml)
	if text := textOf(t, pdf); !strings.Contains(text, "Thank\uFFFD\uFFFDyo\uFFFDu") && !strings.Contains(text, "Thank??yo?u") {
		t.Errorf("got %s", text)
	}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<p>&#xF1234;") }))
	defer page.Close()
	other := s.customer(t, events.PlanBusiness)
	id := other.post(urlToPDF, object{"url": page.URL, "einvoice": object{"xml": xml}}).accepted()
	if job := other.ended(id); job["status"] != "failed" || job["error_code"] != "EINVOICE_FAILED" {
		t.Errorf("the job ended %v", job)
	}
	other.chargedNothing()
}

func proveAttachmentsStay(t *testing.T, s *server) {
	xml := invoiceXML("extended", "380")
	i, err := einvoice.Parse([]byte(xml), "extended")
	if err != nil {
		t.Fatal(err)
	}
	attachment := ""
	for leaf := range i.Leaves() {
		if leaf.Kind() == schema.Base64 {
			attachment = squeezed(leaf.Text())
		}
	}
	pdf := s.customer(t, events.PlanBusiness).invoiceFile(invoiceToPDF, object{"xml": xml, "profile": "extended"})
	carries(t, pdf, xml)
	if attachment == "" || strings.Contains(textOf(t, pdf), attachment) {
		t.Errorf("the attachment %q is shown or missing", attachment)
	}
}

func proveLargeAttachments(t *testing.T, s *server) {
	c, xml := s.customer(t, events.PlanPro), attached(750<<10) // a third more in base64
	all := invoiced(xml, "en16931")
	delete(all, urlToPDF) // nothing answers there
	for path, body := range all {
		body["large"] = true
		carries(t, c.invoiceFile(path, body), xml)
	}
}

// titled is an inline template with its own titles.
func titled(title, creditNote string) object {
	template := wholeTemplate()
	template["blocks"].([]any)[0] = object{"type": "invoice-heading", "labels": object{"title": title, "title_credit_note": creditNote}}
	return template
}

func proveCreditNote(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	for code, want := range map[string]string{"380": "Rechnung", "381": "Gutschrift"} {
		text := textOf(t, c.invoiceFile(invoiceToPDF, object{"xml": invoiceXML("en16931", code), "template": titled("Rechnung", "Gutschrift")}))
		if !strings.HasPrefix(text, want) {
			t.Errorf("%s begins with %.40s", code, text)
		}
	}
}

func provePlaceholders(t *testing.T, s *server) {
	template := titled("Invoice {profile} {guideline}", "x")
	template["locale"] = "de-DE"
	template["blocks"].([]any)[5] = object{"type": "payment-instructions", "text": "Until {due_date}, VAT {rate}."}
	text := textOf(t, s.customer(t, events.PlanBusiness).invoiceFile(invoiceToPDF, object{"xml": invoiceXML("en16931", "380"), "template": template}))
	for _, want := range []string{"Invoiceen16931urn:cen.eu:en16931:2017", "Until04.04.2026,VAT19%,0%."} {
		if !strings.Contains(text, want) {
			t.Errorf("%s does not show %s", text, want)
		}
	}
}

func proveSavedTemplate(t *testing.T, s *server) {
	c, stranger := s.customer(t, events.PlanBusiness), s.customer(t, events.PlanBusiness)
	begins := func(body object, want string) {
		t.Helper()
		body["xml"] = invoiceXML("en16931", "380")
		if text := textOf(t, c.invoiceFile(invoiceToPDF, body)); !strings.HasPrefix(text, want) {
			t.Errorf("%v: the page begins with %.40s, not %s", body, text, want)
		}
	}
	begins(object{}, "Invoice")
	saved := `{"version":1,"blocks":[{"type":"invoice-heading","labels":{"title":"%s"}},{"type":"trading-parties"},{"type":"line-items"},{"type":"vat-breakdown"},` +
		`{"type":"amounts-due"},{"type":"payment-instructions"},{"type":"invoice-notes"},{"type":"additional-invoice-data"},{"type":"document-footer"}]}`
	c.command(events.PutTemplate{Template: "tpl_1", Body: fmt.Appendf(nil, saved, "Facture")})
	begins(object{"template_id": "tpl_1"}, "Facture")
	begins(object{}, "Invoice")
	stranger.post(invoiceToPDF, object{"xml": invoiceXML("en16931", "380"), "template_id": "tpl_1"}).problem(404, "EINVOICE_TEMPLATE_NOT_FOUND", "EINVOICE_TEMPLATE_NOT_FOUND: ")
	c.command(events.SetDefaultTemplate{Template: "tpl_1"})
	begins(object{}, "Facture")
	begins(object{"template": titled("Rechnung", "x")}, "Rechnung")
	c.command(events.DeleteTemplate{Template: "tpl_1"})
	begins(object{}, "Invoice")
	c.post(invoiceToPDF, object{"xml": invoiceXML("en16931", "380"), "template_id": "tpl_1"}).status(404)
}
