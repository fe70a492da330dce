package einvoice

import (
	"strings"
	"testing"

	"platen.dev/events/contract"
)

// An error about the guideline has both complete identifiers, and says what to do.
func TestWrongGuideline(t *testing.T) {
	xrechnung := Guidelines["xrechnung"]
	for declared, advice := range map[string]string{
		Guidelines["extended"]: "that identifier is the one of profile extended: send the invoice with it",
		xrechnung:              "that identifier is the one of profile xrechnung: send the invoice with it",
		xrechnung + "#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0": "that is XRechnung, but profile xrechnung requires " + xrechnung,
		"urn:ferd:CrossIndustryDocument:invoice:1p0:comfort":                    "that is ZUGFeRD 1, which is not supported",
		"urn:cen.eu:en16931:2017:compliant:factur-x.eu:1p0:extended":            "it resembles the identifier of profile extended, which is \"" + Guidelines["extended"] + "\": if that is meant, correct it",
		"urn:cen.eu:en16931:2017#compliant#urn:zugferd.de:2p0:basic":            "it resembles the identifier of profile basic,",
		"urn:cen.eu:en16931:2017#compliant:factur-x.eu:1p0:en16931":             "it looks like a misspelling of that identifier: correct it",
		"urn:factur-x.eu:2p0:ultimate":                                          "no supported profile has that identifier: use one of " + Guidelines["minimum"] + " (minimum), ",
		"urn:cpro.gouv.fr:1p0:extended":                                         "no supported profile has that identifier: use one of ",
	} {
		document := strings.Replace(sample(t, "en16931"), ">"+Guidelines["en16931"]+"<", ">"+declared+"<", 1)
		_, err := Parse([]byte(document), "en16931")
		if err == nil || !strings.Contains(err.Error(), ` is "`+declared+`", but profile en16931 requires "`+Guidelines["en16931"]+`"; `+advice) {
			t.Errorf("%s: got %v", declared, err)
		}
	}
	for _, profile := range contract.Profiles() {
		if advice := AdviseOn(Guidelines[profile], ""); !strings.Contains(advice, "profile "+profile+":") {
			t.Errorf("%s: %s", profile, advice)
		}
	}
}

// A guideline identifier of any length and with any characters gives an error of bounded length.
func TestHostileGuideline(t *testing.T) {
	hostile := strings.Repeat("x", 100_000) + "\u202e:factur-x:the-end"
	_, err := Parse([]byte(strings.Replace(sample(t, "en16931"), ">"+Guidelines["en16931"]+"<", ">"+hostile+"<", 1)), "en16931")
	if err == nil || len(err.Error()) > 1000 || strings.Contains(err.Error(), "\u202e") || !strings.Contains(err.Error(), ":the-end") {
		t.Errorf("got %.2000v", err)
	}
}
