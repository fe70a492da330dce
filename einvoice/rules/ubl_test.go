package rules

import (
	"slices"
	"strings"
	"testing"

	"platen.dev/einvoice"
)

// ublSample returns a UBL sample after replacements of old by new, in pairs.
func ublSample(t testing.TB, name string, replacements ...string) *einvoice.Invoice {
	t.Helper()
	invoice, err := einvoice.ParseUBL(replaced(t, "../sample/ubl-"+name+".xml", replacements))
	if err != nil {
		t.Fatal(err)
	}
	return invoice
}

// The UBL samples keep all rules. Except for the guideline they are XRechnungen, and with a few more terms they are Peppol invoices.
func TestUBLSamples(t *testing.T) {
	for _, name := range []string{"invoice", "credit-note"} {
		for _, as := range []struct {
			sets  []*Set
			edits []string
		}{{germanSets(t), []string{">urn:cen.eu:en16931:2017<", ">" + xrechnungGuideline + "<"}}, {peppolSets(t), peppolTerms}} {
			for _, v := range Check(ublSample(t, name, as.edits...), as.sets...).Violations {
				t.Errorf("%s: %s", name, v)
			}
		}
	}
}

func germanSets(t *testing.T) []*Set { return setsNamed(t, "en16931", "xrechnung", "platen") }

func setsNamed(t testing.TB, names ...string) []*Set {
	t.Helper()
	all, err := Named(names)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Each change breaks the rules that it names, at the UBL path.
func TestUBLRules(t *testing.T) {
	for _, c := range []struct{ old, broken, rules, path string }{
		{">2026-03-05<", ">2026-03-05<", "", ""},
		{"PayableAmount currencyID=\"EUR\">206.00", "PayableAmount currencyID=\"EUR\">206.01", "BR-CO-16", "/ubl:Invoice/cac:LegalMonetaryTotal/cbc:PayableAmount"},
		{"<cbc:IssueDate>2026-03-05", "<cbc:UUID>1</cbc:UUID>\n<cbc:IssueDate>2026-03-05", "UBL-CR-005", "/ubl:Invoice/cbc:UUID"},
		{`schemeID="0160"`, `schemeID="0160" schemeName="GTIN"`, "UBL-DT-08", "/ubl:Invoice/cac:InvoiceLine[1]/cac:Item/cac:StandardItemIdentification/cbc:ID"},
		{"<cbc:Note>30 days net</cbc:Note>", "<cbc:Note>30 days net</cbc:Note><cbc:Note>or so</cbc:Note>", "UBL-SR-05", "/ubl:Invoice"},
		{">380<", ">381<", "BR-CL-01", "/ubl:Invoice/cbc:InvoiceTypeCode"},
		{"<cbc:RegistrationName>Atelier", "<cbc:RegistrationName>A</cbc:RegistrationName><cbc:CompanyID>1</cbc:CompanyID></cac:PartyLegalEntity><cac:PartyLegalEntity><cbc:RegistrationName>Atelier", "UBL-SR-15 UBL-SR-17", "/ubl:Invoice"},
		{">58</cbc:PaymentMeansCode>", ">48</cbc:PaymentMeansCode>", "BR-DE-24-a BR-DE-24-b", "/ubl:Invoice/cac:PaymentMeans[1]"},
		{"<cbc:PriceAmount currencyID=\"EUR\">100.00", "<cbc:PriceAmount currencyID=\"EUR\">100.02", "PEPPOL-EN16931-R046 PEPPOL-EN16931-R120", "/ubl:Invoice/cac:InvoiceLine[1]"},
		{"</cbc:DocumentCurrencyCode>", "</cbc:DocumentCurrencyCode><cbc:TaxCurrencyCode>USD</cbc:TaxCurrencyCode>", "BR-53 PEPPOL-EN16931-R054 PEPPOL-EN16931-R055", ""},
		{`currencyID="EUR">10.00`, `currencyID="EUX">10.00`, "BR-CL-03", "/ubl:Invoice/cac:AllowanceCharge[1]/cbc:Amount"},
	} {
		var ids []string
		paths := map[string]bool{}
		for _, v := range Check(ublSample(t, "invoice", c.old, c.broken, ">urn:cen.eu:en16931:2017<", ">"+xrechnungGuideline+"<"), germanSets(t)...).Violations {
			if v.Path == "" || v.Line < 1 || v.Message == "" || v.Fix == "" {
				t.Errorf("incomplete: %+v", v)
			}
			ids, paths[v.Path] = append(ids, v.Rule), true
		}
		if got := strings.Join(unique(ids), " "); got != c.rules || c.path != "" && !paths[c.path] {
			t.Errorf("%s breaks %q at %v, want %q at %s", c.broken, got, paths, c.rules, c.path)
		}
	}
}

// The VAT totals in two currencies may be equal.
func TestEqualTaxTotals(t *testing.T) {
	invoice := ublSample(t, "invoice", "</cbc:DocumentCurrencyCode>", "</cbc:DocumentCurrencyCode><cbc:TaxCurrencyCode>USD</cbc:TaxCurrencyCode>",
		"<cac:TaxTotal>", `<cac:TaxTotal><cbc:TaxAmount currencyID="USD">48.45</cbc:TaxAmount></cac:TaxTotal><cac:TaxTotal>`)
	for _, v := range Check(invoice, setsNamed(t, "en16931")...).Violations {
		t.Error(v)
	}
}

// The UBL table is complete: each identifier exists once, with its words and condition.
func TestUBLTables(t *testing.T) {
	for _, s := range Sets() {
		seen := map[string]bool{}
		for _, r := range s.UBLRules() {
			if r.ID == "" || r.Demand == "" || r.Fix == "" || r.find == nil || seen[r.ID] {
				t.Errorf("%s: a faulty row %+v", s.Name, r)
			}
			seen[r.ID] = true
			if strings.HasPrefix(r.ID, "CII-") || slices.Contains(notInUBL, r.ID) {
				t.Errorf("%s is not for UBL", r.ID)
			}
		}
		t.Logf("%s has %d rules for UBL", s.Name, len(seen))
	}
	for _, id := range notInUBL {
		if !slices.ContainsFunc(sets[0].Rules(), func(r Rule) bool { return r.ID == id }) {
			t.Errorf("CII has no %s", id)
		}
	}
}

// The type codes that a job with rules accepts are those of BR-CL-01.
func TestTypeCodes(t *testing.T) {
	listed := strings.Fields(string(codes("invoice-type")))
	accepted := einvoice.TypeCodes()
	slices.Sort(listed)
	slices.Sort(accepted)
	if !slices.Equal(slices.Compact(accepted), listed) {
		t.Errorf("accepted are %v, listed %v", accepted, listed)
	}
}
