package request

import (
	"strings"
	"testing"
)

// An accepted value of a style sheet cannot escape from its declaration.
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
				t.Errorf("%s %q is refused in %d bytes", name, s, len(wrong))
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

func TestCheckURLs(t *testing.T) {
	long := "https://a.test/" + strings.Repeat("é", 4_095)
	for url, want := range map[string][2]string{
		"https://a.test/x?y#z":  {"", ""},
		"https://a.test:443/":   {"", ""},
		"HTTPS://A.TEST":        {"", ""},
		"http://a.test/":        {"", "url must be an https URL with a host"},
		"https://a.test:8443/":  {"", "url must use port 443, not 8443"},
		"https://u:p@a.test/":   {"webhook_url must not contain credentials; configure delivery headers for the account instead", "url must not contain credentials"},
		"https://u@a.test:444/": {"webhook_url must not contain credentials; configure delivery headers for the account instead", "url must use port 443, not 444"},
		"ftp://a.test/":         {"webhook_url must be an http or https URL with a host", "url must be an https URL with a host"},
		"https://":              {"webhook_url must be an http or https URL with a host", "url must be an https URL with a host"},
		"https://:443/":         {"webhook_url must be an http or https URL with a host", "url must be an https URL with a host"},
		"https://a b/":          {"webhook_url must be an http or https URL with a host", "url must be an https URL with a host"},
		"":                      {"webhook_url must be an http or https URL with a host", "url must be an https URL with a host"},
		long:                    {"webhook_url is longer than 8,192 bytes", "url is longer than 8,192 bytes"},
	} {
		if got := [2]string{checkWebhook(url), checkDelivery(url)}; got != want {
			t.Errorf("%.40q: got %q, want %q", url, got, want)
		}
	}
}

func TestCheckColor(t *testing.T) {
	for s, ok := range map[string]bool{
		"red": true, "#c00": true, "#cc0000cc": true, "rgb(1 2 3 / 50%)": true, "rgba(1, 2, 3, .5)": true, "rgb(+1.5, -2, 3%)": true, "hsl(-120deg 1% 1%)": true,
		"rgb(-,-,-)": false, "rgba(1.2.3, ..., +-+, .)": false, "hsl(...deg, 1%, 2%)": false, "rgb(1, 2)": false, "#cc": false, "reddish": false, "": false,
	} {
		if got := checkColor(s) == ""; got != ok {
			t.Errorf("%q: valid %t, want %t", s, got, ok)
		}
	}
}
