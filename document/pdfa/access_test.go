package pdfa

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// accessiblePDF returns a valid PDF/UA-1 file with a tagged page.
func accessiblePDF(t *testing.T) []byte {
	t.Helper()
	out, err := Convert(read(t, "testdata/tagged.pdf"), Document{Claim: Claim{Accessible: true}, Title: "Title", Language: "de", Now: now, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// accessBreaks are changes that violate one rule of PDF/UA-1 each.
var accessBreaks = []struct {
	rule   string
	change func(*conversion, types.Dict)
}{
	{"5-1", xmpEdit("<pdfuaid:part>1</pdfuaid:part>", "")},
	{"5-2", xmpEdit("<pdfuaid:part>1", "<pdfuaid:part>2")},
	{"6.2-1", inCatalog("MarkInfo", types.Dict{})},
	{"7.1-3", contentEdit("0 0 9 9 re f ")},
	{"7.1-4", inCatalog("MarkInfo", types.Dict{"Marked": types.Boolean(true), "Suspects": types.Boolean(true)})},
	{"7.1-8", func(_ *conversion, catalog types.Dict) { delete(catalog, "Metadata") }},
	{"7.1-9", xmpEdit("Title</rdf:li></rdf:Alt></dc:title>", "</rdf:li></rdf:Alt></dc:title>")},
	{"7.1-10", inCatalog("ViewerPreferences", types.Dict{})},
	{"7.1-11", func(_ *conversion, catalog types.Dict) { delete(catalog, "StructTreeRoot") }},
	{"7.2-29", inCatalog("Lang", types.StringLiteral("de_DE"))},
	{"7.2-34", func(_ *conversion, catalog types.Dict) { delete(catalog, "Lang") }},
	{"7.3-1", unset("S", "Figure", "Alt")},
	{"7.4.2-1", set("S", "H1", "S", types.Name("H3"))},
	{"7.18.3-1", func(c *conversion, catalog types.Dict) {
		c.eachPage(catalog["Pages"], 0, func(page types.Dict) { delete(page, "Tabs") })
	}},
	{"7.18.5-2", unset("Subtype", "Link", "Contents")},
}

// Each change violates its rule, possibly together with rules that depend on it.
func TestCheckFindsInaccessible(t *testing.T) {
	good := accessiblePDF(t)
	if err := Check(good, Claim{Accessible: true}); err != nil {
		t.Fatal(err)
	}
	for n, b := range accessBreaks {
		t.Run(fmt.Sprintf("%s#%d", b.rule, n), func(t *testing.T) {
			if err := Check(broken(t, good, b.change), Claim{Accessible: true}); !slices.Contains(rules(err), b.rule) {
				t.Errorf("%v", err)
			}
		})
	}
}

// Content becomes an artifact if it is outside marked content, or in marked content that no structure element owns.
func TestArtifacts(t *testing.T) {
	for content, want := range map[string]string{
		"q 0 0 1 1 re f Q":                                      "/Artifact BMC\nq 0 0 1 1 re f Q\nEMC\n",
		"0 0 1 1 re W n":                                        "0 0 1 1 re W n",
		"/P <</MCID 0>>BDC f EMC":                               "/P <</MCID 0>>BDC f EMC",
		"f /P <</MCID 0>>BDC f EMC":                             "/Artifact BMC\nf\nEMC\n /P <</MCID 0>>BDC f EMC",
		"/P <</MCID 7>>BDC f EMC":                               "\n/Artifact BMC\n f EMC",
		"/Own Do /Other Do":                                     "/Own Do/Artifact BMC\n /Other Do\nEMC\n",
		"/Artifact BMC /P <</MCID 0>>BDC f EMC f EMC":           "/Artifact BMC /P <</MCID 0>>BDC f EMC f EMC",
		"BI /W 1 ID x EI /P <</MCID 0>>BDC f EMC 0 0 1 1 re  n": "/Artifact BMC\nBI /W 1 ID x EI\nEMC\n /P <</MCID 0>>BDC f EMC 0 0 1 1 re  n",
	} {
		got, err := artifacts([]byte(content), marking{
			owned: func(n int) bool { return n == 0 }, structured: func(name string) bool { return name == "Own" },
		})
		if err != nil || string(got) != want {
			t.Errorf("%q became %q, %v", content, got, err)
		}
	}
	if _, err := artifacts([]byte("BI /W"), marking{}); err == nil {
		t.Error("broken content was marked")
	}
}

// Only the characters that codes map to are replaced.
func TestUnknownMapped(t *testing.T) {
	const head = "1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n"
	cmap := head + "2 beginbfchar\n<0001> <0000>\n<0002> <0041>\nendbfchar\n"
	if got := string(unknownMapped([]byte(cmap))); got != strings.Replace(cmap, "<0001> <0000>", "<0001> <FFFD>", 1) {
		t.Errorf("%q", got)
	}
}
