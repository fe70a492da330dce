package blocks

import (
	"slices"
	"strings"
	"testing"

	"platen.dev/einvoice"
	"platen.dev/einvoice/stress"
)

// furtherData renders all blocks of an invoice, and returns them with the additional data that is left.
func furtherData(t *testing.T, i *einvoice.Invoice) (*additionalData, view) {
	t.Helper()
	p := newPresenterOn(i, Default())
	var v view
	p.addBlocks(&v, Default())
	return p.additionalData(), v
}

func groupNames(data *additionalData) (names []string) {
	for _, g := range data.Groups {
		names = append(names, g.Name)
	}
	return names
}

// thirty returns the invoice of thirty lines from package stress, with changes.
func thirty(t *testing.T, changes ...string) *einvoice.Invoice {
	t.Helper()
	at := slices.IndexFunc(stress.Cases(), func(c stress.Case) bool { return c.Name == "thirty/plain" })
	i, err := einvoice.Parse([]byte(strings.NewReplacer(changes...).Replace(string(stress.Cases()[at].XML))), stress.Profile)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// Data shared by several lines is listed once; data of a single line names the line.
func TestFurtherDataOfLines(t *testing.T) {
	data, shown := furtherData(t, thirty(t))
	if names := groupNames(data); !slices.Equal(names, []string{"Invoice", "All lines"}) {
		t.Errorf("the groups are %q", names)
	}
	if parts := data.Groups[1].Parts; len(parts) != 1 || parts[0].Name != "Line VAT" || !slices.Equal(parts[0].Fields, []field{{"Tax type", "VAT"}, {"VAT category code", "S"}}) {
		t.Errorf("of all lines it says %+v", parts)
	}
	if details := shown.LineItems.Rows[8].Details; !slices.Contains(details, "Order PO/4711-01, line 7 · Delivery note DN-008002") {
		t.Errorf("beside the line are %q", details)
	}

	product := func(id string) string { return "<ram:SellerAssignedID>" + id + "</ram:SellerAssignedID>" }
	model := func(id, model string) []string {
		return []string{product(id), product(id) + "<ram:ModelID>" + model + "</ram:ModelID>"}
	}
	changes := append(append(model("LN-00048", "M-1"), model("LN-00085", "M-1")...), append(model("LN-00159", "M-1"), model("LN-00196", "M-2")...)...)
	data, _ = furtherData(t, thirty(t, changes...))
	if names := groupNames(data); !slices.Equal(names, []string{"Invoice", "All lines", "Lines 2 to 3, 5", "Line 6"}) {
		t.Errorf("the groups are %q", names)
	}
	if part := data.Groups[2].Parts[0]; part.Name != "" || !slices.Equal(part.Fields, []field{{"Model identifier", "M-1"}}) {
		t.Errorf("of some lines it says %+v", part)
	}
}

// Amounts, dates, rates, quantities and indicators are written as in other blocks; as they were transmitted they follow below.
func TestFurtherDataIsFormatted(t *testing.T) {
	const settlement = "</ram:ApplicableHeaderTradeSettlement>"
	advance := `<ram:SpecifiedAdvancePayment><ram:PaidAmount>1050.00</ram:PaidAmount>` +
		`<ram:FormattedReceivedDateTime><qdt:DateTimeString format="102">20251220</qdt:DateTimeString></ram:FormattedReceivedDateTime>` +
		`<ram:IncludedTradeTax><ram:CalculatedAmount currencyID="USD">7.98</ram:CalculatedAmount>` +
		`<ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>S</ram:CategoryCode>` +
		`<ram:RateApplicablePercent>19.50</ram:RateApplicablePercent></ram:IncludedTradeTax></ram:SpecifiedAdvancePayment>`
	const language, quantity = "<ram:LanguageID>", `<ram:BilledQuantity unitCode="C62">2</ram:BilledQuantity>`
	i := invoice(t, "extended", settlement, advance+settlement, language, "<ram:CopyIndicator><udt:Indicator>1</udt:Indicator></ram:CopyIndicator>"+language,
		quantity, quantity+`<ram:ChargeFreeQuantity unitCode="KGM">1500.50</ram:ChargeFreeQuantity>`)
	template := Default()
	template.Locale = "de"
	shown := visibleText(t, Render(i, template).HTML)
	for _, want := range []string{
		"Kopie: Ja", "Gezahlter Betrag: 1.050,00 EUR", "Eingangsdatum: 20.12.2025", "7,98 USD", "Umsatzsteuersatz: 19,5 %", "Kostenlose Menge: 1.500,5 kg",
		"Gezahlter Betrag: 1050.00 ", "Eingangsdatum: 20251220 ",
	} {
		if !strings.Contains(shown, withoutSpace(want)) {
			t.Errorf("the page does not show %q", want)
		}
	}
}

// Parts have the names of EN 16931, and allowances are told from charges.
func TestFurtherDataHasNames(t *testing.T) {
	data, _ := furtherData(t, invoice(t, "extended"))
	var all []string
	for _, g := range data.Groups {
		for _, p := range g.Parts {
			for _, f := range p.Fields {
				all = append(all, g.Name+": "+joinNonEmpty(": ", p.Name, f.Label, f.Value))
			}
		}
	}
	for _, f := range data.Transmitted {
		all = append(all, "As transmitted: "+f.Label)
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{
		"Invoice: Specification identifier: " + einvoice.Guidelines["extended"], "Invoice: Invoice type code: 380", "Invoice: Document level allowance: VAT category code: S",
		"All lines: Item country of origin: AT", "Line 2: Line status reason code: DETAIL", "As transmitted: Invoice line charge, Charge indicator",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
