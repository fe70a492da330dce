package rules

import (
	"strings"
	"testing"
)

// Each of our own warnings is given on one side of its limit only.
func TestPlatenRules(t *testing.T) {
	own, err := Named([]string{"platen"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, good, bad, rule string }{
		{">20260305<", ">20260228<", ">20260229<", "PLATEN-01"},
		{">20260305<", ">20240229<", ">20260431<", "PLATEN-01"},
		{"DE02120300000000202051", "DE02 1203 0000 0000 2020 51", "DE03120300000000202051", "PLATEN-02"},
		{"DE123456789", "IE1234567WA", "DE1", "PLATEN-03"},
		{">FR</ram:CountryID>", ">BE</ram:CountryID>", ">F</ram:CountryID>", "PLATEN-04"},
		{">20260404<", ">20260305<", ">20260304<", "PLATEN-05"},
		{"4000001000005", "4000001000005", "4000001000006", "PLATEN-06"},
	} {
		for text, broken := range map[string]bool{c.good: false, c.bad: true} {
			var found []string
			for _, v := range Check(sampleOf(t, c.old, text), own...).Violations {
				if v.Rule == c.rule {
					found = append(found, v.String())
				}
			}
			if (len(found) > 0) != broken || broken && !strings.HasPrefix(found[0], "warning ") {
				t.Errorf("%s: %s: got %v", c.rule, text, found)
			}
		}
	}
}
