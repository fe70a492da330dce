package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"platen.dev/einvoice"
)

// explained lists the known differences from the official verdicts, as "file rule", with reasons.
var explained = map[string]string{
	"v-decimal-ws.xml BR-DEC-14": "the official rule counts white space after the number as decimals",
	// The tables are of July 2026, before Factur-X 1.09.2.
	"xml_en16931_3.xml BR-CO-27":                                      "called CII-SR-470 since",
	"xml_en16931_3.xml CII-SR-470":                                    "called BR-CO-27 before",
	"xml_en16931_3.xml FX-SCH-A-000181":                               "called FX-SCH-A-000589 since",
	"xml_en16931_3.xml FX-SCH-A-000589":                               "called FX-SCH-A-000181 before",
	"lastschrift_iban_bug.xml BR-FX-EN-04":                            "dropped since",
	"valid_with_VAT_O.xml BR-FX-EN-04":                                "dropped since",
	"03_ZugferdDocumentReader_ImportFile_EN16931.xml CII-SR-475":      "new",
	"EN16931_Reisekostenabrechnung.xml CII-SR-475":                    "new",
	"EN16931_Reisekostenabrechnung.xml CII-SR-476":                    "new",
	"zugferd_2p2_EXTENDED_Fremdwaehrung-factur-x.xml FX-SCH-A-000704": "new",
	"zugferd_2p2_EXTENDED_Fremdwaehrung-factur-x.xml FX-SCH-A-000973": "new",
	"zugferd_2p2_EXTENDED_Fremdwaehrung-factur-x.xml FX-SCH-A-001137": "new",
	"zugferd_2p2_EXTENDED_Fremdwaehrung-factur-x.xml " + unusedRule:   "not used before",
}

// official lists tables of official verdicts, each with its set and profile.
var official = []struct{ table, set, profile string }{
	{"cen-cii", "en16931", ""},
	{"fx-basicwl", "facturx", ""},
	{"fx-en16931", "facturx", ""},
	{"fx-extended", "facturx", ""},
	{"br-fr", "fr", ""},
}

// TestOracle compares the rules that the samples break with the official verdicts.
func TestOracle(t *testing.T) {
	dir, err := filepath.Abs("../../../shared/einvoice")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("NOT TESTED against the official rules: %s does not exist", dir)
	}
	profiles := profilesOf(t, filepath.Join(dir, "manifest.tsv"))
	for _, o := range official {
		t.Run(o.table, func(t *testing.T) { compareTable(t, dir, o.table, o.set, profiles) })
	}
}

// profilesOf returns the profiles of the samples by path.
func profilesOf(t *testing.T, manifest string) map[string]string {
	rows := readTable(t, manifest)
	path, profile := slices.Index(rows[0], "path"), slices.Index(rows[0], "profile")
	all := map[string]string{}
	for _, row := range rows[1:] {
		all[row[path]] = row[profile]
	}
	return all
}

func readTable(t *testing.T, path string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.Split(strings.TrimRight(line, "\n"), "\t"))
	}
	return rows
}

func compareTable(t *testing.T, dir, table, set string, profiles map[string]string) {
	named, err := Named([]string{set})
	if err != nil {
		t.Fatal(err)
	}
	equal, broken, differences := 0, 0, 0
	for _, row := range readTable(t, filepath.Join(dir, "rules", table+".tsv")) {
		if row[1] != "ok" {
			broken++
			continue
		}
		got, want := verdictOf(t, filepath.Join(dir, row[0]), profileOf(row[0], profiles), named), verdicts(row[2])
		if difference := differ(filepath.Base(row[0]), got, want); difference != "" {
			t.Errorf("%s: %s", row[0], difference)
			differences++
			continue
		}
		equal++
	}
	t.Logf("%s: %d samples have the official verdict, %d differ; on %d the official rules broke off", table, equal, differences, broken)
	if equal < 10 {
		t.Error("too few samples were compared")
	}
}

// profileOf returns the profile of a sample: from the manifest or, for synthetic ones, from the folder.
func profileOf(path string, profiles map[string]string) string {
	if profile := profiles[path]; profile != "" {
		return profile
	}
	return filepath.Base(filepath.Dir(path))
}

func verdictOf(t *testing.T, path, profile string, sets []*Set) (fired []string) {
	t.Helper()
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	invoice, err := einvoice.ParseSchemaOnly(document, profile)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for _, v := range Check(invoice, sets...).Violations {
		fired = append(fired, fmt.Sprintf("%s:%s", v.Severity, v.Rule))
	}
	return unique(fired)
}

// verdicts parses flag:rule×count, where the flag error means fatal.
func verdicts(list string) (fired []string) {
	for _, v := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		v, _, _ = strings.Cut(v, "×")
		if id, is := strings.CutPrefix(v, "error:"); is {
			v = "fatal:" + id
		}
		v = strings.Replace(v, ":?", ":"+unusedRule, 1)
		fired = append(fired, v)
	}
	return unique(fired)
}

func unique(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

// differ describes the unexplained differences.
func differ(file string, got, want []string) string {
	var lines []string
	report := func(what string, from, missing []string) {
		for _, v := range from {
			_, id, _ := strings.Cut(v, ":")
			if !slices.Contains(missing, v) && explained[file+" "+id] == "" {
				lines = append(lines, what+" "+v)
			}
		}
	}
	report("only ours:", got, want)
	report("only official:", want, got)
	return strings.Join(lines, ", ")
}
