package einvoice

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"platen.dev/einvoice/cii"
)

func read(t testing.TB, profile string) *Invoice {
	t.Helper()
	invoice, err := Read([]byte(sample(t, profile)), profile)
	if err != nil {
		t.Fatal(err)
	}
	return invoice
}

// says compares texts with what they should be.
func says(t *testing.T, what string, got []*Node, want ...string) {
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
	i := read(t, "extended")
	says(t, "the document", []*Node{i.Number(), i.Title(), i.TypeCode(), i.Language(), i.Guideline(), i.BusinessProcess(), i.Currency(), i.TaxCurrency(), i.BuyerReference()},
		"R-2026-0042", "Invoice", "380", "en", Guidelines["extended"], "A1", "EUR", "", "Dept. 7")
	says(t, "the references", []*Node{i.Order().ID(), i.SellerOrder().ID(), i.Contract().ID(), i.DespatchAdvice().ID(), i.Preceding()[0].ID(), i.Project().At("Name")},
		"PO-77", "SO-9", "K-3", "DA-5", "R-2026-0007", "Harbour")
	says(t, "the note", []*Node{i.Notes()[0].Content(), i.Notes()[0].Subject()}, "Thank you for\nyour order.", "AAI")
	r := i.Supporting()[0]
	says(t, "the attachment", []*Node{r.ID(), r.Type(), r.Name(), r.Attachment(), r.URI(), r.LineID()}, "TIMES-2", "916", "Time sheet", "aG91cnM7MTIK", "", "")
	if a := r.Attachment(); a.Attribute("mimeCode") != "text/csv" || a.Attribute("filename") != "hours.csv" || a.Kind() != cii.Base64 {
		t.Errorf("the attachment has %v", a.Attributes())
	}
	if i.IsCreditNote() || i.Profile != "extended" {
		t.Errorf("a credit note of %s", i.Profile)
	}
	credit, err := Read([]byte(strings.Replace(sample(t, "basic"), ">380<", "> 381\n<", 1)), "basic")
	if err != nil || !credit.IsCreditNote() {
		t.Errorf("381 is no credit note: %v", err)
	}
}

func TestParties(t *testing.T) {
	i := read(t, "en16931")
	s, a, c := i.Seller(), i.Seller().Address(), i.Seller().Contacts()[0]
	says(t, "the seller", []*Node{s.Name(), s.Description(), s.VATID(), s.TaxID(), s.LegalID(), s.TradingName(), s.Email()},
		"Lumen & Larch GmbH", "Managing director: Ada Quill", "DE123456789", "27/815/00001", "HRB 90210", "Lumen", "invoices@lumen.example")
	says(t, "the identifiers", s.IDs(), "4711", "4000001000005")
	says(t, "the address", append(a.Lines(), a.Postcode(), a.City(), a.Country(), a.Subdivision()), "Birkenweg 7", "Building C", "10115", "Berlin", "DE", "")
	says(t, "the contact", []*Node{c.Person(), c.Department(), c.Telephone(), c.Email(), c.Fax()}, "Ida Birch", "Accounts", "+49 30 5550100", "accounts@lumen.example", "")
	says(t, "the others", []*Node{i.Buyer().Name(), i.ShipTo().Name(), i.Payee().Name(), i.TaxRepresentative().Name()}, "Atelier Océan SARL", "Atelier Océan, dépôt", "Lumen Factoring AG", "")
	if s.LegalID().Attribute("schemeID") != "0002" || s.LegalID().Attribute("nothing") != "" {
		t.Errorf("the scheme is %q", s.LegalID().Attributes())
	}
}

func TestLines(t *testing.T) {
	lines := read(t, "extended").Lines()
	l := lines[0]
	says(t, "the line", []*Node{l.ID(), l.ParentID(), l.Name(), l.Description(), l.Quantity(), l.Total(), l.Origin(), l.Notes()[0].Content()},
		"1", "", "Lamp <Amber>", "A lamp of larch wood", "2", "205.00", "AT", "Delivered in wooden boxes")
	says(t, "the prices", []*Node{l.NetPrice().Amount(), l.NetPrice().Basis(), l.GrossPrice().Amount(), l.GrossPrice().Allowances()[0].Amount()}, "100.00", "1", "110.00", "10.00")
	says(t, "the tax", []*Node{l.Tax().Type(), l.Tax().Category(), l.Taxes()[0].Rate()}, "VAT", "S", "19.00")
	says(t, "the product", append(l.ProductIDs(), l.Characteristics()[0].Description(), l.Characteristics()[0].Value(), l.Characteristics()[0].Measure()), "4000001000012", "LMP-1", "Colour", "amber", "")
	says(t, "the class", l.Classifications(), "39111600")
	says(t, "the charge", []*Node{l.Allowances()[0].Amount(), l.Allowances()[0].Reason()}, "5.00", "Gift wrapping")
	says(t, "the sub-line", []*Node{lines[1].ID(), lines[1].ParentID(), lines[1].Reason(), lines[1].Status(), lines[1].Order().ID()}, "2", "1", "DETAIL", "", "")
	if !l.Allowances()[0].IsCharge() || l.GrossPrice().Allowances()[0].IsCharge() || l.Quantity().Attribute("unitCode") != "C62" {
		t.Error("charges or units are wrong")
	}
	if got := lines[1].Name().Path(); got != "/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction/ram:IncludedSupplyChainTradeLineItem[2]/ram:SpecifiedTradeProduct/ram:Name" {
		t.Errorf("the path is %s", got)
	}
	if got, want := lines[1].Name().Line(), strings.Count(sample(t, "extended")[:strings.Index(sample(t, "extended"), ">Shade<")], "\n")+1; got != want {
		t.Errorf("the line is %d, want %d", got, want)
	}
}

func TestMoney(t *testing.T) {
	i := read(t, "en16931")
	s, tax, a := i.Totals(), i.Taxes(), i.Allowances()[0]
	says(t, "the totals", []*Node{s.Lines(), s.Allowances(), s.Charges(), s.TaxBasis(), s.Tax("EUR"), s.Tax("USD"), s.Grand(), s.Prepaid(), s.Rounding(), s.Due()},
		"260.00", "10.00", "0.00", "250.00", "47.50", "", "297.50", "97.50", "0.00", "200.00")
	says(t, "the taxes", []*Node{tax[0].Rate(), tax[0].Basis(), tax[0].Amount(), tax[1].Category(), tax[1].ExemptionReason(), tax[1].ExemptionCode(), tax[1].PointCode()},
		"19.00", "250.00", "47.50", "G", "Export", "VATEX-EU-G", "")
	says(t, "the allowance", []*Node{a.Indicator(), a.Amount(), a.Percent(), a.Basis(), a.Reason(), a.ReasonCode(), a.Tax().Rate()}, "false", "10.00", "10", "100.00", "Discount", "95", "19.00")
	m, terms := i.PaymentMeans()[0], i.PaymentTerms()[0]
	says(t, "the payment", []*Node{m.Type(), m.Information(), m.IBAN(), m.AccountName(), m.BIC(), m.AccountID(), m.DebitedIBAN(), m.CardNumber(), m.CardHolder(), terms.Description(), terms.Mandate(), i.PaymentReference(), i.CreditorReference()},
		"58", "SEPA credit transfer", "DE02120300000000202051", "Lumen GmbH", "BYLADEM1001", "", "", "", "", "30 days net", "M-12", "R-2026-0042", "DE98ZZZ09999999999")
}

func TestDates(t *testing.T) {
	i := read(t, "extended")
	for want, got := range map[string]Date{
		"2026-03-05": i.IssueDate(), "2026-04-04": i.DueDate(), "2026-03-01": i.DeliveryDate(), "2026-02-01": i.Period().Start(),
		"2026-02-28": i.Lines()[0].Period().End(), "2026-01-10": i.Order().IssueDate(),
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
		t.Error("no date is a date")
	}
}

// TestMinimum: what a poor profile does not have is answered with nothing.
func TestMinimum(t *testing.T) {
	i := read(t, "minimum")
	if len(i.Lines())+len(i.Taxes())+len(i.Notes())+len(i.PaymentMeans())+len(i.Allowances()) != 0 || i.DueDate().Node != nil {
		t.Error("there are lines, or taxes, or others")
	}
	var none *Node
	if none.Text()+none.Element()+none.Path()+none.Attribute("a") != "" || none.Line() != 0 || none.Parent() != nil || none.At("x") != nil || none.All("x") != nil || none.Kind() != cii.Elements {
		t.Error("nothing answers with something")
	}
	for range none.Children() {
		t.Error("nothing has children")
	}
}

// TestShown: the leaves are all texts, and what was shown is no longer in the rest.
func TestShown(t *testing.T) {
	for _, profile := range cii.Profiles {
		i := read(t, profile)
		leaves := slices.Collect(i.Leaves())
		if want := texts(sample(t, profile)); len(leaves) != want {
			t.Errorf("%s has %d leaves, want %d", profile, len(leaves), want)
		}
		for range i.Leaves() {
			break // a reader may stop
		}
		paths := map[string]bool{}
		for _, n := range leaves {
			paths[n.Path()] = true
		}
		if len(paths) != len(leaves) {
			t.Errorf("%s has %d paths of %d leaves", profile, len(paths), len(leaves))
		}
		var shown Shown
		if rest := shown.Rest(i); len(rest) != len(leaves) || shown.Has(leaves[0]) {
			t.Errorf("%s: %d of %d leaves are left at the start", profile, len(rest), len(leaves))
		}
		if text := shown.Text(i.Number()); text != "R-2026-0042" || shown.Text(nil) != "" {
			t.Errorf("the number is %q", text)
		}
		seller := i.Seller()
		shown.Mark(seller.Node, nil)
		rest := shown.Rest(i)
		if slices.Contains(rest, i.Number()) || slices.Contains(rest, seller.Name()) || !slices.Contains(rest, i.Buyer().Name()) {
			t.Errorf("%s: the rest is wrong", profile)
		}
	}
}

// texts counts the elements that hold text in a document of ours.
func texts(document string) (n int) {
	for line := range strings.SplitSeq(document, "\n") {
		if strings.Contains(line, "</") && !strings.HasPrefix(strings.TrimSpace(line), "</") {
			n++
		}
	}
	return n
}

// TestEncodings: the same invoice in every encoding has the same verdict and texts.
func TestEncodings(t *testing.T) {
	utf8 := sample(t, "basicwl")
	declared := func(encoding string) string { return strings.Replace(utf8, "UTF-8", encoding, 1) }
	latin1 := strings.NewReplacer("é", "\xe9", "ô", "\xf4").Replace(declared("ISO-8859-1"))
	var wide []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + declared("UTF-16"))) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	want := read(t, "basicwl").Buyer().Name().Text()
	for _, document := range []string{"\xEF\xBB\xBF" + utf8, latin1, string(wide), strings.ReplaceAll(utf8, "\n", "\r\n")} {
		i, err := Validate([]byte(document), "basicwl")
		if err != nil {
			t.Errorf("%.60q: %v", document, err)
		} else if got := i.Buyer().Name().Text(); got != want || i.Notes()[0].Content().Text() != "Thank you for\nyour order." {
			t.Errorf("%.60q: the buyer is %q", document, got)
		}
	}
	if _, err := Read([]byte(latin1), "basicwl"); err == nil || !strings.Contains(err.Error(), "ISO-8859-1") {
		t.Errorf("Read took Latin-1: %v", err)
	}
}
