package blocks

import "testing"

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
