package rules

import (
	"slices"
	"strings"
	"testing"
)

// extensionTerms turn the UBL sample, as an XRechnung, into one of the extension, in pairs: with sub-lines, payments of third parties, and other
// content that only the extension allows.
var extensionTerms = []string{
	">" + xrechnungGuideline + "<", ">" + extensionGuideline + "<", `"0088"`, `"XR01"`, `"0160"`, `"XR02"`, `"EM"`, `"XR03"`, `"text/csv"`, `"application/xml"`, ">206.00<", ">216.50<",
	"  </cac:PaymentTerms>\n", "  </cac:PaymentTerms>\n" + thirdPartyPayment("T-1", "7.25") + thirdPartyPayment("T-2", "3.25"),
	"  </cac:InvoiceLine>\n  <cac:InvoiceLine>\n", subLine("105.00", "") + subLine("100.00", subLine("99.00", "")+subLine("1.00", "")) + "  </cac:InvoiceLine>\n  <cac:InvoiceLine>\n",
}

func thirdPartyPayment(id, amount string) string {
	return "  <cac:PrepaidPayment>\n    <cbc:ID>" + id + "</cbc:ID>\n    <cbc:PaidAmount currencyID=\"EUR\">" + amount + "</cbc:PaidAmount>\n    <cbc:InstructionID>Parking</cbc:InstructionID>\n  </cac:PrepaidPayment>\n"
}

// subLine returns a sub-line of an amount, with sub-lines of its own.
func subLine(amount, parts string) string {
	return `<cac:SubInvoiceLine>
      <cbc:ID>1.1</cbc:ID>
      <cbc:InvoicedQuantity unitCode="C62">1</cbc:InvoicedQuantity>
      <cbc:LineExtensionAmount currencyID="EUR">` + amount + `</cbc:LineExtensionAmount>
      <cac:Item>
        <cbc:Name>Part</cbc:Name>
        <cac:ClassifiedTaxCategory>
          <cbc:ID>S</cbc:ID>
          <cbc:Percent>19.00</cbc:Percent>
          <cac:TaxScheme>
            <cbc:ID>VAT</cbc:ID>
          </cac:TaxScheme>
        </cac:ClassifiedTaxCategory>
      </cac:Item>
      <cac:Price>
        <cbc:PriceAmount currencyID="EUR">` + amount + `</cbc:PriceAmount>
      </cac:Price>
` + parts + `    </cac:SubInvoiceLine>
`
}

// Each change of an invoice of the extension breaks the rules that it names, and no other fatal ones.
func TestExtensionOfXRechnung(t *testing.T) {
	for _, c := range []struct{ old, changed, rule string }{
		{">216.50<", ">216.50<", ""},
		{`"XR01"`, `"XR04"`, "BR-DEX-04"},
		{`"0002"`, `"XR99"`, "BR-DEX-05"},
		{`"XR02"`, `"XR99"`, "BR-DEX-06"},
		{`"XR03"`, `"XR99"`, "BR-DEX-07"},
		{`"0088"`, `"XR99"`, "BR-DEX-08"},
		{`"application/xml"`, `"text/xml"`, "BR-DEX-01"},
		{`"application/xml"`, `"application/xml "`, "BR-DEX-01"},
		{`"EUR">99.00</cbc:LineExtensionAmount>`, `"EUR">99.01</cbc:LineExtensionAmount>`, "BR-DEX-02"},
		{`"EUR">105.00</cbc:LineExtensionAmount>`, `"EUR">104.99</cbc:LineExtensionAmount>`, "BR-DEX-02"},
		{"<cbc:Name>Part</cbc:Name>\n        <cac:ClassifiedTaxCategory>", "<cbc:Name>Part</cbc:Name>\n        <cac:ClassifiedTaxCategory>" + vatCategory + "</cac:ClassifiedTaxCategory>\n<cac:ClassifiedTaxCategory>", "BR-DEX-03"},
		{">216.50<", ">216.51<", "BR-DEX-09"},
		{">216.50<", ">206.00<", "BR-DEX-09"},
		{"<cbc:ID>T-1</cbc:ID>", "", "BR-DEX-10"},
		{`<cbc:PaidAmount currencyID="EUR">0.00</cbc:PaidAmount>`, "", "BR-DEX-11 BR-DEX-14"},
		{"<cbc:InstructionID>Parking</cbc:InstructionID>", "<cbc:InstructionID> </cbc:InstructionID>", "BR-DEX-12 PEPPOL-EN16931-R008"},
		{">7.25<", ">7.250<", "BR-DEX-13 UBL-DT-01"},
		{`"EUR">7.25<`, `"USD">7.25<`, "BR-DEX-14"},
	} {
		edits := slices.Concat([]string{">urn:cen.eu:en16931:2017<"}, extensionTerms[1:], []string{
			"</cac:PrepaidPayment>\n", "</cac:PrepaidPayment>\n" + thirdPartyPayment("T-0", "0.00"), c.old, c.changed,
		})
		var broken []string
		for _, v := range Check(ublSample(t, "invoice", edits...), germanSets(t)...).Violations {
			if v.Severity == Fatal || v.Rule == "BR-DEX-02" {
				broken = append(broken, v.Rule)
			}
		}
		if got := strings.Join(unique(broken), " "); got != c.rule {
			t.Errorf("%s breaks %q, want %q", c.changed, got, c.rule)
		}
	}
}

const vatCategory = "<cbc:ID>S</cbc:ID><cbc:Percent>19.00</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>"

// XRechnung changes the severity of rules of EN 16931, each of its specifications differently, and only where both sets are applied.
func TestGermanLevels(t *testing.T) {
	subLines := []string{"  </cac:InvoiceLine>\n", subLine("205.00", "") + "  </cac:InvoiceLine>\n"}
	unknownUnit := []string{`unitCode="C62"`, `unitCode="QQQ"`}
	for _, c := range []struct {
		guideline, rule string
		edits           []string
		want            string
	}{
		{xrechnungGuideline, "BR-CL-23", unknownUnit, "warning"},
		{extensionGuideline, "BR-CL-23", unknownUnit, "warning"},
		{vehiclesGuideline, "BR-CL-23", unknownUnit, "warning"},
		{"urn:cen.eu:en16931:2017", "BR-CL-23", unknownUnit, "fatal"},
		{xrechnungGuideline, "BR-CL-21", []string{`"0160"`, `"XR01"`}, "warning"},
		{extensionGuideline, "BR-CL-21", []string{`"0160"`, `"XR01"`}, "information"},
		{xrechnungGuideline, "BR-CL-25", []string{`"EM"`, `"XR01"`}, "fatal"},
		{extensionGuideline, "BR-CL-25", []string{`"EM"`, `"XR01"`}, "information"},
		{xrechnungGuideline, "BR-CL-13", []string{`"TST"`, `"CVD"`}, "fatal"},
		{vehiclesGuideline, "BR-CL-13", []string{`"TST"`, `"CVD"`}, "information"},
		{xrechnungGuideline, "UBL-CR-646", subLines, "fatal"},
		{extensionGuideline, "UBL-CR-646", subLines, "information"},
		{"urn:cen.eu:en16931:2017", "UBL-CR-646", subLines, "warning"},
		{xrechnungGuideline, "BR-CO-16", []string{">206.00<", ">206.01<"}, "fatal"},
		{extensionGuideline, "BR-CO-16", []string{">206.00<", ">206.01<"}, "information"},
	} {
		invoice := ublSample(t, "invoice", append([]string{">urn:cen.eu:en16931:2017<", ">" + c.guideline + "<"}, c.edits...)...)
		if got := severityOf(Check(invoice, germanSets(t)...), c.rule); got != c.want {
			t.Errorf("%s of %s is %q, want %q", c.rule, c.guideline, got, c.want)
		}
	}
	alone := ublSample(t, "invoice", append([]string{">urn:cen.eu:en16931:2017<", ">" + xrechnungGuideline + "<"}, unknownUnit...)...)
	if got := severityOf(Check(alone, setsNamed(t, "en16931")...), "BR-CL-23"); got != "fatal" {
		t.Errorf("BR-CL-23 of EN 16931 alone is %q", got)
	}
	due := sampleOf(t, ">urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic<", ">"+extensionGuideline+"<", "DuePayableAmount>200.00<", "DuePayableAmount>200.01<")
	if got := severityOf(Check(due, germanSets(t)...), "BR-CO-16"); got != "fatal" {
		t.Errorf("BR-CO-16 of CII is %q: it has no payments of third parties", got)
	}
}

// severityOf returns the severity of a rule's violations, "" if there are none.
func severityOf(r *Report, rule string) string {
	for _, v := range r.Violations {
		if v.Rule == rule {
			return v.Severity.String()
		}
	}
	return ""
}
