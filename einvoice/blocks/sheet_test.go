package blocks

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"platen.dev/einvoice"
	"platen.dev/einvoice/stress"
	"platen.dev/events/contract"
)

// A sheet is the paper without its margins, whatever the format and the shorthand.
func TestSheet(t *testing.T) {
	for _, c := range []struct {
		setup         PageSetup
		width, height float64
		class         string
	}{
		{PageSetup{}, 180, 267, ""},
		{PageSetup{Format: "LETTER", Margin: "1in 0.5in"}, 190.5, 228.6, ""},
		{PageSetup{Format: "A4", Margin: "0 49.9mm"}, 110.2, 297, ""},
		{PageSetup{Format: "A4", Margin: "0 50.1mm"}, 109.8, 297, "narrow"},
		{PageSetup{Format: "A4", Margin: "0 70.1mm"}, 69.8, 297, "narrow strip"},
	} {
		s := sheetOf(c.setup)
		if math.Abs(s.width-c.width) > 0.01 || math.Abs(s.height-c.height) > 0.01 || s.class() != c.class {
			t.Errorf("%+v gives %+v of class %q", c.setup, s, s.class())
		}
	}
	for _, format := range contract.InvoiceFormats() {
		if w, h := contract.PaperSize(format); w <= 0 || h <= w {
			t.Errorf("%s has %v × %v inches", format, w, h)
		}
	}
}

// stacked renders lines with numbers of n digits and reports whether they are below the descriptions.
func stacked(t *testing.T, digits int) bool {
	t.Helper()
	i := invoice(t, "en16931", `unitCode="C62">2<`, `unitCode="C62">`+strings.Repeat("7", digits)+`<`)
	return newPresenterOn(i, Default()).lineItems(Block{Type: LineItems}).Stacked
}

func newPresenterOn(i *einvoice.Invoice, t Template) *presenter {
	p := newPresenter(i, t.Locale)
	p.sheet = sheetOf(t.Page)
	return p
}

// Numbers stay beside the descriptions as long as these have enough width.
func TestStacked(t *testing.T) {
	widest := 0
	for digits := 1; digits <= 60 && !stacked(t, digits); digits++ {
		widest = digits
	}
	if widest < 15 || widest > 40 {
		t.Errorf("numbers of up to %d digits stay in their column", widest)
	}
}

// Every text of every stress invoice is shown, with all templates.
func TestEveryTextIsShownUnderStress(t *testing.T) {
	for _, c := range stress.Cases() {
		i, err := einvoice.Parse(c.XML, stress.Profile)
		if err != nil {
			t.Fatal(err)
		}
		var template Template
		if err := json.Unmarshal(c.Template, &template); err != nil {
			t.Fatal(err)
		}
		if lost := missing(i, visibleText(t, Render(i, template).HTML)); len(lost) > 0 {
			t.Errorf("%s does not show %q", c.Name, lost[:min(len(lost), 3)])
		}
	}
}
