//go:build integration

package rules

import (
	"strings"
	"testing"

	"platen.dev/einvoice"
)

// edited are samples with several changes, which are mutated in turn: invoices that national rules ask more of than the samples give them.
// Each pair is a text of the sample and what replaces it, everywhere.
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
	{"French down payment", "en16931", append([]string{">380<", ">386<", ">B1<", ">B4<"}, frenchEdits...)},
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
	// sellersEdits make of the second line a part of the first, which is the group of a seller.
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
	// groupEdits make a group of the first line, and another in it, of the second.
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

// editedBases are the samples after their edits.
func editedBases(t *testing.T, samples map[string]string) (all []mutant) {
	for _, e := range edited {
		document := samples[e.profile]
		for n := 0; n < len(e.pairs); n += 2 {
			document = strings.ReplaceAll(document, e.pairs[n], e.pairs[n+1])
		}
		if _, err := einvoice.ParseSchemaOnly([]byte(document), e.profile); err != nil {
			t.Errorf("%s: %v", e.name, err)
		}
		all = append(all, mutant{e.profile, e.name + ": ", document, true})
	}
	return all
}
