package blocks

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"platen.dev/einvoice"
	samples "platen.dev/einvoice/sample"
	"platen.dev/einvoice/schema"
	"platen.dev/events/contract"
)

func invoice(t *testing.T, profile string, changes ...string) *einvoice.Invoice {
	t.Helper()
	xml, err := os.ReadFile("../sample/" + profile + ".xml")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer(changes...).Replace(string(xml))
	if len(changes) > 0 && changed == string(xml) {
		t.Fatalf("%v changes nothing", changes)
	}
	i, err := einvoice.Parse([]byte(changed), profile)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// withoutSpace removes all white space, so that line breaks do not matter.
func withoutSpace(text string) string { return strings.Join(strings.Fields(text), "") }

// visibleText returns the text that an HTML document shows, without white space.
func visibleText(t *testing.T, document string) string {
	t.Helper()
	tree, err := html.Parse(strings.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode && n.Parent.Data != "style" && n.Parent.Data != "title" {
			b.WriteString(n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(tree)
	return withoutSpace(b.String())
}

// missing returns the texts of an invoice, except attachments, that a document does not show.
func missing(i *einvoice.Invoice, shown string) (all []string) {
	for n := range i.Leaves() {
		if n.Kind() != schema.Base64 && !strings.Contains(shown, withoutSpace(n.Transmitted())) {
			all = append(all, n.Path()+": "+n.Text())
		}
	}
	return all
}

// nested returns a UBL line with a sub-line, which has another.
func nested(kind string) string {
	open := `<cac:Sub` + kind + `Line><cbc:ID>1.`
	rest := `</cbc:ID><cbc:LineExtensionAmount currencyID="EUR">205.00</cbc:LineExtensionAmount><cac:Item><cbc:Name>`
	end := `</cac:Sub` + kind + `Line>`
	return open + "a" + rest + `Outer part</cbc:Name></cac:Item>` + open + "b" + rest + `Inner part</cbc:Name></cac:Item>` + end + end
}

// ofUBL returns a UBL sample with additional elements: some without a term, and those of the XRechnung extension.
func ofUBL(t *testing.T, name string) *einvoice.Invoice {
	t.Helper()
	xml := string(samples.XML(name))
	xml = strings.Replace(xml, "<cbc:IssueDate>", "<cbc:UUID>unnamed-1</cbc:UUID><cbc:IssueDate>", 1)
	xml = strings.Replace(xml, "<cbc:Note>Delivered", "<cbc:UUID>unnamed-2</cbc:UUID><cbc:Note>Delivered", 1)
	xml = strings.Replace(xml, "<cbc:IdentificationCode>FR</cbc:IdentificationCode>", "<cbc:IdentificationCode>FR</cbc:IdentificationCode><cbc:Name>La France</cbc:Name>", 1)
	kind := "CreditNote"
	if name == samples.UBLInvoice {
		kind = "Invoice"
		xml = strings.Replace(xml, "  </cac:PaymentTerms>\n", `</cac:PaymentTerms><cac:PrepaidPayment><cbc:ID>P1</cbc:ID><cbc:PaidAmount currencyID="EUR">7.25</cbc:PaidAmount><cbc:InstructionID>Parking</cbc:InstructionID></cac:PrepaidPayment>`, 1)
		xml = strings.Replace(xml, ">urn:cen.eu:en16931:2017<", ">"+einvoice.XRechnungExtension+"<", 1)
	}
	xml = strings.Replace(xml, "  </cac:"+kind+"Line>", nested(kind)+"</cac:"+kind+"Line>", 1)
	i, err := einvoice.ParseUBL([]byte(xml))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// Sub-lines of UBL follow their lines in the table, and payments of third parties are between the total and the amount due.
func TestExtensionOfXRechnung(t *testing.T) {
	template := Default()
	template.Locale = "de-DE"
	for name, payments := range map[string]int{samples.UBLInvoice: 1, samples.UBLCreditNote: 0} {
		p := newPresenterOn(ofUBL(t, name), template)
		var rows []string
		for _, row := range p.lineItems(Block{}).Rows {
			rows = append(rows, fmt.Sprintf("%d %s %s", row.Indent, row.ID, row.Name))
		}
		if got := strings.Join(rows, ", "); got != "0 1 Lamp <Amber>, 1 1.a Outer part, 2 1.b Inner part, 0 2 Shade" {
			t.Errorf("%s: %s", name, got)
		}
		document := Render(ofUBL(t, name), template).HTML
		if got := strings.Count(visibleText(t, document), withoutSpace("Für Dritte: Parking, P1 7,25 EUR")); got != payments {
			t.Errorf("%s shows %d payments of third parties", name, got)
		}
	}
}

// A UBL invoice is shown like one of CII, with elements without a term as further data.
func TestUBLIsShown(t *testing.T) {
	for name, title := range map[string]string{samples.UBLInvoice: "Invoice", samples.UBLCreditNote: "Credit note"} {
		shown := visibleText(t, Render(ofUBL(t, name), Default()).HTML)
		for _, want := range []string{title, "UUID: unnamed-1", "UUID: unnamed-2", "Name: La France", "Mar 5, 2026", "2026-03-05", "Lumen & Larch GmbH", "DE02120300000000202051", "206.00", "Originator document reference"} {
			if !strings.Contains(shown, withoutSpace(want)) {
				t.Errorf("%s does not show %q", name, want)
			}
		}
	}
}

// Every text of the XML is shown, in any locale, even if any block except the additional data is disabled.
func TestEveryTextIsShown(t *testing.T) {
	for _, profile := range append(contract.Profiles(), samples.UBLInvoice, samples.UBLCreditNote) {
		var i *einvoice.Invoice
		if strings.HasPrefix(profile, "ubl-") {
			i = ofUBL(t, profile)
		} else {
			i = invoice(t, profile)
		}
		for _, locale := range []string{"en-US", "de-CH", "fr", "hi", "ja", "xx"} {
			template := Default()
			template.Locale = locale
			if lost := missing(i, visibleText(t, Render(i, template).HTML)); len(lost) > 0 {
				t.Errorf("%s in %s does not show %q", profile, locale, lost)
			}
		}
		off := false
		for at := range blockTypes {
			template := Default()
			if template.Blocks[at].Enabled = &off; blockTypes[at] == Additional {
				continue
			}
			if lost := missing(i, visibleText(t, Render(i, template).HTML)); len(lost) > 0 {
				t.Errorf("%s without %s does not show %q", profile, blockTypes[at], lost)
			}
		}
	}
}

// Without the additional data texts are missing, so the test above can fail.
func TestTextsAreMissingWithoutAdditionalData(t *testing.T) {
	off, template := false, Default()
	template.Blocks[slices.Index(blockTypes[:], Additional)].Enabled = &off
	i := invoice(t, "extended")
	if lost := missing(i, visibleText(t, Render(i, template).HTML)); len(lost) < 10 {
		t.Errorf("only %q are missing", lost)
	}
}

// The settings of a template take effect, and its placeholders are expanded.
func TestTemplate(t *testing.T) {
	template, err := Parse([]byte(`{"version": 1, "locale": "de-DE", "branding": {"accent_color": "#abc", "font": "My Font"},
		"page": {"format": "Letter", "margin": "10mm 2cm 3in"}, "blocks": [
		{"type": "invoice-heading", "labels": {"title": "Rechnung {number}", "due_date": "Zahlbar bis"}},
		{"type": "trading-parties", "labels": {"seller": "Von", "buyer": "An {buyer_name}"}},
		{"type": "line-items", "show_vat_column": false, "labels": {"qty": "Menge"}},
		{"type": "vat-breakdown", "enabled": false},
		{"type": "amounts-due", "labels": {"tax": "USt. {rate}", "total": "Summe"}},
		{"type": "payment-instructions", "text": "Bis {due_date} auf {iban}, {amount_due}, {no\nname}"},
		{"type": "invoice-notes"}, {"type": "additional-invoice-data", "enabled": false},
		{"type": "document-footer", "text": "{profile} nach {guideline} <&>"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	i := invoice(t, "en16931")
	d := Render(i, template)
	shown := visibleText(t, d.HTML)
	due, _ := i.DueDate().Time()
	for _, want := range []string{
		"Rechnung" + i.Number().Text(), "Zahlbarbis" + due.Format("02.01.2006"), "An" + withoutSpace(i.Buyer().Name().Text()), "Menge",
		"Bis" + due.Format("02.01.2006") + "auf" + withoutSpace(i.PaymentMeans()[0].IBAN().Text()), "{noname}", "Summe", "USt.",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("the document does not show %q: %s", want, shown)
		}
	}
	for _, other := range []string{"Furtherdata", "VATbreakdown", "Invoice"} {
		if strings.Contains(shown, other) {
			t.Errorf("the document shows %q", other)
		}
	}
	if !strings.Contains(d.Footer, "en16931 nach "+einvoice.Guidelines["en16931"]+" &lt;&amp;&gt;") || !strings.Contains(d.HTML, "#abc") || !strings.Contains(d.HTML, `"My Font"`) {
		t.Errorf("got footer %s", d.Footer)
	}
	if got := [...]string{d.Format, d.Top, d.Right, d.Bottom, d.Left}; got != [...]string{"Letter", "10mm", "2cm", "3in", "2cm"} {
		t.Errorf("got page setup %v", got)
	}
}

// A credit note has a title of its own.
func TestCreditNote(t *testing.T) {
	i := invoice(t, "basic", "<ram:TypeCode>380<", "<ram:TypeCode>381<")
	if shown := visibleText(t, Render(i, Default()).HTML); !strings.HasPrefix(shown, "Creditnote") || strings.HasPrefix(Title(i), "Invoice") {
		t.Errorf("got %.100s", shown)
	}
}

// A name of the document that is its title is not repeated below it.
func TestNameOfDocument(t *testing.T) {
	for name, want := range map[string]string{"INVOICE": "", " Invoice ": "", "Invoice for lamps": "Invoice for lamps"} {
		i := invoice(t, "extended", "<ram:Name>Invoice<", "<ram:Name>"+name+"<")
		p := newPresenter(i, "en")
		if got := p.heading(Block{Type: Heading}).Name; got != want {
			t.Errorf("below the title is %q, want %q", got, want)
		}
		if lost := missing(i, visibleText(t, Render(i, Default()).HTML)); len(lost) > 0 {
			t.Errorf("the page with the name %q lacks %q", name, lost)
		}
	}
}

// A document that is more than an invoice or a credit note says what it is, unless the template has a label of its own.
func TestTitles(t *testing.T) {
	for _, c := range []struct{ code, locale, want string }{
		{"380", "de", "Rechnung"},
		{"388", "de", "Rechnung"},
		{"381", "de", "Rechnungskorrektur"},
		{"396", "fr", "Avoir"},
		{"389", "de", "Gutschrift"},
		{"389", "fr", "Facture (autofacturation)"},
		{"261", "it", "Nota di credito (autofatturazione)"},
		{"384", "de", "Korrigierte Rechnung"},
		{"386", "pl", "Faktura zaliczkowa"},
		{"326", "nl", "Deelfactuur"},
		{"383", "es", "Nota de débito"},
		{"751", "pt", "Dados de fatura para a contabilidade"},
		{"875", "de", "Abschlagsrechnung"},
		{"877", "en", "Final construction invoice"},
		{"877", "ja", "Final construction invoice"},
	} {
		xml := strings.Replace(string(samples.XML("basic")), "<ram:TypeCode>380<", "<ram:TypeCode>"+c.code+"<", 1)
		i, err := einvoice.ParseWanted([]byte(xml), einvoice.Wanted{Profile: "basic", AnyType: true})
		if err != nil {
			t.Fatal(err)
		}
		p := newPresenter(i, c.locale)
		if got := p.title(Block{Type: Heading}); got != c.want {
			t.Errorf("%s in %s is called %q, want %q", c.code, c.locale, got, c.want)
		}
		own := Block{Type: Heading, Labels: map[string]string{"title": "Mine", "title_credit_note": "My note"}}
		if got := p.title(own); got != map[bool]string{false: "Mine", true: "My note"}[i.IsCreditNote()] {
			t.Errorf("%s with labels of its own is called %q", c.code, got)
		}
		if got := Title(i); !strings.HasSuffix(got, " "+i.Number().Text()) || c.locale == "en" && !strings.HasPrefix(got, c.want) {
			t.Errorf("the title of the file is %q", got)
		}
	}
}

// Errors in a template are named with their path.
func TestTemplateErrors(t *testing.T) {
	for change, want := range map[[2]string]string{
		{`"type":"invoice-heading"`, `"type":"invoice-heading","labels":{"title":"{rates}"}`}:           "blocks.0.labels.title: unknown placeholder {rates}; use one of {account_name}, ",
		{`"type":"invoice-heading"`, `"type":"invoice-heading","labels":{"x":"y"}`}:                     "blocks.0.labels.x: unknown label",
		{`"type":"document-footer"`, `"type":"document-footer","text":"{}"`}:                            "blocks.8.text: unknown placeholder {}",
		{`{"type":"trading-parties"},`, ``}:                                                             "blocks: there are 8 blocks; there must be nine, in this order: invoice-heading, ",
		{`"type":"trading-parties"},{"type":"line-items"`, `"type":"line-items"},{"type":"line-items"`}: `blocks.1.type: must be "trading-parties", not "line-items"`,
		{`"version"`, `"wersion"`}: "template: ",
	} {
		whole := `{"version":1,"blocks":[`
		for i, name := range blockTypes {
			whole += map[bool]string{true: ","}[i > 0] + `{"type":"` + name + `"}`
		}
		changed := strings.Replace(whole+"]}", change[0], change[1], 1)
		_, err := Parse([]byte(changed))
		var invalid *TemplateError
		if !errors.As(err, &invalid) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", changed, err, want)
		}
	}
	if b, err := json.Marshal(Default()); err != nil {
		t.Error(err)
	} else if _, err := Parse(b); err != nil {
		t.Errorf("the default template: %v", err)
	}
}

// Texts of an invoice or a template never become markup.
func TestHostileTexts(t *testing.T) {
	const attack = `"&gt;&lt;/style&gt;&lt;script&gt;alert(1)&lt;/script&gt;{number}`
	i := invoice(t, "en16931", "<ram:ID>R-2026-0042<", "<ram:ID>"+attack+"<", "Thank you for", attack)
	template := Default()
	template.Branding = Branding{AccentColor: "#;}</style><script>", Font: `x"; } </style><script>alert(1)</script>`}
	template.Blocks[0].Labels = map[string]string{"title": "</h1><script>alert(1)</script>"}
	template.Blocks[8].Text = "<script>{number}"
	d := Render(i, template)
	for _, document := range []string{d.HTML, d.Footer} {
		if strings.Contains(document, "<script") || strings.Count(document, "</style") > 1 {
			t.Errorf("there is markup in %s", document)
		}
	}
	if !strings.Contains(visibleText(t, d.HTML), `<script>alert(1)</script>{number}`) {
		t.Error("a placeholder in a value was expanded, or the value is missing")
	}
}

// Placeholders lists each name once.
func TestPlaceholders(t *testing.T) {
	names := Placeholders()
	for _, named := range []string{"due_date", "rate", "profile", "guideline"} { // docs/API.md, Block templates
		if !slices.Contains(names, named) {
			t.Errorf("%s is not among %v", named, names)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("got %v", names)
	}
}

// TestLogo has a picture above the title, with the seller's name in place of it, and nothing that is no picture.
func TestLogo(t *testing.T) {
	i := invoice(t, "basic")
	for uri, want := range map[string]string{
		`data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>`: `<img class="logo" src="data:image/svg&#43;xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=" alt="Lumen &amp; Larch GmbH"><h1`,
		`javascript:alert(1)`: "<div><h1",
		``:                    "<div><h1",
	} {
		template := Default()
		template.Branding.Logo = uri
		if html := Render(i, template).HTML; !strings.Contains(html, want) {
			t.Errorf("%s: %.3000s", uri, html[strings.Index(html, `<section class="heading"`):])
		}
	}
}
