package einvoice

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"platen.dev/einvoice/schema"
	"platen.dev/events/contract"
)

func parseSample(t testing.TB, profile string) *Invoice {
	t.Helper()
	invoice, err := Parse([]byte(sample(t, profile)), profile)
	if err != nil {
		t.Fatal(err)
	}
	return invoice
}

// checkTexts compares the texts of nodes.
func checkTexts(t *testing.T, what string, got []*Node, want ...string) {
	t.Helper()
	var texts []string
	for _, n := range got {
		texts = append(texts, n.Text())
	}
	if !slices.Equal(texts, want) {
		t.Errorf("%s is %q, want %q", what, texts, want)
	}
}

func TestHeader(t *testing.T) {
	i := parseSample(t, "extended")
	checkTexts(t, "the document", []*Node{i.Number(), i.Title(), i.TypeCode(), i.Guideline(), i.Currency(), i.BuyerReference()},
		"R-2026-0042", "Invoice", "380", Guidelines["extended"], "EUR", "Dept. 7")
	checkTexts(t, "the references", []*Node{i.BuyerOrder().ID(), i.SellerOrder().ID(), i.Contract().ID(), i.DespatchAdvice().ID(), i.PrecedingInvoices()[0].ID(), i.Project().At("Name")},
		"PO-77", "SO-9", "K-3", "DA-5", "R-2026-0007", "Harbour")
	checkTexts(t, "the note", []*Node{i.Notes()[0].Content()}, "Thank you for\nyour order.")
	a := i.agreement().At("AdditionalReferencedDocument", "AttachmentBinaryObject")
	checkTexts(t, "the attachment", []*Node{a}, "aG91cnM7MTIK")
	if a.Attribute("mimeCode") != "text/csv" || a.Attribute("filename") != "hours.csv" || a.Kind() != schema.Base64 {
		t.Errorf("the attachment has %v", a.Attributes())
	}
	if i.IsCreditNote() || i.Profile != "extended" {
		t.Errorf("IsCreditNote is %t, Profile is %s", i.IsCreditNote(), i.Profile)
	}
	credit, err := Parse([]byte(strings.Replace(sample(t, "basic"), ">380<", "> 381\n<", 1)), "basic")
	if err != nil || !credit.IsCreditNote() {
		t.Errorf("type code 381 is not a credit note: %v", err)
	}
}

func TestParties(t *testing.T) {
	i := parseSample(t, "en16931")
	s, a, c := i.Seller(), i.Seller().Address(), i.Seller().Contacts()[0]
	checkTexts(t, "the seller", []*Node{s.Name(), s.Description(), s.VATID(), s.TaxID(), s.LegalID(), s.TradingName(), s.Email()},
		"Lumen & Larch GmbH", "Managing director: Ada Quill", "DE123456789", "27/815/00001", "HRB 90210", "Lumen", "invoices@lumen.example")
	checkTexts(t, "the identifiers", s.IDs(), "4711", "4000001000005")
	checkTexts(t, "the address", append(a.Lines(), a.Postcode(), a.City(), a.Country(), a.Subdivision()), "Birkenweg 7", "Building C", "10115", "Berlin", "DE", "")
	checkTexts(t, "the contact", []*Node{c.Person(), c.Department(), c.Telephone(), c.Email(), c.Fax()}, "Ida Birch", "Accounts", "+49 30 5550100", "accounts@lumen.example", "")
	checkTexts(t, "the other parties", []*Node{i.Buyer().Name(), i.ShipTo().Name(), i.Payee().Name(), i.TaxRepresentative().Name()}, "Atelier Océan SARL", "Atelier Océan, dépôt", "Lumen Factoring AG", "")
	if s.LegalID().Attribute("schemeID") != "0002" || s.LegalID().Attribute("nothing") != "" {
		t.Errorf("the scheme is %q", s.LegalID().Attributes())
	}
}

func TestLines(t *testing.T) {
	lines := parseSample(t, "extended").Lines()
	l := lines[0]
	checkTexts(t, "the line", []*Node{l.ID(), l.ParentID(), l.Name(), l.Description(), l.Quantity(), l.Total(), l.Notes()[0].Content()},
		"1", "", "Lamp <Amber>", "A lamp of larch wood", "2", "205.00", "Delivered in wooden boxes")
	checkTexts(t, "the prices", []*Node{l.NetPrice().Amount(), l.NetPrice().Basis(), l.GrossPrice().Amount(), l.GrossPrice().AllowanceCharges()[0].Amount()}, "100.00", "1", "110.00", "10.00")
	checkTexts(t, "the tax", []*Node{l.Tax().Type(), l.Tax().Category(), l.Tax().Rate()}, "VAT", "S", "19.00")
	checkTexts(t, "the product", append(l.ProductIDs(), l.Characteristics()[0].Description(), l.Characteristics()[0].Value(), l.Characteristics()[0].Measure()), "4000001000012", "LMP-1", "Colour", "amber", "")
	checkTexts(t, "the charge", []*Node{l.AllowanceCharges()[0].Amount(), l.AllowanceCharges()[0].Reason()}, "5.00", "Gift wrapping")
	checkTexts(t, "the sub-line", []*Node{lines[1].ID(), lines[1].ParentID()}, "2", "1")
	if !l.AllowanceCharges()[0].IsCharge() || l.GrossPrice().AllowanceCharges()[0].IsCharge() || l.Quantity().Attribute("unitCode") != "C62" {
		t.Error("IsCharge or the unit is wrong")
	}
	if got := lines[1].Name().Path(); got != "/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction/ram:IncludedSupplyChainTradeLineItem[2]/ram:SpecifiedTradeProduct/ram:Name" {
		t.Errorf("the path is %s", got)
	}
	if got, want := lines[1].Name().SourceLine(), strings.Count(sample(t, "extended")[:strings.Index(sample(t, "extended"), ">Shade<")], "\n")+1; got != want {
		t.Errorf("the line is %d, want %d", got, want)
	}
}

func TestAmounts(t *testing.T) {
	i := parseSample(t, "en16931")
	s, tax, a := i.Totals(), i.Taxes(), i.AllowanceCharges()[0]
	checkTexts(t, "the totals", []*Node{s.LineTotal(), s.AllowanceTotal(), s.ChargeTotal(), s.TaxBasisTotal(), s.TaxTotal("EUR"), s.TaxTotal("USD"), s.GrandTotal(), s.Prepaid(), s.Rounding(), s.DuePayable()},
		"260.00", "10.00", "0.00", "250.00", "47.50", "", "297.50", "97.50", "0.00", "200.00")
	checkTexts(t, "the taxes", []*Node{tax[0].Rate(), tax[0].Basis(), tax[0].Amount(), tax[1].Category(), tax[1].ExemptionReason(), tax[1].ExemptionCode()},
		"19.00", "250.00", "47.50", "G", "Export", "VATEX-EU-G")
	checkTexts(t, "the allowance", []*Node{a.Indicator(), a.Amount(), a.Percent(), a.Basis(), a.Reason(), a.Tax().Rate()}, "false", "10.00", "10", "100.00", "Discount", "19.00")
	m, terms := i.PaymentMeans()[0], i.PaymentTerms()[0]
	checkTexts(t, "the payment", []*Node{m.Information(), m.IBAN(), m.AccountName(), m.BIC(), m.AccountID(), m.DebitedIBAN(), m.CardNumber(), m.CardHolder(), terms.Description(), terms.Mandate(), i.PaymentReference(), i.CreditorReference()},
		"SEPA credit transfer", "DE02120300000000202051", "Lumen GmbH", "BYLADEM1001", "", "", "", "", "30 days net", "M-12", "R-2026-0042", "DE98ZZZ09999999999")
}

func TestDates(t *testing.T) {
	i := parseSample(t, "extended")
	for want, got := range map[string]Date{
		"2026-03-05": i.IssueDate(), "2026-04-04": i.DueDate(), "2026-03-01": i.DeliveryDate(), "2026-02-01": i.Period().Start(),
		"2026-02-28": i.Lines()[0].Period().End(), "2026-01-10": i.BuyerOrder().IssueDate(),
	} {
		if at, ok := got.Time(); !ok || at.Format(time.DateOnly) != want || got.Text() != strings.ReplaceAll(want, "-", "") {
			t.Errorf("%q is %v, want %s", got.Text(), at, want)
		}
	}
	for _, c := range []struct{ format, text, want string }{
		{"102", " 20260305 ", "2026-03-05T00:00:00Z"},
		{"203", "202603051430", "2026-03-05T14:30:00Z"},
		{"204", "20260305143005", "2026-03-05T14:30:05Z"},
		{"610", "202603", "2026-03-01T00:00:00Z"},
		{"102", "2026-03-05", "2026-03-05T00:00:00Z"},
		{"", "2026-03-05T01:02:03", "2026-03-05T01:02:03Z"},
		{"616", "202610", ""},
		{"102", "soon", ""},
		{"102", "20260230", ""},
	} {
		d := Date{&Node{text: c.text, attributes: []Attribute{{"format", c.format}}}}
		at, ok := d.Time()
		if ok != (c.want != "") || ok && at.Format(time.RFC3339) != c.want {
			t.Errorf("%q in format %s is %v, want %s", c.text, c.format, at, c.want)
		}
	}
	if _, ok := (Date{}).Time(); ok {
		t.Error("a missing date is a date")
	}
}

// TestMissingElements checks that elements which the profile lacks are nil, and that the
// methods of a nil Node return zero values.
func TestMissingElements(t *testing.T) {
	i := parseSample(t, "minimum")
	if len(i.Lines())+len(i.Taxes())+len(i.Notes())+len(i.PaymentMeans())+len(i.AllowanceCharges()) != 0 || i.DueDate().Node != nil {
		t.Error("profile minimum has lines, taxes, notes, payment means, allowances or a due date")
	}
	var none *Node
	if none.Text()+none.Element()+none.Path()+none.Attribute("a") != "" || none.SourceLine() != 0 || none.Parent() != nil || none.At("x") != nil || none.All("x") != nil || none.Kind() != schema.Elements {
		t.Error("a method of a nil Node returns a value")
	}
	for range none.Children() {
		t.Error("a nil Node has children")
	}
}

// TestShownNodes checks that Leaves yields all texts, and that NotShown omits those shown.
func TestShownNodes(t *testing.T) {
	for _, profile := range contract.Profiles() {
		i := parseSample(t, profile)
		leaves := slices.Collect(i.Leaves())
		if want := countTexts(sample(t, profile)); len(leaves) != want {
			t.Errorf("%s has %d leaves, want %d", profile, len(leaves), want)
		}
		for range i.Leaves() {
			break // a loop may end early
		}
		paths := map[string]bool{}
		for _, n := range leaves {
			paths[n.Path()] = true
		}
		if len(paths) != len(leaves) {
			t.Errorf("%s has %d paths for %d leaves", profile, len(paths), len(leaves))
		}
		var shown ShownNodes
		if missing := shown.NotShown(i); len(missing) != len(leaves) || shown.has(leaves[0]) {
			t.Errorf("%s: %d of %d leaves are not shown at the start", profile, len(missing), len(leaves))
		}
		if text := shown.Text(i.Number()); !strings.HasPrefix(text, "R-2026-004") || shown.Text(nil) != "" {
			t.Errorf("the number is %q", text)
		}
		seller := i.Seller()
		shown.mark(seller.Node, nil)
		missing := shown.NotShown(i)
		if slices.Contains(missing, i.Number()) || slices.Contains(missing, seller.Name()) || !slices.Contains(missing, i.Buyer().Name()) {
			t.Errorf("%s: NotShown is wrong", profile)
		}
	}
}

// text matches the end of an element with text, in a sample.
var text = regexp.MustCompile(`[^>\s]\s*</`)

// countTexts counts the elements with text in a sample.
func countTexts(document string) int { return len(text.FindAllString(document, -1)) }

// TestEncodings checks that the same invoice in every encoding has the same texts.
func TestEncodings(t *testing.T) {
	utf8 := sample(t, "basicwl")
	declared := func(encoding string) string { return strings.Replace(utf8, "UTF-8", encoding, 1) }
	latin1 := strings.NewReplacer("é", "\xe9", "ô", "\xf4").Replace(declared("ISO-8859-1"))
	var wide []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + declared("UTF-16"))) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	want := parseSample(t, "basicwl").Buyer().Name().Text()
	for _, document := range []string{"\xEF\xBB\xBF" + utf8, latin1, string(wide), strings.ReplaceAll(utf8, "\n", "\r\n")} {
		i, err := ParseSchemaOnly([]byte(document), "basicwl")
		if err != nil {
			t.Errorf("%.60q: %v", document, err)
		} else if got := i.Buyer().Name().Text(); got != want || i.Notes()[0].Content().Text() != "Thank you for\nyour order." {
			t.Errorf("%.60q: the buyer is %q", document, got)
		}
	}
	if _, err := Parse([]byte(latin1), "basicwl"); err == nil || !strings.Contains(err.Error(), "ISO-8859-1") {
		t.Errorf("Parse accepts ISO-8859-1: %v", err)
	}
	later := strings.Replace(utf8, `version="1.0"`, `version="1.1"`, 1)
	if _, err := ParseSchemaOnly([]byte(later), "basicwl"); err != nil {
		t.Errorf("a document of XML 1.1 cannot be checked: %v", err)
	}
	if _, err := Parse([]byte(later), "basicwl"); err == nil || !strings.Contains(err.Error(), "the XML declares version 1.1") {
		t.Errorf("Parse accepts XML 1.1: %v", err)
	}
}

// Of several due dates the latest counts, wherever it stands.
func TestDueDate(t *testing.T) {
	terms := func(format, date string) string {
		return `<ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime><udt:DateTimeString format="` + format + `">` + date +
			`</udt:DateTimeString></ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>`
	}
	for _, c := range []struct{ all, want string }{
		{terms("102", "20260110") + terms("102", "20260131") + terms("102", "20260120"), "20260131"},
		{"<ram:SpecifiedTradePaymentTerms><ram:Description>Net</ram:Description></ram:SpecifiedTradePaymentTerms>" + terms("102", "20260131") + terms("616", "202605"), "20260131"},
		{terms("616", "202605") + terms("102", "20260131"), "20260131"},
		{terms("616", "202605"), "202605"},
		{"", ""},
	} {
		xml := regexp.MustCompile(`(?s)<ram:SpecifiedTradePaymentTerms>.*</ram:SpecifiedTradePaymentTerms>`).ReplaceAllString(sample(t, "extended"), c.all)
		i, err := Parse([]byte(xml), "extended")
		if err != nil {
			t.Fatal(err)
		}
		if got := i.DueDate().Text(); got != c.want {
			t.Errorf("of %s: %q, want %q", c.all, got, c.want)
		}
	}
}
