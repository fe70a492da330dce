package rules

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"platen.dev/einvoice"
	"platen.dev/einvoice/model"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
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

// ublCrowds are what UBL invoices have much of, as ciiCrowds are of CII invoices.
var ublCrowds = map[string][]string{
	"lines": {
		"  <cac:InvoiceLine>", `<cac:InvoiceLine><cbc:ID>L%d</cbc:ID><cbc:InvoicedQuantity unitCode="C62">1</cbc:InvoicedQuantity><cbc:LineExtensionAmount currencyID="EUR">%d</cbc:LineExtensionAmount>` +
			`<cac:OrderLineReference><cbc:LineID>%d</cbc:LineID></cac:OrderLineReference><cac:Item><cbc:Name>N%d</cbc:Name><cac:ClassifiedTaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>%d</cbc:Percent>` +
			`<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:ClassifiedTaxCategory></cac:Item><cac:Price><cbc:PriceAmount currencyID="EUR">%d</cbc:PriceAmount></cac:Price></cac:InvoiceLine>`,
		"    <cac:TaxSubtotal>", `<cac:TaxSubtotal><cbc:TaxableAmount currencyID="EUR">1</cbc:TaxableAmount><cbc:TaxAmount currencyID="EUR">%d</cbc:TaxAmount><cac:TaxCategory><cbc:ID>S</cbc:ID>` +
			`<cbc:Percent>%d</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory></cac:TaxSubtotal>`,
	},
	"lines of lines": {"  </cac:InvoiceLine>", `<cac:SubInvoiceLine><cbc:ID>P%d</cbc:ID><cbc:LineExtensionAmount currencyID="EUR">%d</cbc:LineExtensionAmount><cac:Item/></cac:SubInvoiceLine>`},
	"documents": {
		"  <cac:AdditionalDocumentReference>", `<cac:AdditionalDocumentReference><cbc:ID>D%d</cbc:ID><cbc:DocumentDescription>EINDAGI</cbc:DocumentDescription></cac:AdditionalDocumentReference>`,
	},
	"payments": {
		"  <cac:PaymentMeans>", `<cac:PaymentMeans><cbc:PaymentMeansCode>42</cbc:PaymentMeansCode><cbc:PaymentID>R%d</cbc:PaymentID></cac:PaymentMeans>`,
		"  <cac:PaymentTerms>", `<cac:PaymentTerms><cbc:Note>T%d</cbc:Note></cac:PaymentTerms>`,
		"  <cac:AllowanceCharge>", `<cac:PrepaidPayment><cbc:PaidAmount currencyID="EUR">%d</cbc:PaidAmount></cac:PrepaidPayment>`,
	},
	"adjustments": {
		"  <cac:AllowanceCharge>", `<cac:AllowanceCharge><cbc:ChargeIndicator>true</cbc:ChargeIndicator><cbc:Amount currencyID="EUR">%d</cbc:Amount></cac:AllowanceCharge>`,
		"    <cac:TaxSubtotal>", `<cac:TaxSubtotal><cbc:TaxAmount currencyID="EUR">%d</cbc:TaxAmount><cac:TaxCategory><cac:TaxScheme/></cac:TaxCategory></cac:TaxSubtotal>`,
	},
	"parties": {
		"      <cac:PartyIdentification>", `<cac:PartyIdentification><cbc:ID schemeID="S%d">I%d</cbc:ID></cac:PartyIdentification>`,
		"      <cac:PartyName>", `<cac:PartyName><cbc:Name>P%d</cbc:Name></cac:PartyName>`,
		"      <cac:PartyTaxScheme>", `<cac:PartyTaxScheme><cbc:CompanyID>DE%d</cbc:CompanyID><cac:TaxScheme><cbc:ID>T%d</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>`,
	},
}

// On a UBL invoice four times as large, no rule takes much more than four times as long.
func TestRulesAreLinear(t *testing.T) {
	sample := string(replaced(t, "../sample/ubl-invoice.xml", nil))
	parse := func(text string, edits []string) *model.Invoice {
		for k := 0; k < len(edits); k += 2 {
			text = strings.ReplaceAll(text, edits[k], edits[k+1])
		}
		invoice, err := einvoice.ParseUBL([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return model.Of(invoice)
	}
	for name, parts := range ublCrowds {
		few, many := crowded(t, sample, parts, 4), crowded(t, sample, parts, 1)
		for country, edits := range crowds {
			small, large := parse(few, edits), parse(many, edits)
			for _, s := range Sets() {
				areLinear(t, s.Name+" on "+name, s.UBLRules(), country, small, large)
			}
		}
	}
}

// ciiCrowds are what CII invoices have much of: parts of them, which take the place of %d's by numbers, and where they are put in. All
// have values of their own, and the sample has none to find, so that no search ends early.
var ciiCrowds = map[string][]string{
	"parts of groups":       ciiGroups("", ciiTotals),
	"groups of sellers":     ciiGroups("<ram:ItemSellerTradeParty><ram:SpecifiedLegalOrganization><ram:ID>%d</ram:ID></ram:SpecifiedLegalOrganization></ram:ItemSellerTradeParty>", ""),
	"groups of an invoice":  ciiGroups("", ciiReference),
	"groups with their VAT": append(ciiGroups("", ciiReference)[2:], "\n      <ram:ApplicableTradeTax>", ciiRow),
	"references of a group": {"      </ram:SpecifiedLineTradeSettlement>\n    </ram:IncludedSupplyChainTradeLineItem>\n    <ram:ApplicableHeader", ciiReference},
	"quantities": {
		"    <ram:IncludedSupplyChainTradeLineItem>", "<ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:LineID>%d</ram:LineID></ram:AssociatedDocumentLineDocument>" +
			"<ram:SpecifiedTradeProduct><ram:Name>x</ram:Name></ram:SpecifiedTradeProduct><ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>1</ram:ChargeAmount>" +
			`<ram:BasisQuantity unitCode="C62">1</ram:BasisQuantity></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement><ram:SpecifiedLineTradeSettlement/></ram:IncludedSupplyChainTradeLineItem>`,
	},
	"parts of a line": {
		"        <ram:IncludedNote>", "<ram:IncludedNote><ram:Content>%d</ram:Content></ram:IncludedNote>",
		"        <ram:ApplicableTradeTax>", "<ram:ApplicableTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>O</ram:CategoryCode></ram:ApplicableTradeTax>",
	},
	"parties": {
		"        <ram:GlobalID schemeID=\"0088\">", `<ram:GlobalID schemeID="S%d">%d</ram:GlobalID>`,
		"        <ram:ID>4711</ram:ID>", "<ram:ID>S%d</ram:ID>",
		"        <ram:Name>Lumen Factoring", "<ram:ID>P%d</ram:ID>",
		"        <ram:Name>Lumen Factoring", `<ram:GlobalID schemeID="P%d">%d</ram:GlobalID>`,
	},
	"payments": {
		"      <ram:SpecifiedTradeSettlementPaymentMeans>", ciiMeans("48"),
		"      <ram:SpecifiedTradeSettlementPaymentMeans>", ciiMeans("59"),
		"      <ram:SpecifiedTradePaymentTerms>", "<ram:SpecifiedTradePaymentTerms/>",
	},
	"transfers": {
		"      <ram:SpecifiedTradeSettlementPaymentMeans>", ciiMeans("30"),
		"      <ram:SpecifiedTradePaymentTerms>", "<ram:SpecifiedTradePaymentTerms/>",
	},
	"notes and documents": {
		"    <ram:IncludedNote>", "<ram:IncludedNote><ram:Content>%d</ram:Content><ram:SubjectCode>AAI</ram:SubjectCode></ram:IncludedNote>",
		"      <ram:AdditionalReferencedDocument>", "<ram:AdditionalReferencedDocument><ram:IssuerAssignedID>%d</ram:IssuerAssignedID><ram:TypeCode>916</ram:TypeCode></ram:AdditionalReferencedDocument>",
		"      <ram:InvoiceReferencedDocument>", "<ram:InvoiceReferencedDocument><ram:IssuerAssignedID>R%d</ram:IssuerAssignedID></ram:InvoiceReferencedDocument>",
	},
	"VAT": {
		"\n      <ram:ApplicableTradeTax>", ciiRow,
		"\n      <ram:SpecifiedTradeAllowanceCharge>", ciiAdjustment("false") + ciiAdjustment("true"),
	},
}

const ciiRow = "<ram:ApplicableTradeTax><ram:CalculatedAmount>0</ram:CalculatedAmount><ram:TypeCode>VAT</ram:TypeCode><ram:ExemptionReason>#I%d#</ram:ExemptionReason>" +
	"<ram:BasisAmount>1</ram:BasisAmount><ram:CategoryCode>O</ram:CategoryCode></ram:ApplicableTradeTax>"

const (
	ciiTotals = "<ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>1</ram:LineTotalAmount><ram:GrandTotalAmount>1</ram:GrandTotalAmount>" +
		"</ram:SpecifiedTradeSettlementLineMonetarySummation>"
	ciiReference = "<ram:AdditionalReferencedDocument><ram:IssuerAssignedID>I%d</ram:IssuerAssignedID><ram:TypeCode>130</ram:TypeCode><ram:ReferenceTypeCode>AFL</ram:ReferenceTypeCode>" +
		"</ram:AdditionalReferencedDocument>"
)

// ciiGroups are lines with parts of their agreement and their settlement, and behind them the groups that they are part of.
func ciiGroups(agreement, settlement string) []string {
	line := func(ids string) string {
		return "<ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument>" + ids + "</ram:AssociatedDocumentLineDocument>" +
			"<ram:SpecifiedTradeProduct><ram:Name>x</ram:Name></ram:SpecifiedTradeProduct><ram:SpecifiedLineTradeAgreement>" + agreement + "</ram:SpecifiedLineTradeAgreement><ram:SpecifiedLineTradeSettlement>" + settlement +
			"</ram:SpecifiedLineTradeSettlement></ram:IncludedSupplyChainTradeLineItem>"
	}
	const at = "    <ram:IncludedSupplyChainTradeLineItem>"
	return []string{
		at, line("<ram:LineID>D%d</ram:LineID><ram:ParentLineID>G%d</ram:ParentLineID><ram:LineStatusReasonCode>DETAIL</ram:LineStatusReasonCode>"),
		at, line("<ram:LineID>G%d</ram:LineID><ram:LineStatusReasonCode>GROUP</ram:LineStatusReasonCode>"),
	}
}

func ciiMeans(code string) string {
	return "<ram:SpecifiedTradeSettlementPaymentMeans><ram:TypeCode>" + code + "</ram:TypeCode></ram:SpecifiedTradeSettlementPaymentMeans>"
}

func ciiAdjustment(charge string) string {
	return "<ram:SpecifiedTradeAllowanceCharge><ram:ChargeIndicator><udt:Indicator>" + charge + "</udt:Indicator></ram:ChargeIndicator><ram:ActualAmount>%d</ram:ActualAmount>" +
		"<ram:CategoryTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>O</ram:CategoryCode></ram:CategoryTradeTax></ram:SpecifiedTradeAllowanceCharge>"
}

// ciiVariants make rules apply that begin with a prefix: by the profile, and by replacements of all of one text by another.
var ciiVariants = []struct {
	prefix, profile string
	edits           []string
}{
	{"", "extended", nil},
	{"BR-", "basic", nil}, // those on VAT that profile extended lacks
	{"BR-FR-15", "extended", []string{"<ram:CategoryCode>O</ram:CategoryCode>", ""}},
	{"BR-DEX", "extended", []string{ciiGuideline, extensionGuideline}},
	{"BR-DE-CVD", "extended", []string{ciiGuideline, vehiclesGuideline}},
	{"BR-TMP-CVD", "extended", []string{ciiGuideline, vehiclesGuideline}},
}

const ciiGuideline = "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended"

// crowded returns the text of an invoice with as many parts as the largest invoice has, divided by a number.
func crowded(t *testing.T, text string, parts []string, divisor int) string {
	t.Helper()
	n, size := 0, len(text)
	for ; size < contract.MaxXML*9/10; n++ {
		for k := 1; k < len(parts); k += 2 {
			size += len(parts[k]) + 2*strings.Count(parts[k], "%d")
		}
	}
	for k := 0; k < len(parts); k += 2 {
		var crowd strings.Builder
		for m := range n / divisor {
			crowd.WriteString(strings.ReplaceAll(parts[k+1], "%d", strconv.Itoa(m)))
		}
		if !strings.Contains(text, parts[k]) {
			t.Fatalf("the sample has no %q", parts[k])
		}
		text = strings.Replace(text, parts[k], crowd.String()+parts[k], 1)
	}
	return text
}

// ciiCrowd returns a CII invoice of several sellers, outside VAT and without a mandate, of as many parts as the largest invoice has, divided by a number.
func ciiCrowd(t *testing.T, parts []string, divisor int, edits []string) *einvoice.Invoice {
	t.Helper()
	text := string(replaced(t, "../sample/extended.xml", []string{
		">A1<", ">B8<", "<ram:CreditorReferenceID>DE98ZZZ09999999999</ram:CreditorReferenceID>", "", "<ram:DirectDebitMandateID>M-12</ram:DirectDebitMandateID>", "",
		"<ram:ParentLineID>1</ram:ParentLineID>", "",
		"<ram:LineStatusReasonCode>DETAIL</ram:LineStatusReasonCode>", "<ram:LineStatusReasonCode>GROUP</ram:LineStatusReasonCode>",
	}))
	text = strings.ReplaceAll(text, "<ram:BilledQuantity unitCode=\"C62\">", "<ram:BilledQuantity>")
	for _, code := range []string{"S", "G"} {
		text = strings.ReplaceAll(text, ">"+code+"</ram:CategoryCode>", ">O</ram:CategoryCode>")
	}
	text = crowded(t, text, parts, divisor)
	for k := 0; k < len(edits); k += 2 {
		text = strings.ReplaceAll(text, edits[k], edits[k+1])
	}
	invoice, err := einvoice.ParseSchemaOnly([]byte(text), "extended")
	if err != nil {
		t.Fatal(err)
	}
	return invoice
}

// On a CII invoice four times as large, no rule takes much more than four times as long.
func TestCIIRulesAreLinear(t *testing.T) {
	for name, parts := range ciiCrowds {
		for _, v := range ciiVariants {
			small, large := model.Of(ciiCrowd(t, parts, 4, v.edits)), model.Of(ciiCrowd(t, parts, 1, v.edits))
			small.Profile, large.Profile = v.profile, v.profile
			for _, s := range Sets() {
				areLinear(t, s.Name+" on "+name, s.ciiRules(), v.prefix, small, large)
			}
		}
	}
}

// ciiRules are the set's rules, and one for those without a condition of their own.
func (s *Set) ciiRules() []Rule {
	all := slices.Clone(s.Rules())
	if s.findAll != nil {
		all = append(all, Rule{ID: "all others", find: func(i *model.Invoice, broken func(model.Term, string)) {
			s.findAll(i, func(_ string, at model.Term, found string) { broken(at, found) })
		}})
	}
	return all
}

// areLinear reports those rules with a prefix that are not.
func areLinear(t *testing.T, set string, rules []Rule, prefix string, small, large *model.Invoice) {
	t.Helper()
	for _, r := range rules {
		if !strings.HasPrefix(r.ID, prefix) || r.find == nil {
			continue
		}
		if few, many, is := isLinear(t, r, small, large); !is {
			t.Errorf("%s of %s: %v, and %v on four times as much", r.ID, set, few, many)
		}
	}
}

// isLinear repeats the measurement as long as the rule seems too slow: the machine may have been busy. It does not make a second of some
// milliseconds.
func isLinear(t *testing.T, r Rule, small, large *model.Invoice) (few, many time.Duration, is bool) {
	for range 30 {
		few, many = fastest(t, r, small, 5), fastest(t, r, large, 1)
		if many <= 10*few+time.Millisecond {
			return few, many, true
		}
		if many > time.Second {
			break
		}
	}
	return few, many, false
}

// fastest returns the least of some processor times of a rule: on a busy machine, whatever takes longer than a turn on the processor waits for others.
func fastest(t *testing.T, r Rule, i *model.Invoice, times int) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	least := time.Hour
	for range times {
		start := testkit.ThreadTime(t)
		r.find(i, func(model.Term, string) {})
		least = min(least, testkit.ThreadTime(t)-start)
	}
	return least
}
