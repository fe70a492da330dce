package render

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	encodingxml "encoding/xml"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/browserpool/page"
	"platen.dev/document/pagetext"
	"platen.dev/einvoice"
	"platen.dev/einvoice/blocks"
	"platen.dev/einvoice/match"
	"platen.dev/einvoice/model"
	"platen.dev/einvoice/stress"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// matchLocales are the languages in which pages have their own words, and others with different number and date formats.
var matchLocales = append(blocks.Languages(), "ar", "de-CH", "en-IN", "ja")

// specimens is where package match finds pages for its own tests.
const specimens = "../../einvoice/match/testdata"

// pageOf prints an invoice by a template of a locale, as a job does.
func pageOf(t *testing.T, acquire acquirer, xml []byte, profile string, template []byte) []byte {
	t.Helper()
	cfg := Config{Acquire: acquire, Logger: testkit.Silent(), Now: func() time.Time { return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) }}
	w := previewWork(cfg, "acc_match", Preview{XML: xml, Profile: profile, Template: template})
	if err := w.preview(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w.out.data
}

func templateIn(t *testing.T, locale string) []byte {
	t.Helper()
	template := blocks.Default()
	template.Locale = locale
	text, err := json.Marshal(template)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// says compares a page with its XML, and keeps both as a specimen if the test is to update them.
func says(t *testing.T, name, profile string, xml, pdf []byte) {
	t.Helper()
	invoice, err := einvoice.Parse(xml, profile)
	if err != nil {
		t.Fatal(name, err)
	}
	pages, err := pagetext.Read(pdf)
	if err != nil {
		t.Fatal(name, err)
	}
	r := match.Compare(model.Of(invoice), pages)
	for _, f := range r.Findings {
		t.Errorf("%s: %s %s", name, f.Term, f)
	}
	if r.Terms == 0 {
		t.Errorf("%s: no term was looked for", name)
	}
	if *update {
		keep(t, name, profile, xml, pages)
	}
}

func keep(t *testing.T, name, profile string, xml []byte, pages []pagetext.Page) {
	t.Helper()
	for i := range pages {
		for n := range pages[i].Pieces {
			pages[i].Pieces[n].Words = slices.Clone(pages[i].Pieces[n].Words)
		}
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := json.NewEncoder(z).Encode(map[string]any{"Profile": profile, "XML": string(xml), "Pages": pages}); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(specimens, name+".json.gz"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Our own pages match the XML in every language.
func TestOwnPagesMatch(t *testing.T) {
	acquire := realPages(t)
	for n, locale := range matchLocales {
		profile := contract.Profiles()[n%5]
		for _, profile := range slices.Compact([]string{"en16931", profile}) {
			xml, err := os.ReadFile("../../einvoice/sample/" + profile + ".xml")
			if err != nil {
				t.Fatal(err)
			}
			says(t, "own-"+locale+"-"+profile, profile, xml, pageOf(t, acquire, xml, profile, templateIn(t, locale)))
		}
	}
	xml, err := os.ReadFile("../../testdata/demo/invoice.xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, locale := range []string{"en", "de", "fr"} {
		says(t, "demo-"+locale, "en16931", xml, pageOf(t, acquire, xml, "en16931", templateIn(t, locale)))
	}
}

// names are in many scripts, with characters that pages show differently from their text.
var names = []string{
	"شركة الأنوار للتجارة ٢٠٢٦", "חברת אור בע״מ", "مرحبا Mixed עברית 123 latin", "บริษัท แสงสว่าง จำกัด", "प्रकाश ट्रेडर्स", "தமிழ் நிறுவனம்", "ပြည်ထောင်စု", "ខ្មែរ",
	"株式会社 光 東京支店", "빛나라 주식회사", "ООО «Свет»", "Ελληνικός Φωτισμός", "ქართული Հայկական ትግርኛ", "Łódź Nguyễn Văn Ánh", "Affini & Figli ffi fl",
	"Zero\u200bwidth\u200djoin\u00adsoft", "ＦＵＬＬ １２３", "🚀 Rocket 👩‍🚀", "\U00013000\uE000 unknown", "Ǆ ß ẞ İ ı ſ ① ½ ²", "tab\tname", "line\nbreak", strings.Repeat("X", 400),
}

// TestNamesMatch: no page of our own seems to lack a name, in any script.
func TestNamesMatch(t *testing.T) {
	testkit.Long(t)
	acquire := realPages(t)
	sample, err := os.ReadFile("../../einvoice/sample/en16931.xml")
	if err != nil {
		t.Fatal(err)
	}
	for n, name := range names {
		var escaped strings.Builder
		if err := encodingxml.EscapeText(&escaped, []byte(name)); err != nil {
			t.Fatal(err)
		}
		text := escaped.String()
		document := strings.NewReplacer("Lumen &amp; Larch GmbH", text, "Atelier Océan SARL", text+" 2", ">Shade<", ">"+text+" 3<", ">PO-77<", ">"+text+"77<").Replace(string(sample))
		for _, locale := range []string{"en", "ar"} {
			says(t, fmt.Sprintf("name-%d-%s", n, locale), "en16931", []byte(document), pageOf(t, acquire, []byte(document), "en16931", templateIn(t, locale)))
		}
	}
}

// So do those of invoices that strain the layout, whatever the labels of their templates say.
func TestStrainedPagesMatch(t *testing.T) {
	testkit.Long(t)
	acquire := realPages(t)
	for _, c := range stress.Cases() {
		pdf := pageOf(t, acquire, c.XML, stress.Profile, c.Template)
		invoice, err := einvoice.Parse(c.XML, stress.Profile)
		if err != nil {
			t.Fatal(err)
		}
		pages, err := pagetext.Read(pdf)
		if err != nil {
			t.Fatal(c.Name, err)
		}
		for _, f := range match.Compare(model.Of(invoice), pages).Findings {
			t.Errorf("%s: %s %s", c.Name, f.Term, f)
		}
	}
}

// TestSamplePagesMatch does so with the samples of other people, each in another language.
func TestSamplePagesMatch(t *testing.T) {
	testkit.Long(t)
	files, _ := filepath.Glob("../../../shared/einvoice/samples/*/*/*/*/*.xml")
	for _, depth := range []string{"*.xml", "*/*.xml", "*/*/*.xml", "*/*/*/*/*.xml", "*/*/*/*/*/*.xml"} {
		more, _ := filepath.Glob("../../../shared/einvoice/samples/*/" + depth)
		files = append(files, more...)
	}
	if len(files) == 0 {
		t.Skip("NOT TESTED on the samples: ../shared/einvoice does not exist")
	}
	acquire := realPages(t)
	compared, terms := 0, 0
	for _, file := range files {
		xml, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, profile := range contract.Profiles() {
			invoice, err := einvoice.Parse(xml, profile)
			if err != nil || len(xml) > 400_000 {
				continue
			}
			locale := matchLocales[compared%len(matchLocales)]
			pages, err := pagetext.Read(pageOf(t, acquire, xml, profile, templateIn(t, locale)))
			if err != nil {
				t.Fatal(file, err)
			}
			r := match.Compare(model.Of(invoice), pages)
			compared++
			terms += r.Terms
			for _, f := range r.Findings {
				t.Errorf("%s in %s: %s %s", filepath.Base(file), locale, f.Term, f)
			}
		}
	}
	t.Logf("%d pages with %d terms", compared, terms)
}

// style is how a caller writes an invoice.
type style struct {
	name, group, decimal, currency, date string
	months                               []string
	words                                map[string]string
	// quantityFirst has the quantity left of the name, narrow has cells close together and from the left, and wraps has the unit below the quantity.
	quantityFirst, narrow, wraps bool
}

func (s style) money(t model.Term) string {
	whole, decimals, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(t.Text()), "-"), ".")
	for len(decimals) < 2 {
		decimals += "0"
	}
	grouped := ""
	for len(whole) > 3 {
		whole, grouped = whole[:len(whole)-3], s.group+whole[len(whole)-3:]+grouped
	}
	return strings.Replace(s.currency, "#", whole+grouped+s.decimal+strings.TrimRight(decimals[:2]+strings.TrimRight(decimals[2:], "0"), " "), 1)
}

func (s style) day(t model.Term) string {
	day, ok := (einvoice.Date{Node: t}).Time()
	if !ok {
		return t.Text()
	}
	text := day.Format(s.date)
	if s.months != nil {
		text = strings.Replace(text, "MONTH", s.months[day.Month()-1], 1)
	}
	return text
}

// callers are styles that callers have.
var callers = []style{
	{
		name: "german", group: ".", decimal: ",", currency: "# €", date: "02.01.2006",
		words: map[string]string{"number": "Rechnungsnummer", "date": "Rechnungsdatum", "due": "Zahlbar bis", "delivery": "Lieferdatum", "net": "Nettobetrag", "tax": "zzgl. USt.", "gross": "Rechnungsbetrag", "topay": "Zu zahlen", "paid": "Anzahlung", "qty": "Menge", "price": "Einzelpreis", "sum": "Gesamtpreis"},
	},
	{
		name: "american", group: ",", decimal: ".", currency: "$#", date: "MONTH 2, 2006",
		months: []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
		words:  map[string]string{"number": "Invoice no.", "date": "Issue date", "due": "Due date", "delivery": "Delivery date", "net": "Subtotal", "tax": "Tax", "gross": "Total", "topay": "Amount due", "paid": "Paid", "qty": "Qty", "price": "Price", "sum": "Amount"},
	},
	{
		name: "french", group: "\u202f", decimal: ",", currency: "#\u00a0€", date: "2 MONTH 2006",
		months: []string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
		words:  map[string]string{"number": "Facture n°", "date": "Date de facture", "due": "Échéance", "delivery": "Date de livraison", "net": "Total HT", "tax": "TVA", "gross": "Total TTC", "topay": "Net à payer", "paid": "Acompte", "qty": "Quantité", "price": "Prix unitaire", "sum": "Montant"},
	},
	{
		name: "swiss", group: "’", decimal: ".", currency: "CHF #", date: "2006-01-02",
		words: map[string]string{"number": "Rechnung Nr.", "date": "Datum", "due": "Fällig am", "delivery": "Lieferdatum", "net": "Zwischensumme", "tax": "MwSt.", "gross": "Gesamtbetrag", "topay": "Zahlbetrag", "paid": "Bereits gezahlt", "qty": "Anzahl", "price": "Preis", "sum": "Betrag"},
	},
	{
		name: "austrian", group: ".", decimal: ",", currency: "€ #", date: "2.1.2006", quantityFirst: true,
		words: map[string]string{"number": "Rechnung Nr.", "date": "Datum", "due": "Fällig am", "delivery": "Lieferdatum", "net": "Netto", "tax": "USt gesamt", "gross": "Gesamtbetrag", "topay": "Zahlbetrag", "paid": "Bereits gezahlt", "qty": "Menge", "price": "Preis", "sum": "Betrag"},
	},
	{
		name: "italian", group: ".", decimal: ",", currency: "# €", date: "02/01/2006", narrow: true,
		words: map[string]string{"number": "Fattura n.", "date": "Data fattura", "due": "Scadenza", "delivery": "Data di consegna", "net": "Totale imponibile", "tax": "IVA totale", "gross": "Totale", "topay": "Importo da pagare", "paid": "Già pagato", "qty": "Quantità", "price": "Prezzo", "sum": "Importo"},
	},
	{
		name: "dutch", group: ".", decimal: ",", currency: "€ #", date: "02-01-2006", wraps: true,
		words: map[string]string{"number": "Factuurnummer", "date": "Factuurdatum", "due": "Vervaldatum", "delivery": "Leverdatum", "net": "Subtotaal", "tax": "Btw totaal", "gross": "Totaal", "topay": "Te betalen", "paid": "Reeds betaald", "qty": "Aantal", "price": "Prijs", "sum": "Bedrag"},
	},
}

// written is a page that a caller might write, with all terms.
func (s style) written(i *model.Invoice) string {
	var b strings.Builder
	w := func(format string, args ...any) {
		for n, a := range args {
			if text, is := a.(string); is {
				args[n] = html.EscapeString(text)
			}
		}
		fmt.Fprintf(&b, format, args...)
	}
	row := func(label, value string) {
		if value != "" {
			w(`<tr><td>%s</td><td style="text-align:right">%s</td></tr>`, label, value)
		}
	}
	size, align := 13, "right"
	if s.narrow {
		size, align = 12, "left"
	}
	w(`<body style="font: %dpx sans-serif"><table><tr><td style="vertical-align:top;width:300px"><b>%s</b><br>%s</td><td style="vertical-align:top"><table>`, size, i.Seller.Name.Text(), i.Seller.Address.City.Text())
	row(s.words["number"], i.Number.Text())
	row(s.words["date"], s.day(i.IssueDate))
	for _, t := range i.PaymentTerms {
		if t.DueDate != nil {
			row(s.words["due"], s.day(t.DueDate))
		}
	}
	if i.DeliveryDate != nil {
		row(s.words["delivery"], s.day(i.DeliveryDate))
	}
	w(`</table></td></tr></table><p>%s</p><p>`, i.Buyer.Name.Text())
	for _, t := range []model.Term{i.BuyerReference, i.BuyerOrder, i.Contract, i.Payee.Name, i.TaxRepresentative.Name} {
		w(`%s<br>`, t.Text())
	}
	for _, p := range []model.Party{i.Seller, i.Buyer, i.TaxRepresentative} {
		for _, id := range append(slices.Clone(p.VATIDs), p.TaxNumbers...) {
			w(`%s<br>`, id.Text())
		}
	}
	for _, p := range i.PreviousInvoices {
		w(`%s %s<br>`, p.Number.Text(), s.day(p.Date))
	}
	if i.Period.Node != nil {
		w(`%s – %s`, s.day(i.Period.Start), s.day(i.Period.End))
	}
	heads := []string{"Text", s.words["qty"]}
	width, vertical := "width:100%", "vertical-align:top"
	switch {
	case s.quantityFirst:
		slices.Reverse(heads)
	case s.narrow:
		width = ""
	case s.wraps:
		vertical = ""
	}
	w(`</p><table style="%s"><tr><th>Pos.</th><th style="text-align:left">%s</th><th>%s</th><th>%s</th><th>%%</th><th>%s</th></tr>`, width, heads[0], heads[1], s.words["price"], s.words["sum"])
	for n, l := range i.Lines {
		rate := ""
		for _, x := range l.Taxes {
			rate = strings.Replace(strings.TrimSuffix(strings.TrimRight(x.Rate.Text(), "0"), "."), ".", s.decimal, 1) + " %"
		}
		quantity := strings.TrimSuffix(strings.TrimRight(l.Quantity.Text(), "0"), ".")
		if !strings.Contains(l.Quantity.Text(), ".") {
			quantity = l.Quantity.Text()
		}
		quantity = strings.Replace(quantity, ".", s.decimal, 1)
		w(`<tr style="%s"><td>%s</td>`, vertical, fmt.Sprint(n+1))
		if s.quantityFirst {
			w(`<td>%s St.</td>`, quantity)
		}
		w(`<td>%s`, l.Name.Text())
		if l.Period.Node != nil {
			w(`<br>%s – %s`, s.day(l.Period.Start), s.day(l.Period.End))
		}
		for _, a := range append(slices.Clone(l.Allowances), l.Charges...) {
			w(`<br>%s: %s`, a.Reason.Text(), s.money(a.Amount))
		}
		w(`</td>`)
		switch {
		case s.wraps:
			w(`<td align=right>%s<br>st.</td>`, quantity)
		case !s.quantityFirst:
			w(`<td align=%s>%s</td>`, align, quantity)
		}
		w(`<td align=%s>%s</td><td align=%s>%s</td><td align=%s>%s</td></tr>`, align, s.money(l.NetPrice), align, rate, align, s.money(l.Total))
	}
	w(`</table><table style="margin-left:auto">`)
	t := i.Totals
	for _, a := range append(append(slices.Clone(i.Allowances), i.Charges...), i.Logistics...) {
		row(a.Reason.Text(), s.money(a.Amount))
	}
	for _, sum := range []struct {
		label string
		t     model.Term
	}{{"Σ", t.Lines}, {"Σ −", t.Allowances}, {"Σ +", t.Charges}, {s.words["net"], t.WithoutTax}} {
		if sum.t != nil {
			row(sum.label, s.money(sum.t))
		}
	}
	for _, x := range i.Taxes {
		row(strings.Replace(strings.TrimSuffix(strings.TrimRight(x.Rate.Text(), "0"), "."), ".", s.decimal, 1)+" % / "+s.money(x.Base), s.money(x.Amount))
	}
	for _, x := range t.Tax {
		row(s.words["tax"], s.money(x))
	}
	row(s.words["gross"], s.money(t.WithTax))
	if t.Paid != nil {
		row(s.words["paid"], s.money(t.Paid))
	}
	if t.Rounding != nil {
		row("±", s.money(t.Rounding))
	}
	row(s.words["topay"], s.money(t.Due))
	w(`</table><p>`)
	for _, p := range i.Payments {
		for at, r := range []rune(p.IBAN.Text()) {
			if at%4 == 0 && at > 0 {
				w(" ")
			}
			w("%s", string(r))
		}
		w(`<br>%s<br>`, p.AccountID.Text())
	}
	w(`</p></body>`)
	return b.String()
}

type acquirer = func(context.Context, events.AccountID, events.Lane) (Lease, error)

// Pages that callers write in their own way match, too.
func TestCallersPagesMatch(t *testing.T) {
	browser := realPages(t)
	lease, err := browser(t.Context(), "acc_match", events.Quick)
	if err != nil {
		t.Fatal(err)
	}
	for _, profile := range []string{"basic", "en16931", "extended"} {
		xml, err := os.ReadFile("../../einvoice/sample/" + profile + ".xml")
		if err != nil {
			t.Fatal(err)
		}
		invoice, err := einvoice.Parse(xml, profile)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range callers {
			printed, err := lease.Print(t.Context(), page.Print{HTML: s.written(model.Of(invoice)), Options: contract.Paper{Format: "A4", MarginTop: "2cm", MarginRight: "2cm", MarginBottom: "2cm", MarginLeft: "2cm"}})
			if err != nil {
				t.Fatal(err)
			}
			lease.Return()
			says(t, "caller-"+s.name+"-"+profile, profile, xml, printed.PDF)
		}
	}
}

// Text that is hidden from people is hidden from the comparison.
func TestHiddenTextDoesNotMatch(t *testing.T) {
	browser := realPages(t)
	lease, err := browser(t.Context(), "acc_match", events.Quick)
	if err != nil {
		t.Fatal(err)
	}
	xml, err := os.ReadFile("../../einvoice/sample/en16931.xml")
	if err != nil {
		t.Fatal(err)
	}
	invoice, err := einvoice.Parse(xml, "en16931")
	if err != nil {
		t.Fatal(err)
	}
	whole := callers[0].written(model.Of(invoice))
	for name, css := range map[string]string{
		"seen": "color: #888", "white": "color: white", "transparent": "color: transparent", "opacity": "opacity: 0", "nearly": "opacity: .04", "none": "display: none", "hidden": "visibility: hidden",
		"off": "position: absolute; left: -900px", "above": "position: absolute; top: -900px", "tiny": "font-size: 1px", "clipped": "display: inline-block; width: 0; overflow: hidden",
		"behind": "position: absolute; z-index: -1; top: 0",
	} {
		hidden := strings.ReplaceAll(whole, "R-2026-0042", `<span style="`+css+`">R-2026-0042</span>`)
		if name == "behind" {
			hidden = strings.Replace(hidden, "<table>", `<div style="position: absolute; top: 0; left: 0; width: 600px; height: 40px; background: white; z-index: 0"></div><table>`, 1)
		}
		printed, err := lease.Print(t.Context(), page.Print{HTML: hidden, Options: contract.Paper{Format: "A4", MarginTop: "2cm", MarginRight: "2cm", MarginBottom: "2cm", MarginLeft: "2cm"}})
		if err != nil {
			t.Fatal(err)
		}
		lease.Return()
		pages, err := pagetext.Read(printed.PDF)
		if err != nil {
			t.Fatal(err)
		}
		findings := match.Compare(model.Of(invoice), pages).Findings
		missing := slices.ContainsFunc(findings, func(f match.Finding) bool { return f.Term == "BT-1" })
		if missing == (name == "seen") {
			t.Errorf("%s: %v", name, findings)
		}
	}
}

// A page of our own that lacks a term is never handed out, unless its template or a missing glyph leaves something out.
func TestOwnPageIsComplete(t *testing.T) {
	xml, err := os.ReadFile("../../einvoice/sample/en16931.xml")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := einvoice.Parse(xml, "en16931")
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile("../../document/pdfa/testdata/plain.pdf")
	if err != nil {
		t.Fatal(err)
	}
	w := &work{cfg: Config{Logger: testkit.Silent()}, invoice: &invoice{model: parsed}}
	w.submission.Content.Invoice = &events.Invoice{}
	if err := w.compare(other); err != nil || w.compared {
		t.Errorf("a page of a caller: %v, compared: %t", err, w.compared)
	}
	w.submission.Content.Invoice.Match = contract.MatchWarn
	if err := w.compare(other); err != nil || !w.compared || len(w.mismatches) == 0 {
		t.Errorf("a page of a caller that is to be compared: %v, %d mismatches", err, len(w.mismatches))
	}
	w.whole = true
	fault := w.faultOf(w.compare(other))
	if fault == nil || fault.Code != events.EInvoiceFailed || fault.Retryable || !strings.HasPrefix(fault.Detail, "The page made of the invoice lacks BT-1 Invoice number, BT-2 Issue date,") {
		t.Errorf("a page of our own: %+v", fault)
	}
	if err := w.compare([]byte("no PDF")); err != nil || w.compared {
		t.Errorf("a page that cannot be read: %v", err)
	}
}

// No word for a unit is mistaken for a label, in any language.
func TestUnitsMatch(t *testing.T) {
	testkit.Long(t)
	acquire := realPages(t)
	at := slices.IndexFunc(stress.Cases(), func(c stress.Case) bool { return c.Name == "three/plain" })
	for _, code := range strings.Fields("H87 SET PR DZN LS XBX XCT XPK XPX XBG XBO XRO DAY WEE MON ANN") {
		xml := []byte(strings.NewReplacer(`"H87">1<`, `"`+code+`">1<`, `"H87">4<`, `"HUR">1.5<`).Replace(string(stress.Cases()[at].XML)))
		for _, locale := range blocks.Languages() {
			says(t, "unit-"+code+"-"+locale, stress.Profile, xml, pageOf(t, acquire, xml, stress.Profile, templateIn(t, locale)))
		}
	}
}

// Terms that a template leaves out may be missing, and so may characters that no font has.
func TestIncompletePages(t *testing.T) {
	acquire := realPages(t)
	xml, err := os.ReadFile("../../einvoice/sample/en16931.xml")
	if err != nil {
		t.Fatal(err)
	}
	template := blocks.Default()
	for i, b := range template.Blocks {
		if b.Type == blocks.Additional || b.Type == blocks.AmountsDue {
			template.Blocks[i].Enabled = new(false)
		}
	}
	text, err := json.Marshal(template)
	if err != nil {
		t.Fatal(err)
	}
	pageOf(t, acquire, xml, "en16931", text)
	unknown := bytes.ReplaceAll(xml, []byte("Atelier"), []byte("Atelier \U0001E900\U00016E40"))
	pageOf(t, acquire, unknown, "en16931", templateIn(t, "fr"))
}
