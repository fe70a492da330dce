//go:build integration

package rules

import (
	"os"
	"slices"
	"strings"
	"testing"

	"platen.dev/einvoice"
)

// TestOfficialMutantsOfPeppol is TestOfficialMutants for Peppol, whose official rules apply to UBL only.
func TestOfficialMutantsOfPeppol(t *testing.T) {
	compareUBL(t, ublTrials(t, allOfPeppol(t)), 1000, 160, "peppol")
}

func allOfPeppol(t *testing.T) []mutant {
	bases := peppolBases(t)
	return append(bases, singlesOf(t, bases, singlesOfPeppol())...)
}

// TestOfficialMutantsOfSelfBilling is TestOfficialMutants for self-billing in Peppol: on Peppol's invoices and changes without a country.
func TestOfficialMutantsOfSelfBilling(t *testing.T) {
	compareUBL(t, ublTrials(t, allOfSelfBilling(t)), 400, 60, "peppol-selfbilling")
}

func allOfSelfBilling(t *testing.T) []mutant {
	bases := peppolBases(t)[:ofNoCountry]
	for n, b := range bases {
		bases[n].change, bases[n].document = strings.Replace(b.change, "Peppol", "Self-billing", 1), asSelfBilling.Replace(b.document)
		mustKeep(t, bases[n], "peppol-selfbilling")
	}
	return append(bases, singlesOf(t, bases, singlesOfSelfBilling())...)
}

// asSelfBilling turns a Peppol invoice, or a change of one, into a self-billed one, and vice versa.
var asSelfBilling = strings.NewReplacer(
	"poacc:billing", "poacc:selfbilling", "poacc:selfbilling", "poacc:billing", ">380<", ">389<", ">389<", ">380<", ">381<", ">261<", ">261<", ">381<", ">326<", ">527<",
)

func singlesOfSelfBilling() (all []edit) {
	for _, e := range slices.Concat(peppolSingles, identifierSingles()) {
		if strings.Contains(e.of, "Germany") {
			continue
		}
		var pairs []string
		for _, p := range e.pairs {
			pairs = append(pairs, asSelfBilling.Replace(p))
		}
		all = append(all, edit{strings.Replace(e.of, "Peppol", "Self-billing", 1), pairs})
	}
	return all
}

// mustKeep fails the test unless an invoice keeps all rules of a set.
func mustKeep(t *testing.T, m mutant, set string) {
	t.Helper()
	invoice, err := einvoice.ParseUBL([]byte(m.document))
	if err != nil {
		t.Fatalf("%s%v", m.change, err)
	}
	for _, v := range Check(invoice, named(t, set)).Violations {
		t.Errorf("%s%s", m.change, v)
	}
}

func singlesOfPeppol() (all []edit) {
	for _, of := range [][]edit{peppolSingles, identifierSingles(), spaceSingles(), nordicSingles, southernSingles, westernSingles} {
		all = append(all, of...)
	}
	return all
}

// peppolBases returns the samples as Peppol requires them, and as each country does.
func peppolBases(t *testing.T) (all []mutant) {
	samples := map[string]string{}
	for _, name := range []string{"invoice", "credit-note"} {
		document, err := os.ReadFile("../sample/ubl-" + name + ".xml")
		if err != nil {
			t.Fatal(err)
		}
		samples[name] = replacedAll(t, name, string(document), peppolEdits)
	}
	for _, b := range peppolEdited {
		base := mutant{profile: b.sample, change: "Peppol" + b.name + ": ", document: replacedAll(t, b.name, samples[b.sample], b.pairs), large: true}
		mustKeep(t, base, "peppol")
		all = append(all, base)
	}
	return all
}

var peppolEdits = []string{
	`>urn:cen.eu:en16931:2017<`, ">" + peppolGuideline + "<", `<cbc:ProfileID>A1<`, "<cbc:ProfileID>urn:fdc:peppol.eu:2017:poacc:billing:01:1.0<",
	`"EM">invoices@lumen.example`, `"0088">4000001000005`, `"EM">factures@ocean.example`, `"0009">30326504500010`,
	`(<cbc:ID>C-208</cbc:ID>\s*</cac:PartyIdentification>)`, "$1\n      <cac:PartyName>\n        <cbc:Name>Atelier Océan</cbc:Name>\n      </cac:PartyName>",
}

// sellerIn and buyerIn replace a party's country, VAT number, and registration number with its scheme.
func sellerIn(country, vat, scheme, number string) []string {
	return []string{`>DE<(.*?)DE123456789(.*?)"0002">HRB 90210`, `>` + country + `<${1}` + vat + `${2}"` + scheme + `">` + number}
}

func buyerIn(country, vat, scheme, number string) []string {
	return []string{`(13002</cbc:PostalZone>\s*<cac:Country>\s*<cbc:IdentificationCode>)FR(.*?)FR40303265045(.*?)<cbc:CompanyID>303265045`, `${1}` + country + `${2}` + vat + `${3}<cbc:CompanyID schemeID="` + scheme + `">` + number}
}

// supporting returns a supporting document, inserted before that of the samples.
func supporting(id, description, rest string) []string {
	return []string{
		`( *<cac:AdditionalDocumentReference>\s*<cbc:ID>TIMES-2)`,
		"  <cac:AdditionalDocumentReference>\n    <cbc:ID>" + id + "</cbc:ID>\n    <cbc:DocumentDescription>" + description + "</cbc:DocumentDescription>\n" + rest + "  </cac:AdditionalDocumentReference>\n$1",
	}
}

func joined(edits ...[]string) (pairs []string) {
	for _, e := range edits {
		pairs = append(pairs, e...)
	}
	return pairs
}

var (
	fromDenmark = joined(sellerIn("DK", "DK12345678", "0184", "12345678"), buyerIn("DK", "DK12345678", "0184", "DK12345678"), []string{
		`<cbc:ID>C-208<`, `<cbc:ID schemeID="0184">12345678<`, `listVersionID="26"`, `listVersionID="19.05.01"`,
	})
	withinGermany = joined(buyerIn("DE", "DE123456789", "0002", "HRB 1"), []string{"30 days net", "30 days net\n#SKONTO#TAGE=14#PROZENT=2.25#\n"})
	byGreeks      = joined(sellerIn("GR", "EL094019245", "0002", "1"), buyerIn("GR", "EL998184801", "0002", "2"), []string{
		`<cbc:ID>[RG]-2026-00..<`, "<cbc:ID>094019245|05/03/2026|1|1.1|A|17<", `"0088">4000001000005`, `"9933">094019245`, `"0009">30326504500010`, `"9933">998184801`,
	}, supporting("400001", "##M.AR.K##", ""), supporting("U", "##INVOICE|URL##", "    <cac:Attachment>\n      <cac:ExternalReference>\n        <cbc:URI>https://lumen.example/</cbc:URI>\n      </cac:ExternalReference>\n    </cac:Attachment>\n"))
	fromIceland = joined(sellerIn("IS", "IS12345", "0196", "1234567890"), buyerIn("IS", "IS12345", "0196", "1234567891"), supporting("2026-04-10", "EINDAGI", ""), []string{
		`>58<`, ">9<", `DE02120300000000202051`, "123466789012",
	})
	fromNetherlands = joined(sellerIn("NL", "NL123456789B01", "0106", "12345678"), buyerIn("NL", "NL123456789B02", "0190", "12345678901234567890"), []string{
		`<cbc:CityName>Lille</cbc:CityName>(.*?)FR<`, "<cbc:StreetName>X</cbc:StreetName>\n      <cbc:CityName>X</cbc:CityName>\n      <cbc:PostalZone>X</cbc:PostalZone>${1}NL<",
	})
	fromSweden = joined(sellerIn("SE", "SE556016068001", "0007", "5560160680"), buyerIn("SE", "SE556016068001", "0007", "5560160680"), []string{
		`27/815/00001`, "Godkänd för F-skatt", `19.00`, "25.00", `>58<`, ">30<",
	})
)

// ofNoCountry is how many of peppolEdited, at its beginning, belong to no country.
const ofNoCountry = 5

var peppolEdited = []struct {
	sample, name string
	pairs        []string
}{
	{"invoice", "", nil},
	{"credit-note", " credit", nil},
	{"invoice", " in dollars", dollarEdits},
	{"invoice", " by direct debit", []string{">58<", ">59<", accountPart, mandatePart}},
	{"invoice", " identifiers", identifierEdits()},
	{"invoice", " from Norway", joined(sellerIn("NO", "NO974760673MVA", "0192", "974760673"), []string{`27/815/00001(.*?)>FC<`, "Foretaksregisteret$1>TAX<"})},
	{"invoice", " from Denmark", fromDenmark},
	{"credit-note", " credit from Denmark", fromDenmark},
	{"invoice", " from Denmark by 31", joined(fromDenmark, []string{`>58<`, ">31<"})},
	{"invoice", " from Denmark by 49", joined(fromDenmark, []string{`>58<`, ">49<", accountPart, mandatePart})},
	{"invoice", " from Denmark by 50", joined(fromDenmark, []string{`>58<`, ">50<", `<cbc:PaymentID>R-2026-0042`, "<cbc:PaymentID>04#1234567890123456", "DE02120300000000202051", "1234567"})},
	{"invoice", " from Denmark by 93", joined(fromDenmark, []string{`>58<`, ">93<", `<cbc:PaymentID>R-2026-0042`, "<cbc:PaymentID>71#123456789012345", "DE02120300000000202051", "12345678"})},
	{"invoice", " from Italy", joined(sellerIn("IT", "IT12345670017", "0210", "12345670017"), []string{`27/815/00001`, "12345670017"})},
	{"invoice", " from Sweden by Bankgiro", joined(fromSweden, []string{`BYLADEM1001`, "SE:BANKGIRO", `DE02120300000000202051`, "5348961"})},
	{"invoice", " from Sweden by Plusgiro", joined(fromSweden, []string{`BYLADEM1001`, "SE:PLUSGIRO", `DE02120300000000202051`, "53489612"})},
	{"invoice", " from Greece", byGreeks},
	{"credit-note", " credit from Greece", byGreeks},
	{"invoice", " from Iceland", fromIceland},
	{"invoice", " from the Netherlands", fromNetherlands},
	{"credit-note", " credit from the Netherlands", fromNetherlands},
	{"invoice", " within Germany", withinGermany},
	{"credit-note", " credit within Germany", withinGermany},
	{"invoice", " within Germany by card", joined(withinGermany, []string{">58<", ">48<", accountPart, cardPart})},
	{"invoice", " within Germany by direct debit", joined(withinGermany, []string{">58<", ">59<", accountPart, mandatePart})},
}

// validIDs lists valid identifiers of each scheme.
var validIDs = [][2]string{
	{"0088", "4000001000005"},
	{"0192", "974760673"},
	{"0184", "12345678"},
	{"0096", "1234567890"},
	{"0198", "DK12345678"},
	{"0208", "0123456749"},
	{"0201", "aB1234"},
	{"0210", "RSSMRA80A01H501U"},
	{"0211", "IT12345670017"},
	{"0007", "5560160680"},
	{"0151", "51824753556"},
	{"0106", "12345678"},
	{"0190", "12345678901234567890"},
	{"9944", "NL123456789B01"},
	{"0217", "123456789012"},
}

func identifierEdits() []string {
	var b strings.Builder
	for _, id := range validIDs {
		b.WriteString("      <cac:PartyIdentification>\n        <cbc:ID schemeID=\"" + id[0] + "\">" + id[1] + "</cbc:ID>\n      </cac:PartyIdentification>\n")
	}
	return []string{`( *<cac:PartyIdentification>\s*<cbc:ID>C-208)`, b.String() + "$1"}
}

// spaceSingles write the codes of countries and taxes with white space and in lower case, which some of the official rules overlook.
func spaceSingles() (all []edit) {
	for _, b := range peppolEdited {
		for _, pairs := range [][]string{
			{`>VAT<`, "> VAT <"},
			{`>VAT<`, ">vat<"},
			{`>(..)</cbc:IdentificationCode>`, "> $1 </cbc:IdentificationCode>"},
			{`<cbc:CompanyID>([A-Z][A-Z])`, "<cbc:CompanyID> $1"},
			{`</cbc:PaymentMeansCode>`, " </cbc:PaymentMeansCode>"},
			{`(<cbc:DocumentDescription>)(.*?)</cbc:DocumentDescription>`, "$1$2 </cbc:DocumentDescription>"},
			{`>([^<]*)</cbc:(ID|CompanyID|EndpointID|PaymentID)>`, "> $1 </cbc:$2>"},
			{`schemeID="([^"]*)"`, `schemeID=" $1"`},
			{`listID="([^"]*)"`, `listID=" $1"`},
		} {
			all = append(all, edit{"Peppol" + b.name, pairs})
		}
	}
	return all
}

// identifierSingles change one identifier each: its last or first character, its length or its case.
func identifierSingles() (all []edit) {
	add := func(scheme, id string, to ...string) {
		for _, text := range to {
			if text != id {
				all = append(all, edit{"Peppol identifiers", []string{`schemeID="` + scheme + `">` + id + `<`, `schemeID="` + scheme + `">` + text + `<`}})
			}
		}
	}
	for _, id := range validIDs {
		text := id[1]
		add(id[0], text, text+"1", text[:len(text)-1], text[1:], " "+text+" ", strings.ToLower(text)+"x", text[:len(text)-1]+"7", "1"+text[1:], "DK"+text, "+"+text[1:], "٣"+text[1:])
	}
	add("0192", "974760673", "000000000", "000000019")
	add("0088", "4000001000005", "0", "5", "00", "")
	add("0184", "12345678", "dk12345678", "DK1234567x", "1234567x", "SE12345678")
	add("0208", "0123456749", "0000000097", "0000009797", "0000000000")
	add("0201", "aB1234", "aB12-4", "ÄB1234")
	add("0210", "RSSMRA80A01H501U", "12345678901", "1234567890x", "-1234567890", "RSSMRA80A01H501", "RSSMR180A01H501U", "RSSMRA8 A01H501U", "RSSMRA80101H501U", "RSSMRA80A0xH501U", "RSSMRA80A01-501U", "RSSMRA80A01H50xU", "RSSMRA80A01H5011")
	add("0211", "IT12345670017", "it12345670017", "It1", "IT12345670018", "IT1234567001", "FR1", "IT", "I", "IT1234567001x")
	add("0007", "5560160680", "5560160681", "0000000000", "55601606.0")
	add("0151", "51824753556", "51824753557", "00000000000", "5182475355x")
	add("9944", "NL123456789B01", "nl123456789B01", "NL123456789B1", "NL12345678B012")
	for _, endpoint := range []string{"12345678901", "1234567890", "RSSMRA80A01H501U"} {
		all = append(all, edit{"Peppol", []string{`"0009">30326504500010`, `"9907">` + endpoint}})
	}
	for _, vat := range []string{"NL123456789B01", "NL123456789B0", " NL123456789B01", `NL1`} {
		all = append(all, edit{"Peppol", []string{`FR40303265045`, vat}})
	}
	for _, scheme := range []string{"0217", "0106", "9944", "0002"} {
		all = append(all, edit{"Peppol", []string{`<cbc:CompanyID>FR40303265045`, `<cbc:CompanyID schemeID="` + scheme + `">NL1`}})
	}
	return all
}

// peppolSingles are about the rules for all countries.
var peppolSingles = []edit{
	{"Peppol", []string{`<cbc:ProfileID>.*?</cbc:ProfileID>`, ""}},
	{"Peppol", []string{`billing:01:1.0<`, "billing:02:1.0<"}},
	{"Peppol", []string{`urn:fdc:peppol.eu:2017:poacc:billing:01:1.0<`, "urn:peppol:bis:billing_with_response<"}},
	{"Peppol", []string{`urn:fdc:peppol.eu:2017:poacc:billing:01:1.0<`, "urn:peppol:france:billing:regulated<", ">380<", ">389<"}},
	{"Peppol", []string{`billing:01:1.0<`, "billing:02:1.0<", ">380<", ">389<"}},
	{"Peppol", []string{`poacc:billing:3.0<`, "poacc:billing:3.1<"}},
	{"Peppol", []string{`poacc:billing:3.0<`, "poacc:billing:3.0:x<"}},
	{"Peppol", []string{`poacc:billing:3.0<`, "poacc:billing:3.0::x<"}},
	{"Peppol", []string{`poacc:billing:3.0<`, "poacc:selfbilling:3.0<"}},
	{"Peppol", []string{`<cbc:Note>Thank`, "<cbc:Note>x</cbc:Note><cbc:Note>Thank"}},
	{"Peppol within Germany", []string{`<cbc:Note>Thank`, "<cbc:Note>x</cbc:Note><cbc:Note>Thank"}},
	{"Peppol", []string{`<cbc:BuyerReference>.*?</cbc:BuyerReference>`, ""}},
	{"Peppol", []string{`<cbc:BuyerReference>.*?</cbc:BuyerReference>`, "", `<cac:OrderReference>.*?</cac:OrderReference>`, ""}},
	{"Peppol", []string{`(<cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>)`, `$1<cbc:TaxCurrencyCode>EUR</cbc:TaxCurrencyCode>`}},
	{"Peppol in dollars", []string{`currencyID="USD">51.00<`, `currencyID="USD">-51.00<`}},
	{"Peppol in dollars", []string{`currencyID="USD">51.00<`, `currencyID="USD">0<`}},
	{"Peppol in dollars", []string{`currencyID="USD">51.00<`, `currencyID="USD">48.45<`}},
	{"Peppol in dollars", []string{`<cbc:TaxCurrencyCode>USD</cbc:TaxCurrencyCode>`, ""}},
	{"Peppol in dollars", []string{`currencyID="USD"`, `currencyID="EUR"`}},
	{"Peppol", []string{`(<cac:TaxTotal>.*?</cac:TaxTotal>)`, "$1$1"}},
	{"Peppol", []string{`<cac:TaxSubtotal>.*?</cac:TaxSubtotal>`, ""}},
	{"Peppol", []string{`<cbc:TaxAmount currencyID="EUR">48.45</cbc:TaxAmount>(\s*<cac:TaxCategory>)`, `<cbc:TaxAmount currencyID="USD">48.45</cbc:TaxAmount>$1`}},
	{"Peppol", []string{`<cbc:TaxAmount currencyID="EUR">48.45</cbc:TaxAmount>(\s*<cac:TaxSubtotal>)`, `<cbc:TaxAmount currencyID="USD">48.45</cbc:TaxAmount>$1`}},
	{"Peppol", []string{`<cbc:PriceAmount currencyID="EUR">`, `<cbc:PriceAmount currencyID="USD">`}},
	{"Peppol", []string{`<cbc:PriceAmount currencyID="EUR">`, `<cbc:PriceAmount currencyID=" EUR">`}},
	{"Peppol", []string{`EUR`, `HUF`, `>10.00</cbc:Amount>(\s*<cbc:BaseAmount currencyID="HUF">100.00)`, `>10.50</cbc:Amount>$1`, `205.00</cbc:LineExtensionAmount>`, "205.50</cbc:LineExtensionAmount>"}},
	{"Peppol", []string{`EUR`, `STD`}},
	{"Peppol", []string{`EUR`, `STN`}},
	{"Peppol", []string{`205.00</cbc:LineExtensionAmount>`, "205.02</cbc:LineExtensionAmount>"}},
	{"Peppol", []string{`205.00</cbc:LineExtensionAmount>`, "205.03</cbc:LineExtensionAmount>"}},
	{"Peppol", []string{`>10.00</cbc:Amount>(\s*<cbc:BaseAmount currencyID="EUR">100.00)`, `>10.02</cbc:Amount>$1`}},
	{"Peppol", []string{`>10.00</cbc:Amount>(\s*<cbc:BaseAmount currencyID="EUR">100.00)`, `>10.03</cbc:Amount>$1`}},
	{"Peppol", []string{`<cbc:BaseQuantity unitCode="C62">1<`, `<cbc:BaseQuantity unitCode="C62">3<`}},
	{"Peppol", []string{`<cbc:BaseQuantity unitCode="C62">1<`, `<cbc:BaseQuantity unitCode="C62">0<`}},
	{"Peppol", []string{`<cbc:BaseQuantity unitCode="C62">1<`, `<cbc:BaseQuantity unitCode="HUR">1<`}},
	{"Peppol", []string{`<cbc:BaseAmount.*?</cbc:BaseAmount>`, ""}},
	{"Peppol", []string{`<cbc:MultiplierFactorNumeric.*?</cbc:MultiplierFactorNumeric>`, ""}},
	{"Peppol", []string{`<cbc:ChargeIndicator>false<`, "<cbc:ChargeIndicator>0<"}},
	{"Peppol", []string{`<cbc:ChargeIndicator>true<`, "<cbc:ChargeIndicator> true <"}},
	{"Peppol", []string{`(<cac:Price>.*?<cbc:ChargeIndicator>)false<`, "${1}true<"}},
	{"Peppol", []string{`>110.00</cbc:BaseAmount>`, ">110.01</cbc:BaseAmount>"}},
	{"Peppol", []string{`(<cac:DocumentReference>.*?</cac:DocumentReference>)`, "$1$1"}},
	{"Peppol", []string{`(<cac:DocumentReference>.*?<cbc:DocumentTypeCode>)130`, "${1}50"}},
	{"Peppol", []string{`(<cbc:LineExtensionAmount[^>]*>205.00</cbc:LineExtensionAmount>.*?<cbc:StartDate>)2026-02-01`, "${1}2026-01-31"}},
	{"Peppol", []string{`(<cbc:LineExtensionAmount[^>]*>205.00</cbc:LineExtensionAmount>.*?<cbc:EndDate>)2026-02-28`, "${1}2026-03-01"}},
	{"Peppol", []string{`<cbc:StartDate>2026-02-01</cbc:StartDate>(\s*<cbc:EndDate>2026-02-28</cbc:EndDate>\s*</cac:InvoicePeriod>\s*<cac:OrderReference>)`, "$1"}},
	{"Peppol", []string{`<cbc:EndpointID.*?</cbc:EndpointID>`, ""}},
	{"Peppol", []string{`<cbc:EndpointID schemeID="0009"`, `<cbc:EndpointID schemeID="EM"`}},
	{"Peppol", []string{`<cbc:EndpointID schemeID="0009"`, `<cbc:EndpointID schemeID=" 0009"`}},
	{"Peppol", []string{`<cbc:EndpointID schemeID="0009"`, `<cbc:EndpointID`}},
	{"Peppol by direct debit", []string{`<cbc:ID>M-1</cbc:ID>`, ""}},
	{"Peppol by direct debit", []string{`<cac:PaymentMandate>.*?</cac:PaymentMandate>`, ""}},
	{"Peppol by direct debit", []string{`<cac:PaymentMandate>.*?</cac:PaymentMandate>`, "", ">59<", ">49<"}},
	{"Peppol", []string{`<cbc:ID>P-1</cbc:ID>`, "<cbc:ID/>"}},
	{"Peppol credit", []string{`(<cac:AdditionalDocumentReference>\s*<cbc:ID>TIMES)`, "<cac:AdditionalDocumentReference><cbc:ID>1</cbc:ID><cbc:DocumentTypeCode>50</cbc:DocumentTypeCode></cac:AdditionalDocumentReference>$1"}},
	{"Peppol credit", []string{`(<cac:AdditionalDocumentReference>\s*<cbc:ID>TIMES)`, strings.Repeat("<cac:AdditionalDocumentReference><cbc:ID>1</cbc:ID><cbc:DocumentTypeCode>50</cbc:DocumentTypeCode></cac:AdditionalDocumentReference>", 2) + "$1"}},
	{"Peppol", []string{`(<cac:AdditionalDocumentReference>\s*<cbc:ID>TIMES)`, strings.Repeat("<cac:AdditionalDocumentReference><cbc:ID>1</cbc:ID><cbc:DocumentTypeCode>50</cbc:DocumentTypeCode></cac:AdditionalDocumentReference>", 2) + "$1"}},
	{"Peppol", []string{`mimeCode="text/csv"`, `mimeCode="text/xml"`}},
	{"Peppol", []string{`mimeCode="text/csv"`, `mimeCode="text/csv "`}},
	{"Peppol", []string{`<cbc:AllowanceChargeReasonCode>95<`, "<cbc:AllowanceChargeReasonCode>96<"}},
	{"Peppol", []string{`<cbc:AllowanceChargeReasonCode>95<`, "<cbc:AllowanceChargeReasonCode> 100 <"}},
	{"Peppol", []string{`<cbc:AllowanceChargeReasonCode>FC<`, "<cbc:AllowanceChargeReasonCode>95<"}},
	{"Peppol", []string{`<cbc:AllowanceChargeReasonCode>FC<`, "<cbc:AllowanceChargeReasonCode>ZZZ<"}},
	{"Peppol", []string{`<cbc:ChargeIndicator>true<`, "<cbc:ChargeIndicator>1<", `<cbc:AllowanceChargeReasonCode>FC<`, "<cbc:AllowanceChargeReasonCode>95<"}},
	{"Peppol", []string{`(<cbc:EndDate>2026-02-28</cbc:EndDate>)`, `$1<cbc:DescriptionCode>35</cbc:DescriptionCode>`}},
	{"Peppol", []string{`(<cbc:EndDate>2026-02-28</cbc:EndDate>)`, `$1<cbc:DescriptionCode>36</cbc:DescriptionCode>`}},
	{"Peppol", []string{`2026-03-05<`, `2026-03-05Z<`}},
	{"Peppol", []string{`2026-04-04<`, `2026-04-04+02:00<`}},
	{"Peppol", []string{`2026-03-05<`, " 2026-03-05<"}},
	{"Peppol", []string{`>2026-04-04`, ">\n2026-04-04"}},
	{"Peppol", []string{`<cbc:ChargeIndicator>true<`, "<cbc:ChargeIndicator> true <", `<cbc:AllowanceChargeReasonCode>FC<`, "<cbc:AllowanceChargeReasonCode>95<"}},
	{"Peppol", []string{`<cbc:ActualDeliveryDate>2026`, `<cbc:ActualDeliveryDate>12026`}},
	{"Peppol", []string{`>380<`, `>326<`}},
	{"Peppol", []string{`>380<`, `>384<`}},
	{"Peppol", []string{`>380<`, `>389<`}},
	{"Peppol", []string{`>380<`, `> 82 <`}},
	{"Peppol within Germany", []string{`>380<`, `>326<`}},
	{"Peppol within Germany", []string{`>380<`, `> 384 <`}},
	{"Peppol credit", []string{`>381<`, `>261<`}},
	{"Peppol credit", []string{`>381<`, `>532<`}},
	exemptFor("VATEX-EU-G", "G"), exemptFor("VATEX-EU-G", "E"), exemptFor("vatex-eu-o", "O"), exemptFor("VATEX-EU-O", "E"), exemptFor("VATEX-EU-IC", "K"), exemptFor("VATEX-EU-IC", "G"), exemptFor("VATEX-EU-AE", "AE"),
	exemptFor("VATEX-EU-AE", "E"), exemptFor("VATEX-EU-D", "E"), exemptFor("VATEX-EU-D", "Z"), exemptFor("VATEX-EU-F", "E"), exemptFor("VATEX-EU-F", "Z"), exemptFor("VATEX-EU-I", "E"), exemptFor("VATEX-EU-I", "Z"),
	exemptFor("VATEX-EU-J", "E"), exemptFor("VATEX-EU-J", " Z "), exemptFor("VATEX-EU-G", " G "), exemptFor(" VATEX-EU-G", "E"),
}

// exemptFor returns an invoice with an exemption reason in a category.
func exemptFor(reason, category string) edit {
	return edit{"Peppol", []string{`(<cac:TaxCategory>\s*)<cbc:ID>S</cbc:ID>(\s*<cbc:Percent>)19.00</cbc:Percent>`, `$1<cbc:ID>` + category + `</cbc:ID>${2}0</cbc:Percent><cbc:TaxExemptionReasonCode>` + reason + `</cbc:TaxExemptionReasonCode>`}}
}
