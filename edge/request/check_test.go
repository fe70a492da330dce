package request

import (
	"strings"
	"testing"
)

// A value that is accepted for a style sheet cannot leave its declaration.
func FuzzStyles(f *testing.F) {
	for _, s := range []string{
		"10px", "0", ".5in", "1e3px", "10px;", "10px 20px", "1cm\n2cm", "red", "#c00", "#c00c", "rgba(200, 200, 200, 0.3)", "rgb(1 2 3 / 50%)", "hsl(120deg 1% 1%)", "url(x)", "rgb(1,2,3);x:y", "expression(1)", "\u212aHAKI", "transparent", "1px}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, check := range map[string]func(string) string{"margin": checkMargin, "margins": checkMargins, "font_size": checkFontSize, "color": checkColor} {
			wrong := check(s)
			if len(wrong) > 200 {
				t.Errorf("%s %q is told in %d bytes", name, s, len(wrong))
			}
			if wrong == "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789#%.,+-/() \t\n\f\r") != "" {
				t.Errorf("%s %q is accepted", name, s)
			}
			if wrong == "" && name != "color" && (strings.ContainsAny(s, "()/#,+-") || s == "") {
				t.Errorf("%s %q is accepted", name, s)
			}
		}
	})
}

func TestCheckLength(t *testing.T) {
	for s, ok := range map[string]bool{
		"10px": true, "0": true, "0.5in": true, ".5cm": true, "12mm": true, "3pt": true, "1pc": true, "0px": true,
		"": false, "10": false, "1em": false, "-1px": false, "1 px": false, "calc(1px)": false, "1e3px": false, "px": false,
		strings.Repeat("1", 100) + "px": false,
	} {
		if got := checkMargin(s) == ""; got != ok {
			t.Errorf("%q: valid %t, want %t", s, got, ok)
		}
	}
}
