package rules

import (
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/einvoice/model"
)

// crowds lists, by country and for the XRechnung extension, the replacements that make its rules apply, in pairs.
var crowds = map[string][]string{
	"":       nil,
	"BR-DEX": {">urn:cen.eu:en16931:2017<", ">" + extensionGuideline + "<"},
	"NO":     {"DE123456789", "NO974760673MVA"},
	"DK":     {">DE<", ">DK<", ">FR<", ">DK<"},
	"IT":     {"DE123456789", "IT12345670017"},
	"SE":     {">DE<", ">SE<", "DE123456789", "SE556016068001", ">FR<", ">SE<"},
	"GR":     {">DE<", ">GR<", "DE123456789", "EL094019245", "FR40303265045", "EL998184801"},
	"IS":     {">DE<", ">IS<", ">FR<", ">IS<"},
	"NL":     {">DE<", ">NL<", ">FR<", ">NL<"},
	"DE":     {">FR<", ">DE<"},
}

// crowded returns an invoice with n copies of everything repeatable.
func crowded(t *testing.T, n int, edits []string) *model.Invoice {
	t.Helper()
	pairs := append(slices.Clone(edits), "  </cac:PaymentTerms>\n", "  </cac:PaymentTerms>\n"+
		strings.Repeat(`<cac:PrepaidPayment><cbc:PaidAmount currencyID="EUR">1</cbc:PaidAmount></cac:PrepaidPayment>`, n))
	for at, part := range map[string]string{
		"  <cac:InvoiceLine>": `<cac:InvoiceLine><cbc:ID>1</cbc:ID><cbc:InvoicedQuantity unitCode="C62">1</cbc:InvoicedQuantity><cbc:LineExtensionAmount currencyID="EUR">1</cbc:LineExtensionAmount>` +
			`<cac:OrderLineReference><cbc:LineID>1</cbc:LineID></cac:OrderLineReference><cac:Item><cbc:Name>x</cbc:Name><cac:ClassifiedTaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>19</cbc:Percent>` +
			`<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:ClassifiedTaxCategory></cac:Item><cac:Price><cbc:PriceAmount currencyID="EUR">1</cbc:PriceAmount></cac:Price></cac:InvoiceLine>`,
		"  </cac:InvoiceLine>":                `<cac:SubInvoiceLine><cbc:ID>1</cbc:ID><cbc:LineExtensionAmount currencyID="EUR">1</cbc:LineExtensionAmount><cac:Item/></cac:SubInvoiceLine>`,
		"  <cac:AdditionalDocumentReference>": `<cac:AdditionalDocumentReference><cbc:ID>1</cbc:ID><cbc:DocumentDescription>EINDAGI</cbc:DocumentDescription></cac:AdditionalDocumentReference>`,
		"  <cac:PaymentMeans>":                `<cac:PaymentMeans><cbc:PaymentMeansCode>42</cbc:PaymentMeansCode></cac:PaymentMeans>`,
		"  <cac:AllowanceCharge>":             `<cac:AllowanceCharge><cbc:ChargeIndicator>true</cbc:ChargeIndicator><cbc:Amount currencyID="EUR">1</cbc:Amount></cac:AllowanceCharge>`,
		"    <cac:TaxSubtotal>":               `<cac:TaxSubtotal><cbc:TaxAmount currencyID="EUR">1</cbc:TaxAmount><cac:TaxCategory><cac:TaxScheme/></cac:TaxCategory></cac:TaxSubtotal>`,
		"      <cac:PartyIdentification>":     `<cac:PartyIdentification><cbc:ID schemeID="0088">1</cbc:ID></cac:PartyIdentification>`,
	} {
		pairs = append(pairs, at, strings.Repeat(part, n)+at)
	}
	return model.Of(ublSample(t, "invoice", pairs...))
}

// On a UBL invoice four times as large, no rule takes much more than four times as long.
func TestRulesAreLinear(t *testing.T) {
	for country, edits := range crowds {
		small, large := crowded(t, 150, edits), crowded(t, 600, edits)
		for _, s := range Sets() {
			for _, r := range s.UBLRules() {
				if !strings.HasPrefix(r.ID, country) {
					continue
				}
				if few, many, is := isLinear(r, small, large); !is {
					t.Errorf("%s of %s: %v, and %v on four times as much", r.ID, s.Name, few, many)
				}
			}
		}
	}
}

// isLinear repeats the measurement as long as the rule seems too slow: the machine may have been busy.
func isLinear(r Rule, small, large *model.Invoice) (few, many time.Duration, is bool) {
	for range 10 {
		few, many = fastest(r, small), fastest(r, large)
		if many <= 10*few+time.Millisecond {
			return few, many, true
		}
	}
	return few, many, false
}

// fastest returns the shortest of several run times of a rule.
func fastest(r Rule, i *model.Invoice) time.Duration {
	least := time.Hour
	for range 5 {
		start := time.Now()
		r.find(i, func(model.Term, string) {})
		least = min(least, time.Since(start))
	}
	return least
}
