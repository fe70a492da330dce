package blocks

import (
	"strings"
	"testing"

	"platen.dev/einvoice"
	samples "platen.dev/einvoice/sample"
)

// An amount has the decimals of its currency, and more if the XML has them.
func TestDecimalsOfCurrencies(t *testing.T) {
	const total = `<ram:GrandTotalAmount>297.50<`
	for _, c := range []struct{ currency, amount, want string }{
		{"EUR", "1000", "1,000.00\u00a0EUR"},
		{"EUR", "10.12345000", "10.12345\u00a0EUR"},
		{"JPY", "1000", "1,000\u00a0JPY"},
		{"JPY", "1000.50", "1,000.50\u00a0JPY"},
		{"KWD", "1.5", "1.500\u00a0KWD"},
		{"ISK", "1000", "1,000\u00a0ISK"},
		{"HUF", "1000", "1,000.00\u00a0HUF"},
		{"???", "1000", "1,000.00\u00a0???"},
	} {
		i := invoice(t, "extended", total, "<ram:GrandTotalAmount>"+c.amount+"<", "InvoiceCurrencyCode>EUR<", "InvoiceCurrencyCode>"+c.currency+"<")
		if got := newPresenter(i, "en").money(i.Totals().GrandTotal()); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A month is shown without a day.
func TestMonths(t *testing.T) {
	for text, want := range map[[2]string]string{{"610", "202603"}: "03/2026", {"102", "20260306"}: "06.03.2026", {"610", "20260305"}: "05.03.2026", {"616", "202603"}: "202603"} {
		i := invoice(t, "basic", `format="102">20260305<`, `format="`+text[0]+`">`+text[1]+`<`)
		if got := newPresenter(i, "de").date(i.IssueDate()); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// The subject of a UBL note is among the further data, as that of a note in CII.
func TestSubjectOfNote(t *testing.T) {
	ubl := strings.Replace(string(samples.XML(samples.UBLInvoice)), "<cbc:Note>Thank", "<cbc:Note>#ADU#Thank", 1)
	i, err := einvoice.ParseUBL([]byte(ubl))
	if err != nil {
		t.Fatal(err)
	}
	p := newPresenterOn(i, Default())
	if got := p.notes(); !strings.HasPrefix(got[0], "Thank you") {
		t.Errorf("the note is %q", got)
	}
	if got := p.reformatted.values["Invoice note, Subject code"]; len(got) != 1 || got[0] != "ADU" {
		t.Errorf("its subject is %q", got)
	}
	cii := invoice(t, "basic", "Thank you", "#ADU#Thank you")
	if got := newPresenterOn(cii, Default()).notes(); !strings.HasPrefix(got[0], "#ADU#") {
		t.Errorf("the note in CII is %q", got)
	}
}

// A unit is a symbol or a word in the language of the page, for one or for several.
func TestUnits(t *testing.T) {
	for _, c := range []struct{ locale, code, number, want string }{
		{"de", "MON", "1", "1\u00a0Monat"},
		{"de", "MON", "-1.00", "−1\u00a0Monat"},
		{"de", "MON", "1.5", "1,5\u00a0Monate"},
		{"fr", "ANN", "1", "1\u00a0an"},
		{"ja", "MON", "2", "2\u00a0months"},
		{"it", "DAY", "11", "11\u00a0giorni"},
		{"de", "LS", "1", "1\u00a0pauschal"},
		{"en", "LS", "1", "1\u00a0flat\u00a0fee"},
		{"en", "SET", "1", "1\u00a0set"},
		{"es", "XBX", "2", "2\u00a0cajas"},
		{"nl", "XCT", "1", "1\u00a0karton"},
		{"de", "C62", "3", "3"},
		{"de", " H87\n", "1", "1\u00a0Stk."},
		{"de", "KGM", "1", "1\u00a0kg"},
		{"de", "XZZ", "1", "1\u00a0XZZ"},
	} {
		i := invoice(t, "en16931", `unitCode="C62">2<`, `unitCode="`+c.code+`">`+c.number+`<`)
		if got := newPresenter(i, c.locale).quantity(i.Lines()[0].Quantity()); got != c.want {
			t.Errorf("%s %s in %s is %q, want %q", c.number, c.code, c.locale, got, c.want)
		}
	}
}
