package blocks

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"platen.dev/einvoice"
	"platen.dev/einvoice/cii"
)

func invoice(t *testing.T, profile string, changes ...string) *einvoice.Invoice {
	t.Helper()
	xml, err := os.ReadFile("../testdata/" + profile + ".xml")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer(changes...).Replace(string(xml))
	if len(changes) > 0 && changed == string(xml) {
		t.Fatalf("%v changes nothing", changes)
	}
	i, err := einvoice.Read([]byte(changed), profile)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// squeezed is a text without any white space, in which line breaks do not matter.
func squeezed(text string) string { return strings.Join(strings.Fields(text), "") }

// words are what a page shows, squeezed.
func wordsOf(t *testing.T, page string) string {
	t.Helper()
	tree, err := html.Parse(strings.NewReader(page))
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
	return squeezed(b.String())
}

// missing are the texts of an invoice that a page does not show, attachments aside.
func missing(i *einvoice.Invoice, shown string) (all []string) {
	for n := range i.Leaves() {
		if n.Kind() != cii.Base64 && !strings.Contains(shown, squeezed(n.Text())) {
			all = append(all, n.Path()+": "+n.Text())
		}
	}
	return all
}

// Every text of the XML is on the page, in any locale, and with any block left out but
// the one that shows the rest.
func TestEveryTextIsShown(t *testing.T) {
	for _, profile := range cii.Profiles {
		i := invoice(t, profile)
		for _, locale := range []string{"en-US", "de-CH", "fr", "hi", "ja", "xx"} {
			template := Default()
			template.Locale = locale
			if lost := missing(i, wordsOf(t, Show(i, template).HTML)); len(lost) > 0 {
				t.Errorf("%s in %s does not show %q", profile, locale, lost)
			}
		}
		off := false
		for at := range order {
			template := Default()
			if template.Blocks[at].Enabled = &off; order[at] == Additional {
				continue
			}
			if lost := missing(i, wordsOf(t, Show(i, template).HTML)); len(lost) > 0 {
				t.Errorf("%s without %s does not show %q", profile, order[at], lost)
			}
		}
	}
}

// The test above can fail.
func TestTextsAreMissedWithoutTheFurtherData(t *testing.T) {
	off, template := false, Default()
	template.Blocks[slices.Index(order[:], Additional)].Enabled = &off
	i := invoice(t, "extended")
	if lost := missing(i, wordsOf(t, Show(i, template).HTML)); len(lost) < 10 {
		t.Errorf("only %q are missed", lost)
	}
}

// What a template says stands where it says so, with its placeholders filled.
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
	d := Show(i, template)
	shown := wordsOf(t, d.HTML)
	due, _ := i.DueDate().Time()
	for _, want := range []string{
		"Rechnung" + i.Number().Text(), "Zahlbarbis" + due.Format("02.01.2006"), "An" + squeezed(i.Buyer().Name().Text()), "Menge",
		"Bis" + due.Format("02.01.2006") + "auf" + squeezed(i.PaymentMeans()[0].IBAN().Text()), "{noname}", "Summe", "USt.",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("the page does not show %q: %s", want, shown)
		}
	}
	for _, other := range []string{"Furtherdata", "VATbreakdown", "Invoice"} {
		if strings.Contains(shown, other) {
			t.Errorf("the page shows %q", other)
		}
	}
	if !strings.Contains(d.Footer, "en16931 nach "+einvoice.Guidelines["en16931"]+" &lt;&amp;&gt;") || !strings.Contains(d.HTML, "#abc") || !strings.Contains(d.HTML, `"My Font"`) {
		t.Errorf("got footer %s", d.Footer)
	}
	if got := [...]string{d.Format, d.Top, d.Right, d.Bottom, d.Left}; got != [...]string{"Letter", "10mm", "2cm", "3in", "2cm"} {
		t.Errorf("got paper %v", got)
	}
}

// A credit note is called one.
func TestCreditNote(t *testing.T) {
	i := invoice(t, "basic", "<ram:TypeCode>380<", "<ram:TypeCode>381<")
	if shown := wordsOf(t, Show(i, Default()).HTML); !strings.HasPrefix(shown, "Creditnote") || strings.HasPrefix(Title(i), "Invoice") {
		t.Errorf("got %.100s", shown)
	}
}

// Faults of a template are named with their place.
func TestFaults(t *testing.T) {
	for change, want := range map[[2]string]string{
		{`"type":"invoice-heading"`, `"type":"invoice-heading","labels":{"title":"{rates}"}`}:           "blocks.0.labels.title: unknown placeholder {rates}; known are {account_name}, ",
		{`"type":"invoice-heading"`, `"type":"invoice-heading","labels":{"x":"y"}`}:                     "blocks.0.labels.x: no such label",
		{`"type":"document-footer"`, `"type":"document-footer","text":"{}"`}:                            "blocks.8.text: unknown placeholder {}",
		{`{"type":"trading-parties"},`, ``}:                                                             "blocks: there are 8 blocks, not the nine invoice-heading, ",
		{`"type":"trading-parties"},{"type":"line-items"`, `"type":"line-items"},{"type":"line-items"`}: `blocks.1.type: "line-items" stands where "trading-parties" belongs`,
		{`"version"`, `"wersion"`}: "template: ",
	} {
		whole := `{"version":1,"blocks":[`
		for i, name := range order {
			whole += map[bool]string{true: ","}[i > 0] + `{"type":"` + name + `"}`
		}
		changed := strings.Replace(whole+"]}", change[0], change[1], 1)
		_, err := Parse([]byte(changed))
		var fault *FaultError
		if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", changed, err, want)
		}
	}
	if b, err := json.Marshal(Default()); err != nil {
		t.Error(err)
	} else if _, err := Parse(b); err != nil {
		t.Errorf("the default template: %v", err)
	}
}

// What an invoice or a template says is text, never markup.
func TestHostileTexts(t *testing.T) {
	const attack = `"&gt;&lt;/style&gt;&lt;script&gt;alert(1)&lt;/script&gt;{number}`
	i := invoice(t, "en16931", "<ram:ID>R-2026-0042<", "<ram:ID>"+attack+"<", "Thank you for", attack)
	template := Default()
	template.Branding = Branding{AccentColor: "#;}</style><script>", Font: `x"; } </style><script>alert(1)</script>`}
	template.Blocks[0].Labels = map[string]string{"title": "</h1><script>alert(1)</script>"}
	template.Blocks[8].Text = "<script>{number}"
	d := Show(i, template)
	for _, page := range []string{d.HTML, d.Footer} {
		if strings.Contains(page, "<script") || strings.Count(page, "</style") > 1 {
			t.Errorf("markup came through: %s", page)
		}
	}
	if !strings.Contains(wordsOf(t, d.HTML), `<script>alert(1)</script>{number}`) {
		t.Error("a text with braces was filled in again, or lost")
	}
}

// Placeholders are listed once each.
func TestPlaceholders(t *testing.T) {
	names := Placeholders()
	for _, named := range []string{"due_date", "rate", "profile", "guideline"} { // api-spec.md, E-invoice data
		if !slices.Contains(names, named) {
			t.Errorf("%s is not among %v", named, names)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("got %v", names)
	}
}
