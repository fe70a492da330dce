package rules

import (
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen.dev/einvoice"
)

// replaced returns a file after replacements of old by new, in pairs.
func replaced(t testing.TB, path string, replacements []string) []byte {
	t.Helper()
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(document)
	for n := 0; n < len(replacements); n += 2 {
		if !strings.Contains(text, replacements[n]) {
			t.Fatalf("the sample has no %q", replacements[n])
		}
		text = strings.Replace(text, replacements[n], replacements[n+1], 1)
	}
	return []byte(text)
}

// sampleOf returns an invoice that keeps every rule, after replacements of old by new, in pairs.
func sampleOf(t testing.TB, replacements ...string) *einvoice.Invoice {
	t.Helper()
	invoice, err := einvoice.ParseSchemaOnly(replaced(t, "testdata/base.xml", replacements), "basic")
	if err != nil {
		t.Fatal(err)
	}
	return invoice
}

func brokenBy(t testing.TB, replacements ...string) []string {
	t.Helper()
	var ids []string
	for _, v := range Check(sampleOf(t, replacements...), sets[0]).Violations {
		if v.Path == "" || v.Line < 1 || v.Message == "" || v.Fix == "" {
			t.Errorf("incomplete: %+v", v)
		}
		ids = append(ids, v.Rule)
	}
	return unique(ids)
}

var update = flag.Bool("update", false, "write testdata/mutants.txt")

// Each mutant of the base changes one text; testdata/mutants.txt lists the rules that it breaks.
func TestMutants(t *testing.T) {
	if broken := brokenBy(t); broken != nil {
		t.Fatalf("the base breaks %v", broken)
	}
	var got strings.Builder
	broken := map[string]bool{}
	for name, document := range mutants(t) {
		invoice, err := einvoice.ParseSchemaOnly([]byte(document), "basic")
		if err != nil {
			continue
		}
		var ids []string
		for _, v := range Check(invoice, sets[0]).Violations {
			ids = append(ids, v.Rule)
			broken[v.Rule] = true
		}
		if dir := os.Getenv("MUTANTS"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d.xml", strings.Count(got.String(), "\n"))), []byte(document), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprintf(&got, "%s: %s\n", name, strings.Join(unique(ids), " "))
	}
	t.Logf("%d mutants break %d rules", strings.Count(got.String(), "\n"), len(broken))
	if *update {
		if err := os.WriteFile("testdata/mutants.txt", []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/mutants.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Error("the verdicts on mutants have changed: run go test -update, and look at the difference")
	}
}

var text = regexp.MustCompile(`<((?:ram|udt):\w+)( [^<>]*)?>([^<>]*)</[\w:]+>`)

// mutants yields documents by line and new text: each text removed with its element, or replaced, and each attribute replaced.
func mutants(t *testing.T) iter.Seq2[string, string] {
	document, err := os.ReadFile("testdata/base.xml")
	if err != nil {
		t.Fatal(err)
	}
	base := string(document)
	return func(yield func(string, string) bool) {
		for _, at := range text.FindAllStringSubmatchIndex(base, -1) {
			where := fmt.Sprintf("line %d %s", 1+strings.Count(base[:at[0]], "\n"), base[at[2]:at[3]])
			yield(where+" removed", base[:at[0]]+base[at[1]:])
			values := []string{"", "-5", "1.234", "ZZ"}
			if strings.HasSuffix(base[at[2]:at[3]], "CategoryCode") {
				values = append(values, "Z", "E", "AE", "K", "G", "O", "L", "M", "B")
			}
			for _, value := range values {
				yield(where+" = "+value, base[:at[6]]+value+base[at[7]:])
			}
			if at[4] >= 0 {
				yield(where+" attribute", base[:at[4]]+quotedText.ReplaceAllString(base[at[4]:at[5]], `"ZZ"`)+base[at[5]:])
			}
		}
	}
}

var quotedText = regexp.MustCompile(`"[^"]*"`)

// The official rules take white space around some values for a part of them, though not around all.
func TestWhiteSpace(t *testing.T) {
	for edit, want := range map[[2]string]string{
		{"<ram:InvoiceCurrencyCode>EUR<", "<ram:InvoiceCurrencyCode>EUR\n<"}: "BR-CO-15",
		{"<ram:TypeCode>VAT<", "<ram:TypeCode> VAT<"}:                        "CII-DT-037",
		{"<ram:CategoryCode>S<", "<ram:CategoryCode>S <"}:                    "BR-S-08",
		{`schemeID="VA">DE`, `schemeID="VA"> DE`}:                            "BR-CO-09",
		{".50</ram:GrandTotalAmount>", ".50 </ram:GrandTotalAmount>"}:        "BR-DEC-14",
		{"<ram:GrandTotalAmount>", "<ram:GrandTotalAmount> "}:                "",
		{"<ram:CountryID>DE<", "<ram:CountryID> DE <"}:                       "",
	} {
		if got := brokenBy(t, edit[0], edit[1]); want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%q breaks %v, want %s", edit[1], got, want)
		}
	}
}

// A rule is reported at most MaxPlaces times, and does not crowd out others.
func TestPlacesAreBounded(t *testing.T) {
	document, err := os.ReadFile("testdata/base.xml")
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<ram:IncludedSupplyChainTradeLineItem>", "</ram:IncludedSupplyChainTradeLineItem>"
	text := string(document)
	line := text[strings.Index(text, begin) : strings.Index(text, end)+len(end)]
	line = strings.Replace(line, `unitCode="`, `unitCode="?`, 1)
	for _, n := range []int{MaxPlaces, MaxPlaces + 1} {
		invoice, err := einvoice.ParseSchemaOnly([]byte(strings.Replace(text, begin, strings.Repeat(line, n)+begin, 1)), "basic")
		if err != nil {
			t.Fatal(err)
		}
		places := map[string]int{}
		for _, v := range Check(invoice, sets[0]).Violations {
			places[v.Rule]++
		}
		if places["BR-CL-23"] != MaxPlaces || places["BR-CO-10"] != 1 {
			t.Errorf("%d bad lines: %v", n, places)
		}
	}
}

// The tables are complete: each identifier exists once, with its words and condition.
func TestTables(t *testing.T) {
	for _, s := range Sets() {
		seen := map[string]bool{}
		for _, r := range s.Rules() {
			if r.ID == "" || r.Demand == "" || r.Fix == "" || r.find == nil && !strings.HasPrefix(r.ID, "FX-") || seen[r.ID] {
				t.Errorf("%s: a faulty row %+v", s.Name, r)
			}
			seen[r.ID] = true
		}
		t.Logf("%s has %d rules", s.Name, len(seen))
	}
	if _, err := Named([]string{"en16931", "nonsense"}); err == nil || !strings.Contains(err.Error(), "en16931") {
		t.Errorf("got %v", err)
	}
	if slices.Contains(For("minimum"), sets[0]) || !slices.Contains(For("basic"), sets[0]) {
		t.Error("the wrong sets for a profile")
	}
}

// Each code list has a description and a version.
func TestCodeLists(t *testing.T) {
	for _, l := range CodeLists() {
		if l.Title == "" || l.Version == "" || l.Size == 0 {
			t.Errorf("incomplete: %+v", l)
		}
		if strings.Contains(string(codes(l.Name)), "|") {
			t.Errorf("%s: its head is among its codes", l.Name)
		}
	}
}

func TestDecimal(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{parseDecimal("0.1").plus(parseDecimal("0.2")).String(), "0.3"},
		{parseDecimal("2.345").round(2).String(), "2.35"},
		{parseDecimal("-2.345").round(2).String(), "-2.34"},
		{parseDecimal("-.5").round(0).String(), "0"},
		{parseDecimal("+7.").String(), "7"},
		{parseDecimal(" 119 ").percent(parseDecimal("19")).String(), "22.61"},
		{parseDecimal("-0.05").String(), "-0.05"},
		{parseDecimal(strings.Repeat("9", maxDigits)).String(), strings.Repeat("9", maxDigits)},
		{parseDecimal(strings.Repeat("9", maxDigits+1)).String(), "no number"},
		{parseDecimal("").plus(one).String(), "no number"},
		{parseDecimal("1_0").String(), "no number"},
		{parseDecimal("1e3").String(), "no number"},
		{parseDecimal("--1").String(), "no number"},
		{parseDecimal("1.-1").String(), "no number"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
	if parseDecimal("").equals(parseDecimal("")) {
		t.Error("no number equals no number")
	}
}

// BenchmarkRules checks parsed invoices of about 20 KB, in CII and in UBL.
func BenchmarkRules(b *testing.B) {
	read := func(path string) string { return string(replaced(b, path, nil)) }
	cii, err := einvoice.ParseSchemaOnly(grown(read("testdata/base.xml"), "ram:IncludedSupplyChainTradeLineItem"), "basic")
	if err != nil {
		b.Fatal(err)
	}
	ubl, err := einvoice.ParseUBL(grown(read("../sample/ubl-invoice.xml"), "cac:InvoiceLine"))
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range sets {
		for name, invoice := range map[string]*einvoice.Invoice{"cii": cii, "ubl": ubl} {
			if s.IsFor(invoice.UBL) {
				b.Run(s.Name+"/"+name, func(b *testing.B) {
					for b.Loop() {
						Check(invoice, s)
					}
				})
			}
		}
	}
}

// grown returns an invoice with additional lines, so that it has about 20 KB.
func grown(text, line string) []byte {
	begin, end := "<"+line+">", "</"+line+">"
	one := text[strings.Index(text, begin) : strings.Index(text, end)+len(end)]
	return []byte(strings.Replace(text, begin, strings.Repeat(one, max(0, 20_000-len(text))/len(one)+1)+begin, 1))
}
