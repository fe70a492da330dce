package rules

import (
	"slices"
	"strings"
	"testing"
)

func peppolSets(t testing.TB) []*Set { return setsNamed(t, "en16931", "peppol") }

// peppolTerms turn the samples into Peppol invoices, in pairs.
var peppolTerms = []string{
	">urn:cen.eu:en16931:2017<", ">" + peppolGuideline + "<", ">A1<", ">urn:fdc:peppol.eu:2017:poacc:billing:01:1.0<",
	`"EM">invoices@lumen.example`, `"0088">4000001000005`, `"EM">factures@ocean.example`, `"0009">30326504500010`,
}

// Each change breaks a rule, and another just keeps it.
func TestPeppolRules(t *testing.T) {
	german := []string{">FR<", ">DE<", "30 days net", "30 days net\n#SKONTO#TAGE=14#PROZENT=2.25#\n"}
	danish := []string{">DE<", ">DK<", ">FR<", ">DK<", `"0002">HRB 90210`, `"0184">12345678`, "<cbc:CompanyID>303265045", `<cbc:CompanyID schemeID="0184">87654321`}
	for _, c := range []struct {
		rule, old, broken, kept string
		also                    []string
	}{
		{"PEPPOL-EN16931-R002", "<cbc:Note>Thank", "<cbc:Note>1</cbc:Note><cbc:Note>Thank", "<cbc:Note>Thank", nil},
		{"PEPPOL-EN16931-R004", "billing:3.0<", "billing:3.0::1<", "billing:3.0:1<", nil},
		{"PEPPOL-EN16931-R007", "billing:01:1.0<", "billing:03:1.0<", "billing:01:1.0<", nil},
		{"PEPPOL-EN16931-R051", `PayableAmount currencyID="EUR"`, `PayableAmount currencyID="USD"`, `PayableAmount currencyID="EUR"`, nil},
		{"PEPPOL-EN16931-R120", `"EUR">205.00<`, `"EUR">205.03<`, `"EUR">205.02<`, nil},
		{"PEPPOL-EN16931-R040", `"EUR">10.00</cbc:Amount>`, `"EUR">10.03</cbc:Amount>`, `"EUR">10.02</cbc:Amount>`, nil},
		{"PEPPOL-EN16931-CL008", `"0009"`, `"EM"`, `"0009"`, nil},
		{"PEPPOL-EN16931-F001", "2026-03-05", "2026-03-05Z", "2026-03-05", nil},
		{"PEPPOL-EN16931-F001", "2026-03-05", " 2026-03-05", "2026-03-05", nil},
		{"PEPPOL-EN16931-P0112", ">380<", ">384<", ">382<", nil},
		{"PEPPOL-COMMON-R040", "4000001000005", "4000001000006", "4000001000005", nil},
		{"PEPPOL-COMMON-R056-2", "FR40303265045", "NL123456789B1", "NL123456789B12", nil},
		{"NO-R-001", "DE123456789", "NO974760674MVA", "NO974760673MVA", nil},
		{"DK-R-005", ">58<", ">30<", ">31<", danish},
		{"DK-R-017", `"0184">87654321`, `"0002">87654321`, `"0184">DK87654321`, danish},
		{"IT-R-001", "27/815/00001", "1234567001", "12345670017", []string{"DE123456789", "IT12345670017"}},
		{"SE-R-013", `"0002">HRB 90210`, `"0007">5560160681`, `"0007">5560160680`, []string{">DE<", ">SE<"}},
		{"GR-R-003", "DE123456789", "EL094019246", "EL094019245", nil},
		{"GR-R-001-3", ">R-2026-0042<", ">094019245|5/3/2026|1|1.1|A|1<", ">094019245|05/03/2026|1|1.1|A|1<", []string{"DE123456789", "EL094019245"}},
		{"IS-R-002", `"0002">HRB 90210`, `"0002">1`, `"0196">1`, []string{">DE<", ">IS<"}},
		{"NL-R-003", `"0002">HRB 90210`, `"0002">12345678`, `"0106">12345678`, []string{">DE<", ">NL<"}},
		{"DE-R-018", "PROZENT=2.25", "PROZENT=2.2", "PROZENT=2.25", german},
		{"DE-R-028", "accounts@lumen.example", "accounts@lumen", "accounts@lumen.de", german},
	} {
		for text, broken := range map[string]bool{c.broken: true, c.kept: false} {
			var found []Violation
			for _, v := range Check(ublSample(t, "invoice", slices.Concat(peppolTerms, c.also, []string{c.old, text})...), setsNamed(t, "peppol")...).Violations {
				if v.Path == "" || v.Line < 1 || v.Message == "" || v.Fix == "" {
					t.Errorf("incomplete: %+v", v)
				}
				if v.Rule == c.rule {
					found = append(found, v)
				}
			}
			if (len(found) > 0) != broken {
				t.Errorf("%s with %q: broken is %v", c.rule, text, !broken)
			}
		}
	}
}

// The set applies only to UBL, and finds nothing in CII.
func TestPeppolIsForUBL(t *testing.T) {
	set := setsNamed(t, "peppol")[0]
	if set.IsFor(false) || !set.IsFor(true) || set.Rules() != nil || len(set.UBLRules()) < 150 {
		t.Errorf("%v %v %d %d", set.IsFor(false), set.IsFor(true), len(set.Rules()), len(set.UBLRules()))
	}
	if v := Check(sampleOf(t, "DE123456789", "DE1"), set).Violations; len(v) > 0 {
		t.Errorf("got %v", v)
	}
	if !set.IsOf(peppolGuideline) || set.IsOf(xrechnungGuideline) || setsNamed(t, "fr")[0].IsOf("") {
		t.Error("the wrong guidelines")
	}
}

// Self-billing has its own guideline, process and types, and no country rules.
func TestSelfBilling(t *testing.T) {
	set := setsNamed(t, "peppol-selfbilling")[0]
	if !set.IsOf(selfBillingGuideline) || set.IsOf(peppolGuideline) || set.IsFor(false) || slices.ContainsFunc(set.UBLRules(), func(r Rule) bool { return !strings.HasPrefix(r.ID, "PEPPOL-") }) {
		t.Error("the wrong set")
	}
	terms := append([]string{">urn:cen.eu:en16931:2017<", ">" + selfBillingGuideline + "<", ">A1<", ">" + selfBillingProcess + "<"}, peppolTerms[4:]...)
	for _, c := range []struct{ sample, old, changed, want string }{
		{"invoice", ">380<", ">389<", ""},
		{"invoice", ">380<", ">527<", ""},
		{"invoice", ">380<", ">380<", "PEPPOL-EN16931-P0100"},
		{"credit-note", ">381<", ">261<", ""},
		{"credit-note", ">381<", ">381<", "PEPPOL-EN16931-P0101"},
		{"credit-note", ">" + selfBillingProcess + "<", ">" + peppolProcess + "<", "PEPPOL-EN16931-R007"},
		{"credit-note", ">" + selfBillingProcess + "<", ">" + processesWithResponse + "<", ""},
		{"credit-note", ">" + selfBillingGuideline + "<", ">" + peppolGuideline + "<", "PEPPOL-EN16931-P0101 PEPPOL-EN16931-R004"},
	} {
		var broken []string
		for _, v := range Check(ublSample(t, c.sample, append(terms, c.old, c.changed)...), set).Violations {
			broken = append(broken, v.Rule)
		}
		if got := strings.Join(unique(broken), " "); got != c.want {
			t.Errorf("%s with %s breaks %q, want %q", c.sample, c.changed, got, c.want)
		}
	}
}

// Each check accepts a valid number, and refuses variants of it.
func TestCheckDigits(t *testing.T) {
	for _, c := range []struct {
		name   string
		holds  func(string) bool
		number string
		others []string
	}{
		{"GS1", hasCheckDigit, "4000001000005", []string{"", "4000001000006", "400000100000x"}},
		{"Norway", isNorwegianNumber, "974760673", []string{"974760672", "97476067", "9747606730", "000000000", "97476067x"}},
		{"Belgium", isBelgianNumber, "0123456749", []string{"0123456748", "123456749", "00123456749", "012345674x"}},
		{"Sweden", isSwedishNumber, "5560160680", []string{"5560160681", "556016068", "55601606800", "556016-0680"}},
		{"Australia", isABN, "51824753556", []string{"51824753557", "5182475355", "518247535560", "5182475355x"}},
		{"Greece", isGreekTIN, "094019245", []string{"094019246", "09401924", "09401924x"}},
		{"Italy", isItalianVAT, "IT12345670017", []string{"IT12345670018", "IT1234567001", "it1234567001x"}},
		{"Italian tax", isItalianTaxCode, "RSSMRA80A01H501U", []string{"RSSMRA80A01H501", "1SSMRA80A01H501U", "RSSMRA8xA01H501U", "1234567890", "1234567890x"}},
		{"Italian office", isIPACode, "aB1234", []string{"aB123", "aB12345", "aB12-4"}},
	} {
		if !c.holds(c.number) {
			t.Errorf("%s: %s is refused", c.name, c.number)
		}
		for _, text := range c.others {
			if c.holds(text) {
				t.Errorf("%s: %q is accepted", c.name, text)
			}
		}
	}
}
