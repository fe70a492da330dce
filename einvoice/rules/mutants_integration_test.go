//go:build integration

package rules

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen.dev/einvoice"
)

// mutant is a sample with one change.
type mutant struct{ profile, change, document string }

// TestOfficialMutants changes each element and attribute of the samples in every way it knows, and compares the verdict on each mutant that
// the schema accepts with that of the official rules.
func TestOfficialMutants(t *testing.T) {
	all := changes(t)
	official := judge(t, "en16931", all)
	named, err := Named([]string{"en16931"})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	fired := map[string]bool{}
	for n, m := range all {
		for _, v := range official[n] {
			fired[v] = true
		}
		invoice, err := einvoice.ParseSchemaOnly([]byte(m.document), m.profile)
		if err != nil {
			t.Fatal(err)
		}
		if difference := differ("mutant", fires(invoice, named), official[n]); difference != "" {
			if seen[difference]++; seen[difference] <= 3 {
				t.Errorf("%s, %s: %s", m.profile, m.change, difference)
			}
		}
	}
	t.Logf("%d mutants, %d official rules broken, %d kinds of differences", len(all), len(fired), len(seen))
	t.Logf("not broken by any: %v", untouched(fired))
	if len(all) < 1000 || len(fired) < 100 {
		t.Error("too few mutants, or they break too few rules")
	}
}

// untouched are the rules of the set that no mutant breaks.
func untouched(fired map[string]bool) (ids []string) {
	for _, r := range en16931() {
		if !fired[r.Severity.String()+":"+r.ID] {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

func fires(invoice *einvoice.Invoice, sets []*Set) (fired []string) {
	for _, v := range Check(invoice, sets...).Violations {
		fired = append(fired, fmt.Sprintf("%s:%s", v.Severity, v.Rule))
	}
	return unique(fired)
}

// judge has the official rules of a set judge mutants, in one JVM.
func judge(t *testing.T, set string, all []mutant) [][]string {
	t.Helper()
	dir := t.TempDir()
	var list strings.Builder
	for n, m := range all {
		path := filepath.Join(dir, fmt.Sprintf("%05d.xml", n))
		if err := os.WriteFile(path, []byte(m.document), 0o600); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&list, "%s\t%s\n", set, path)
	}
	run := exec.Command("../../testdata/verapdf/run.sh", "rules")
	var failure bytes.Buffer
	run.Stdin, run.Stderr = strings.NewReader(list.String()), &failure
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v: %.1000s", err, &failure)
	}
	var verdict [][]string
	for line := range strings.Lines(string(out)) {
		columns := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(columns) != 4 || columns[2] != "ok" {
			t.Fatalf("the official rules broke off: %.500s", line)
		}
		verdict = append(verdict, verdicts(columns[3]))
	}
	if len(verdict) != len(all) {
		t.Fatalf("%d verdicts on %d mutants", len(verdict), len(all))
	}
	return verdict
}

// changes are those that are valid by the schema, each once.
func changes(t *testing.T) (valid []mutant) {
	seen := map[string]bool{}
	for _, base := range bases(t) {
		for _, m := range base.changed() {
			if seen[m.document] || !chosen(m.change) {
				continue
			}
			seen[m.document] = true
			if _, err := einvoice.ParseSchemaOnly([]byte(m.document), m.profile); err == nil {
				valid = append(valid, m)
			}
		}
	}
	return valid
}

// chosen reports whether a change is tried: a few by their name, of those that leave out an element more.
func chosen(change string) bool {
	share := uint32(61)
	if strings.Contains(change, "without ") || strings.Contains(change, "TypeCode>VAT<") {
		share = 7
	}
	hash := fnv.New32a()
	hash.Write([]byte(change))
	return change == "" || strings.HasSuffix(change, ": ") || hash.Sum32()%share == 0
}

// bases are the samples, and the basic one with each category of VAT.
func bases(t *testing.T) (all []mutant) {
	for _, profile := range []string{"basic", "en16931"} {
		document, err := os.ReadFile("../sample/" + profile + ".xml")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, mutant{profile, "", string(document)})
	}
	rate := regexp.MustCompile(`<ram:RateApplicablePercent>[^<]*<`)
	for _, c := range categories {
		document := strings.ReplaceAll(all[0].document, ">S<", ">"+c.code+"<")
		all = append(all, mutant{"basic", c.code + ": ", document})
		all = append(all, mutant{"basic", c.code + " at 0: ", rate.ReplaceAllString(document, "<ram:RateApplicablePercent>0<")})
	}
	return all
}

var (
	leaf      = regexp.MustCompile(`^(\s*<([\w:]+)[^>]*>)([^<]*)(</.*)$`)
	attribute = regexp.MustCompile(` (\w+)="[^"]*"`)
	// values replace texts, codes and attributes.
	values = []string{
		"", " ", "X", "XX", "S", "Z", "E", "AE", "K", "G", "O", "L", "M", "0", "0.00", "-1", "1.005", "3.141", "250.00", "VAT",
		"EUR", "USD", "EUX", "DE123456789", "123", "20260230", "20261301", "20200101", "2026-01-01", "380", "381", "384", "916", "50", "130",
		"30", "58", "59", "48", "5", "35", "AAB", "VATEX-EU-G", "vatex-eu-g", "0088", "EM", "C62", "true", "false", "application/pdf", "102", "GR", "EL", "XI", "1A",
	}
)

// changed are the mutants of a document of which each element has lines of its own: each element is left out and repeated, each text
// and attribute replaced, each attribute left out.
func (m mutant) changed() (all []mutant) {
	all = append(all, m)
	lines := strings.Split(m.document, "\n")
	add := func(change string, changed ...string) {
		all = append(all, mutant{m.profile, m.change + change, strings.Join(changed, "\n")})
	}
	for from, line := range lines {
		if to := end(lines, from); to > from {
			what := fmt.Sprintf("%d %s", from+1, strings.TrimSpace(line))
			add("without "+what, slices.Concat(lines[:from], lines[to:])...)
			add("twice "+what, slices.Concat(lines[:to], lines[from:])...)
			for name, changed := range variants(line) {
				add(name+" in "+what, slices.Concat(lines[:from], []string{changed}, lines[from+1:])...)
			}
		}
	}
	return all
}

// end is the line after an element that starts on a line, or 0 if none does.
func end(lines []string, from int) int {
	line := lines[from]
	if leaf.MatchString(line) {
		return from + 1
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	if !strings.HasPrefix(line[len(indent):], "<ram:") && !strings.HasPrefix(line[len(indent):], "<udt:") {
		return 0
	}
	for to := from + 1; to < len(lines); to++ {
		if strings.HasPrefix(lines[to], indent+"</") {
			return to + 1
		}
	}
	return 0
}

// variants are the changes to a line.
func variants(line string) map[string]string {
	all := map[string]string{}
	if parts := leaf.FindStringSubmatch(line); parts != nil {
		for _, v := range values {
			all["text "+v] = parts[1] + v + parts[4]
		}
	}
	for _, a := range attribute.FindAllStringSubmatch(line, -1) {
		all["no "+a[1]] = strings.Replace(line, a[0], "", 1)
		for _, v := range values {
			all[a[1]+" "+v] = strings.Replace(line, a[0], " "+a[1]+"=\""+v+"\"", 1)
		}
	}
	return all
}
