//go:build integration

package rules

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen.dev/einvoice"
)

// edited lists samples with several changes, which are then mutated: invoices that have more of the content that national rules require.
// Each pair is a text of the sample and its replacement, everywhere.
var edited = []struct {
	name, profile string
	pairs         []string
}{
	{"XRechnung", "en16931", xrechnungEdits},
	{"XRechnung by card", "en16931", append([]string{
		">58<", ">48<",
		"<ram:PayeePartyCreditorFinancialAccount>\n          <ram:IBANID>DE02120300000000202051</ram:IBANID>\n          <ram:AccountName>Lumen GmbH</ram:AccountName>\n        </ram:PayeePartyCreditorFinancialAccount>",
		"<ram:ApplicableTradeSettlementFinancialCard>\n          <ram:ID>1234</ram:ID>\n        </ram:ApplicableTradeSettlementFinancialCard>",
	}, xrechnungEdits...)},
	{"XRechnung by direct debit", "en16931", append([]string{
		">58<", ">59<",
		"<ram:PayeePartyCreditorFinancialAccount>\n          <ram:IBANID>DE02120300000000202051</ram:IBANID>\n          <ram:AccountName>Lumen GmbH</ram:AccountName>\n        </ram:PayeePartyCreditorFinancialAccount>",
		"<ram:PayerPartyDebtorFinancialAccount>\n          <ram:IBANID>DE02120300000000202051</ram:IBANID>\n        </ram:PayerPartyDebtorFinancialAccount>",
	}, xrechnungEdits[:len(xrechnungEdits)-4]...)},
	{"XRechnung extension", "extended", append([]string{"0088", "XR01", `"0160"`, `"XR02"`}, extensionEdits...)},
	{"XRechnung of vehicles", "en16931", append([]string{
		`listID="TST">39111600`, `listID="CVD">M1`, "<ram:Description>Colour<", "<ram:Description>cva<", "<ram:Value>amber<", "<ram:Value>clean<",
		"<ram:SpecifiedProcuringProject>", tender,
	}, vehicleEdits...)},
	{"French", "en16931", frenchEdits},
	{"French credit note", "en16931", append([]string{">380<", ">381<"}, frenchEdits...)},
	{"French correction", "en16931", append([]string{">380<", ">384<"}, frenchEdits...)},
	{"French self-billed", "en16931", append([]string{">380<", ">389<"}, frenchEdits...)},
	{"French period", "en16931", append([]string{">380<", ">262<"}, frenchEdits...)},
	{"French down payment", "en16931", append([]string{">380<", ">386<", ">A1<", ">B4<"}, frenchEdits...)},
	{"French paid", "en16931", append([]string{">97.50<", ">297.50<", "DuePayableAmount>200.00<", "DuePayableAmount>0.00<", ">A1<", ">B2<"}, frenchEdits...)},
	{"French in dollars", "en16931", append([]string{
		"<ram:InvoiceCurrencyCode>EUR<", "<ram:TaxCurrencyCode>EUR</ram:TaxCurrencyCode>\n      <ram:InvoiceCurrencyCode>USD<", `<ram:TaxTotalAmount currencyID="EUR">47.50</ram:TaxTotalAmount>`,
		"<ram:TaxTotalAmount currencyID=\"USD\">47.50</ram:TaxTotalAmount>\n        <ram:TaxTotalAmount currencyID=\"EUR\">40.00</ram:TaxTotalAmount>",
	}, frenchEdits...)},
	{"French VAT group", "en16931", append([]string{
		`"0088">4000001000005`, `"0231">1`, ">AAI<", ">TXD<", "Thank you for\nyour order.", "MEMBRE_ASSUJETTI_UNIQUE", "<ram:SellerOrderReferencedDocument>",
		"<ram:SellerTaxRepresentativeTradeParty>\n        <ram:Name>X</ram:Name>\n        <ram:PostalTradeAddress>\n          <ram:CountryID>FR</ram:CountryID>\n        </ram:PostalTradeAddress>\n" +
			"        <ram:SpecifiedTaxRegistration>\n          <ram:ID schemeID=\"VA\">FR1</ram:ID>\n        </ram:SpecifiedTaxRegistration>\n      </ram:SellerTaxRepresentativeTradeParty>\n      <ram:SellerOrderReferencedDocument>",
	}, frenchEdits...)},
	{"French sellers", "extended", append(sellersEdits, frenchEdits...)},
	{"groups", "extended", groupEdits},
}

const tender = "<ram:AdditionalReferencedDocument>\n        <ram:IssuerAssignedID>T-1</ram:IssuerAssignedID>\n        <ram:TypeCode>50</ram:TypeCode>\n      </ram:AdditionalReferencedDocument>\n      <ram:SpecifiedProcuringProject>"

const buyerEndpoint = "<ram:CountryID>FR</ram:CountryID>\n        </ram:PostalTradeAddress>"

var (
	xrechnungEdits = []string{
		">urn:cen.eu:en16931:2017<", ">" + xrechnungGuideline + "<",
		"          <ram:DepartmentName>Accounts</ram:DepartmentName>\n", "",
		buyerEndpoint, buyerEndpoint + "\n        <ram:URIUniversalCommunication>\n          <ram:URIID schemeID=\"EM\">a@b.example</ram:URIID>\n        </ram:URIUniversalCommunication>",
		"<ram:ChargeAmount>50.00<", "<ram:ChargeAmount>100.00<",
		"30 days net", "30 days net\n#SKONTO#TAGE=14#PROZENT=2.25#BASISBETRAG=-357.93#\n",
		"      <ram:CreditorReferenceID>DE98ZZZ09999999999</ram:CreditorReferenceID>\n", "",
		"        <ram:DirectDebitMandateID>M-12</ram:DirectDebitMandateID>\n", "",
	}
	extensionEdits = append([]string{">urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended<", ">" + extensionGuideline + "<"}, xrechnungEdits[2:]...)
	vehicleEdits   = append([]string{">urn:cen.eu:en16931:2017<", ">" + vehiclesGuideline + "<"}, xrechnungEdits[2:]...)
	frenchEdits    = []string{
		">A1<", ">B1<", `"0002">HRB 90210`, `"0002">123456782`, `"EM">invoices@lumen.example`, `"0225">123456782_1`,
		`"0088">4000001000005`, `"0009">12345678200010`, ">19.00<", ">20.00<",
		"  </rsm:ExchangedDocument>", note("PMT", "40 EUR") + note("PMD", "10 %") + note("AAB", "none") + note("BAR", "B2B") + "  </rsm:ExchangedDocument>",
		buyerEndpoint, buyerEndpoint + "\n        <ram:URIUniversalCommunication>\n          <ram:URIID schemeID=\"0225\">987654324</ram:URIID>\n        </ram:URIUniversalCommunication>",
		"<ram:Name>Atelier Océan SARL</ram:Name>", "<ram:GlobalID schemeID=\"0224\">A-1</ram:GlobalID>\n        <ram:Name>Atelier Océan SARL</ram:Name>\n" +
			"        <ram:SpecifiedLegalOrganization>\n          <ram:ID schemeID=\"0002\">987654324</ram:ID>\n        </ram:SpecifiedLegalOrganization>",
		"<ram:Name>Time sheet</ram:Name>", "<ram:Name>LISIBLE</ram:Name>",
		"R-2026-0007</ram:IssuerAssignedID>", "R-2026-0007</ram:IssuerAssignedID>\n        <ram:FormattedIssueDateTime>\n          <qdt:DateTimeString format=\"102\">20260101</qdt:DateTimeString>\n        </ram:FormattedIssueDateTime>",
		"<ram:SpecifiedProcuringProject>", reference("AFL", "F-1") + reference("AVV", "V-1") + "<ram:SpecifiedProcuringProject>",
	}
	// sellersEdits turn the first line into a seller's group, and the second into a part of it.
	sellersEdits = []string{
		">A1<", ">S8<", "<ram:LineID>1</ram:LineID>", "<ram:LineID>1</ram:LineID>\n        <ram:LineStatusReasonCode>GROUP</ram:LineStatusReasonCode>",
		"      </ram:SpecifiedLineTradeAgreement>", "        <ram:ItemSellerTradeParty>\n          <ram:Name>X</ram:Name>\n          <ram:SpecifiedLegalOrganization>\n            <ram:ID schemeID=\"0002\">123456782</ram:ID>\n          </ram:SpecifiedLegalOrganization>\n" +
			"          <ram:PostalTradeAddress>\n            <ram:CountryID>FR</ram:CountryID>\n          </ram:PostalTradeAddress>\n        </ram:ItemSellerTradeParty>\n      </ram:SpecifiedLineTradeAgreement>",
		"        </ram:SpecifiedTradeSettlementLineMonetarySummation>", "          <ram:TaxTotalAmount currencyID=\"EUR\">47.50</ram:TaxTotalAmount>\n          <ram:GrandTotalAmount>102.50</ram:GrandTotalAmount>\n        </ram:SpecifiedTradeSettlementLineMonetarySummation>\n" +
			reference("AFL", "R-2026-0042") + reference("AVV", "B1"),
		"<ram:LineTotalAmount>205.00<", "<ram:LineTotalAmount>55.00<",
		"<ram:CalculatedAmount>47.50</ram:CalculatedAmount>\n        <ram:TypeCode>VAT</ram:TypeCode>", "<ram:CalculatedAmount>47.50</ram:CalculatedAmount>\n        <ram:TypeCode>VAT</ram:TypeCode>\n        <ram:ExemptionReason>#R-2026-0042# x</ram:ExemptionReason>",
		"<ram:TypeCode>VAT</ram:TypeCode>\n          <ram:CategoryCode>S</ram:CategoryCode>\n          <ram:RateApplicablePercent>19.00</ram:RateApplicablePercent>\n        </ram:ApplicableTradeTax>\n        <ram:Billing",
		"<ram:TypeCode>VAT</ram:TypeCode>\n          <ram:ExemptionReason>#R-2026-0042# x</ram:ExemptionReason>\n          <ram:CategoryCode>S</ram:CategoryCode>\n          <ram:RateApplicablePercent>19.00</ram:RateApplicablePercent>\n        </ram:ApplicableTradeTax>\n        <ram:Billing",
	}
	// groupEdits turn the first line into a group, and the second into a group within it.
	groupEdits = []string{
		"<ram:LineID>1</ram:LineID>", "<ram:LineID>1</ram:LineID>\n        <ram:LineStatusReasonCode>GROUP</ram:LineStatusReasonCode>",
		"DETAIL", "GROUP", "<ram:LineTotalAmount>205.00<", "<ram:LineTotalAmount>55.00<",
		`format="102">20260301`, `format="205">202603011200`,
	}
)

func note(subject, text string) string {
	return "    <ram:IncludedNote>\n      <ram:Content>" + text + "</ram:Content>\n      <ram:SubjectCode>" + subject + "</ram:SubjectCode>\n    </ram:IncludedNote>\n"
}

func reference(kind, number string) string {
	return "      <ram:AdditionalReferencedDocument>\n        <ram:IssuerAssignedID>" + number + "</ram:IssuerAssignedID>\n        <ram:TypeCode>130</ram:TypeCode>\n        <ram:ReferenceTypeCode>" + kind + "</ram:ReferenceTypeCode>\n      </ram:AdditionalReferencedDocument>\n"
}

// editedBases returns the samples after their edits.
func editedBases(t *testing.T, samples map[string]string) (all []mutant) {
	for _, e := range edited {
		document := samples[e.profile]
		for n := 0; n < len(e.pairs); n += 2 {
			document = strings.ReplaceAll(document, e.pairs[n], e.pairs[n+1])
		}
		if _, err := einvoice.ParseSchemaOnly([]byte(document), e.profile); err != nil {
			t.Errorf("%s: %v", e.name, err)
		}
		all = append(all, mutant{profile: e.profile, change: e.name + ": ", document: document, large: true})
	}
	for _, s := range single {
		document := samples[s.of]
		at := slices.IndexFunc(all, func(m mutant) bool { return m.change == s.of+": " })
		profile := s.of
		if at >= 0 {
			document, profile = all[at].document, all[at].profile
		} else if full, is := strings.CutPrefix(s.of, "full "); is {
			document, profile = fullFor(full), full
		}
		change := s.set + " of " + s.of + ": " + strings.Join(s.pairs, " => ")
		all = append(all, mutant{
			profile: profile, change: change, document: replacedAll(t, s.of, document, s.pairs), large: true, alone: true, origins: almost(document, s.pairs),
		})
	}
	return all
}

// fullFor returns an invoice with everything, in which parties have identifiers and addresses of French schemes.
func fullFor(profile string) string {
	document := regexp.MustCompile(`(<ram:URIID schemeID=")[^"]*`).ReplaceAllString(full(profile, ""), "${1}0225")
	return regexp.MustCompile(`(<ram:GlobalID schemeID=")[^"]*`).ReplaceAllString(document, "${1}0009")
}

// single lists changes that break a rule that no other change breaks, or just keep it. Each pair is an expression and its replacement. The set
// is the one that they are for, or "all".
var single = []struct {
	set, of string
	pairs   []string
}{
	{"XRechnung", "XRechnung", []string{` *<ram:SpecifiedTaxRegistration>.*?</ram:SpecifiedTaxRegistration>\n`, ""}},
	{"XRechnung", "XRechnung", []string{">380<", ">384<"}},
	{"XRechnung", "XRechnung", []string{`(<ram:AdditionalReferencedDocument>\s*<ram:IssuerAssignedID>TIMES-2</ram:IssuerAssignedID>\n)`, "$1        <ram:URIID>lumen.example</ram:URIID>\n"}},
	{"French", "French", []string{">LISIBLE<", ">x<"}},
	{"French", "full extended", []string{
		`(<ram:GlobalID [^>]*>)[^<]*`, "${1}12345678200010", `(<ram:SpecifiedLegalOrganization>\s*<ram:ID schemeID=")[^"]*">[^<]*`, `${1}0002">123456782`,
	}},
	{"French", "full extended", []string{`(<ram:ApplicableProductCharacteristic>\s*<ram:TypeCode>)[^<]*`, "${1} "}},
	{"French", "full extended", []string{`(<ram:ApplicableProductCharacteristic>.*?<ram:Description>)[^<]*`, "${1} "}},
	{"French", "full extended", []string{`(<ram:ApplicableProductCharacteristic>.*?<ram:Value>)[^<]*`, "${1} "}},
	{"XRechnung", "XRechnung", []string{">380<", ">384<", ` *<ram:InvoiceReferencedDocument>.*?</ram:InvoiceReferencedDocument>\n`, ""}},
	{"XRechnung", "XRechnung", []string{` *<ram:BillingSpecifiedPeriod>.*?</ram:BillingSpecifiedPeriod>\n`, ""}},
	{"XRechnung", "XRechnung", []string{` *<ram:BillingSpecifiedPeriod>.*?</ram:BillingSpecifiedPeriod>\n`, "", ` *<ram:ActualDeliverySupplyChainEvent>.*?</ram:ActualDeliverySupplyChainEvent>\n`, ""}},
	{"XRechnung", "XRechnung", []string{"PROZENT=2.25", "PROZENT=2"}},
	{"XRechnung", "XRechnung", []string{"357.93#\n", "357.93#"}},
	{"XRechnung", "XRechnung", []string{"#BASISBETRAG=-357.93", ""}},
	{"XRechnung", "XRechnung", []string{"#SKONTO", "SKONTO"}},
	{"XRechnung", "XRechnung", []string{"<ram:InvoiceCurrencyCode>", "<ram:TaxCurrencyCode>EUR</ram:TaxCurrencyCode>\n      <ram:InvoiceCurrencyCode>"}},
	{"XRechnung", "XRechnung by card", []string{"<ram:PayeeSpecified", "<ram:PayeePartyCreditorFinancialAccount>\n          <ram:IBANID>DE1</ram:IBANID>\n        </ram:PayeePartyCreditorFinancialAccount>\n        <ram:PayeeSpecified"}},
	{"XRechnung", "XRechnung by direct debit", []string{"<ram:PayeeSpecified", "<ram:PayeePartyCreditorFinancialAccount>\n          <ram:IBANID>DE1</ram:IBANID>\n        </ram:PayeePartyCreditorFinancialAccount>\n        <ram:PayeeSpecified"}},
	{"XRechnung", "XRechnung by direct debit", []string{
		` *<ram:PayerPartyDebtorFinancialAccount>.*?</ram:PayerPartyDebtorFinancialAccount>\n`, "", ` *<ram:CreditorReferenceID>[^<]*<[^<]*\n`, "", ` *<ram:DirectDebitMandateID>[^<]*<[^<]*\n`, "",
	}},
	{"XRechnung", "XRechnung extension", []string{`schemeID="[^"]*"`, `schemeID="XX"`}},
	{"XRechnung", "XRechnung extension", []string{`mimeCode="`, `mimeCode=" `}},
	{"XRechnung", "XRechnung extension", []string{`<ram:Name>Atelier Océan, dépôt`, "<ram:GlobalID schemeID=\"XX\">1</ram:GlobalID>\n        <ram:Name>Atelier"}},
	{"XRechnung", "XRechnung of vehicles", []string{`listID="CVD"`, `listID="TST"`}},
	{"XRechnung", "XRechnung of vehicles", []string{`listID="CVD"`, `listID="XX"`}},
	{"French", "French", []string{`(<ram:CategoryCode>S</ram:CategoryCode>\n)(        <ram:RateApplicablePercent>20.00<[^\n]*\n      </ram:ApplicableTradeTax>)`, "${1}        <ram:TaxPointDate>\n          <udt:DateString format=\"102\">20260230</udt:DateString>\n        </ram:TaxPointDate>\n${2}"}},
	{"French", "French", []string{">S<", ">L<"}},
	{"French", "French", []string{"123456782_1", "123456782_" + strings.Repeat("1", 115)}},
	{"French", "French", []string{"123456782_1", "123456782_" + strings.Repeat("1", 116)}},
	{"French", "French", []string{`>987654324</ram:URIID>`, ">987654324" + strings.Repeat("1", 117) + "</ram:URIID>"}},
	{"French", "French", []string{`"0224">A-1`, `"0224">` + strings.Repeat("1", 100)}},
	{"French", "French", []string{`"0224">A-1`, `"0224">` + strings.Repeat("1", 101)}},
	{"French", "French", []string{`"0224">A-1`, `"0009">98765432400010`}},
	{"French", "French", []string{`"0224">A-1`, `"0009">98765432500010`}},
	{"French", "French", []string{`"0009">12345678200010`, `"0224">a b`}},
	{"French", "French", []string{`"0009">12345678200010`, `"0224">` + strings.Repeat("1", 101)}},
	{"French", "French down payment", []string{">B4<", ">B1<"}},
	{"French", "French sellers", []string{"<ram:InvoiceCurrencyCode>", "<ram:TaxCurrencyCode>USD</ram:TaxCurrencyCode>\n      <ram:InvoiceCurrencyCode>"}},
	{"French", "full extended", []string{`(<ram:URIID [^>]*>)[^<]*`, "${1}a b"}},
	{"French", "full extended", []string{`(<ram:URIID [^>]*>)[^<]*`, "${1}" + strings.Repeat("1", 125)}},
	{"French", "full extended", []string{`(<ram:URIID [^>]*>)[^<]*`, "${1}" + strings.Repeat("1", 126)}},
	{"French", "full extended", []string{`(<ram:GlobalID [^>]*>)[^<]*`, "${1}12345678200010"}},
	{"French", "full extended", []string{`(<ram:GlobalID [^>]*>)[^<]*`, "${1}1234567820001"}},
	{"French", "full extended", []string{`<ram:Value>[^<]*</ram:Value>`, `<ram:ValueMeasure unitCode="">1</ram:ValueMeasure>`}},
	{"all", "basic", []string{` *<ram:IncludedSupplyChainTradeLineItem>.*</ram:IncludedSupplyChainTradeLineItem>\n`, ""}},
	{"all", "en16931", []string{` *<ram:SpecifiedTaxRegistration>.*?</ram:SpecifiedTaxRegistration>\n`, "", ` *<ram:ID>4711</ram:ID>\n`, "", ` *<ram:GlobalID schemeID="0088">[^<]*<[^\n]*\n`, "", ` *<ram:SpecifiedLegalOrganization>.*?</ram:SpecifiedLegalOrganization>\n`, ""}},
	{"all", "en16931", []string{`<ram:PayeePartyCreditorFinancialAccount>`, "<ram:ApplicableTradeSettlementFinancialCard>\n          <ram:ID>1234567890</ram:ID>\n        </ram:ApplicableTradeSettlementFinancialCard>\n        <ram:PayeePartyCreditorFinancialAccount>"}},
	{"all", "en16931", []string{`<ram:PayeePartyCreditorFinancialAccount>`, "<ram:ApplicableTradeSettlementFinancialCard>\n          <ram:ID>12345678901</ram:ID>\n        </ram:ApplicableTradeSettlementFinancialCard>\n        <ram:PayeePartyCreditorFinancialAccount>"}},
	{"all", "en16931", []string{`(<ram:SpecifiedTradeSettlementPaymentMeans>\n        <ram:TypeCode>58.*?</ram:SpecifiedTradeSettlementPaymentMeans>\n)`, "${1}      <ram:SpecifiedTradeSettlementPaymentMeans>\n        <ram:TypeCode>1</ram:TypeCode>\n        <ram:Information>x</ram:Information>\n      </ram:SpecifiedTradeSettlementPaymentMeans>\n"}},
	{"all", "basic", []string{`<udt:DateTimeString format="102">20260228<`, `<udt:DateTimeString format="102">20260201<`}},
	{"all", "basic", []string{`<udt:DateTimeString format="102">20260228<`, `<udt:DateTimeString format="102">20260131<`}},
	{"all", "basic", []string{` *<ram:(Start|End)DateTime>.*?</ram:(Start|End)DateTime>\n`, ""}},
	{"all", "extended", []string{`<ram:Content>`, "<ram:ContentCode>X</ram:ContentCode>\n      <ram:Content>"}},
	{"all", "extended", []string{` *<ram:Content>[^<]*</ram:Content>\n`, ""}},
	{"all", "extended", []string{` *<ram:Content>[^<]*</ram:Content>\n`, "", "(Delivered|<ram:IncludedNote>\n *)</ram:IncludedNote>", "${1}<ram:SubjectCode>AAI</ram:SubjectCode></ram:IncludedNote>"}},
	{"XRechnung", "XRechnung", []string{`<ram:PayeePartyCreditorFinancialAccount>`, "<ram:ApplicableTradeSettlementFinancialCard>\n          <ram:ID>1234</ram:ID>\n        </ram:ApplicableTradeSettlementFinancialCard>\n        <ram:PayeePartyCreditorFinancialAccount>"}},
	{"French", "French sellers", []string{` *<ram:ParentLineID>1</ram:ParentLineID>\n`, "", "DETAIL", "GROUP"}},
	{"French", "full extended", []string{`(<ram:InvoiceReferencedDocument>\s*<ram:IssuerAssignedID>)[^<]*`, "${1}" + strings.Repeat("1", 36)}},
	{"French", "full extended", []string{`(<ram:InvoiceReferencedDocument>\s*<ram:IssuerAssignedID>)[^<]*`, "${1}" + strings.Repeat("1", 35)}},
	{"French", "full extended", []string{`(<ram:ApplicableProductCharacteristic>\n)[^\n]*\n[^\n]*\n`, "${1}"}},
	{"all", "full en16931", []string{`\n *<ram:Reason(Code)?>[^<]*</ram:Reason(Code)?>`, ""}},
	{"all", "full extended", []string{`\n *<ram:Reason(Code)?>[^<]*</ram:Reason(Code)?>`, ""}},
	{"all", "full en16931", []string{">E<", ">K<", ` *<ram:ActualDeliverySupplyChainEvent>.*?</ram:ActualDeliverySupplyChainEvent>\n`, "", ` *<ram:BillingSpecifiedPeriod>.*?</ram:BillingSpecifiedPeriod>\n`, ""}},
	{"all", "full en16931", []string{"(.*)CategoryCode>E<", "${1}CategoryCode>S<", ">E<", ">B<"}},
	{"all", "full en16931", []string{`(<ram:PersonName>[^<]*</ram:PersonName>\n)`, "${1}<ram:DepartmentName>x</ram:DepartmentName>\n"}},
	{"all", "full en16931", []string{`(<ram:DueDateTypeCode>)`, "<ram:TaxPointDate><udt:DateString format=\"102\">20260101</udt:DateString></ram:TaxPointDate>\n${1}"}},
	{"all", "full en16931", []string{`schemeID="FC"`, `schemeID="VA"`}},
	{"all", "full en16931", []string{`schemeID="VA"`, `schemeID="FC"`}},
	{"all", "full basicwl", []string{"EUR", "EUX", "USD", "USX"}},
	{"all", "full basic", []string{"EUR", "EUX", "USD", "USX"}},
	{"all", "full en16931", []string{"EUR", "EUX", "USD", "USX"}},
	{"all", "full extended", []string{"EUR", "EUX", "USD", "USX"}},
	{"all", "full minimum", []string{"EUR", "EUX"}},
	{"all", "full basicwl", []string{`currencyID="EUR"`, `currencyID="USD"`}},
	{"all", "full extended", []string{`<ram:ReasonCode>[^<]*`, `<ram:ReasonCode listID="5153">X`}},
	{"all", "full extended", []string{
		`(<ram:AppliedTradeAllowanceCharge>\s*<ram:ChargeIndicator>\s*<udt:Indicator>)false`, "${1}true", `(<ram:AppliedTradeAllowanceCharge>.*?)<ram:ReasonCode>[^<]*`, `${1}<ram:ReasonCode listID="5153">X`,
	}},
	{"all", "full extended", []string{`<ram:Value>[^<]*</ram:Value>`, `<ram:ValueMeasure unitCode="C62">1</ram:ValueMeasure>`}},
	{"all", "full extended", []string{` *<ram:SequenceNumeric>[^\n]*\n`, ""}},
	{"all", "full extended", []string{` *<ram:BasisQuantity[^\n]*\n`, ""}},
	{"all", "full extended", []string{`(<ram:ItemSellerTradeParty>.*?schemeID=")FC`, "${1}VA"}},
	{"all", "full extended", []string{`(<ram:ItemSellerTradeParty>.*?schemeID=")VA`, "${1}FC"}},
	{"all", "full extended", []string{`(<ram:SpecifiedTradeSettlementLineMonetarySummation>.*?currencyID=")USD`, "${1}EUR"}},
	{"all", "full extended", []string{`(<ram:SpecifiedTradeSettlementLineMonetarySummation>.*?currencyID=")EUR`, "${1}USD"}},
	{"all", "full extended", []string{`(<ram:DueDateTypeCode>)`, "<ram:TaxPointDate><udt:DateString format=\"101\">20260101</udt:DateString></ram:TaxPointDate>\n${1}"}},
	{"all", "full en16931", []string{`(<ram:DueDateTypeCode>)`, "<ram:TaxPointDate><udt:DateString format=\"101\">20260101</udt:DateString></ram:TaxPointDate>\n${1}"}},
	{"all", "full en16931", []string{
		`<ram:DueDateTypeCode>`, "<ram:TaxPointDate><udt:DateString format=\"102\">20260101</udt:DateString></ram:TaxPointDate>\n$0",
		`( *<ram:ApplicableTradeTax>\s*<ram:CalculatedAmount>.*?</ram:ApplicableTradeTax>\n)`, "$1$1",
	}},
	{"all", "full en16931", []string{` *<ram:ReasonCode>[^\n]*\n`, "", ` *<ram:Reason>[^\n]*\n`, ""}},
	{"all", "full basicwl", []string{` *<ram:ReasonCode>[^\n]*\n`, "", ` *<ram:Reason>[^\n]*\n`, ""}},
	{"all", "full extended", []string{` *<ram:ReasonCode>[^\n]*\n`, "", ` *<ram:Reason>[^\n]*\n`, ""}},
	{"all", "full en16931", []string{` *<ram:StartDateTime>.*?</ram:StartDateTime>\n`, "", ` *<ram:EndDateTime>.*?</ram:EndDateTime>\n`, ""}},
	{"all", "full extended", []string{` *<ram:StartDateTime>.*?</ram:StartDateTime>\n`, "", ` *<ram:EndDateTime>.*?</ram:EndDateTime>\n`, ""}},
	{"all", "groups", []string{`(<ram:ParentLineID>1</ram:ParentLineID>\s*<ram:LineStatusReasonCode>)GROUP`, "${1}DETAIL"}},
	{"all", "groups", []string{"202603011200", "202603012400"}},
	{"all", "groups", []string{"202603011200", "202603012359"}},
	{"all", "groups", []string{`( *<ram:LineTotalAmount>55.00</ram:LineTotalAmount>\n)(.*)( *<ram:LineTotalAmount>55.00</ram:LineTotalAmount>\n)`, "${1}${2}"}},
}
