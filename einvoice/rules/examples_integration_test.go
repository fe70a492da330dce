//go:build integration

package rules

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

// TestExamples checks that each rule has an example: an invoice that keeps it, and the same with one change that breaks it. With -update, it
// searches for the examples among all mutants, which takes many minutes, and writes them to examples.txt.
func TestExamples(t *testing.T) {
	if *update {
		writeExamples(t, search(t))
		return
	}
	origins := originsOf(t)
	for _, e := range everyRule() {
		reason := unbroken(e.set.Name, e.ubl, e.id)
		switch {
		case e.record != nil && reason != "":
			t.Errorf("%s: there is an example, although %s", e.key(), reason)
		case e.record == nil && reason == "":
			t.Errorf("%s: no example", e.key())
		case e.record != nil:
			e.verify(t, origins)
		}
	}
}

// TestOfficialExamples has the official rules judge the examples.
func TestOfficialExamples(t *testing.T) {
	origins := originsOf(t)
	var trials []trial
	var of []exampleOf
	for n, e := range everyRule() {
		if e.record == nil || e.set.Name == "platen" || !testkit.InShare(t, n) {
			continue
		}
		o, kept, broken := e.documents(t, origins)
		for document, ours := range map[string][]string{kept: nil, broken: {":" + e.id}} {
			m := o.mutant
			m.document = document
			m.change += " example"
			trials, of = append(trials, trial{m, strings.TrimSuffix(e.set.Name+"-"+syntaxOf(e.ubl), "-cii"), ours}), append(of, e)
		}
	}
	confirmed := 0
	for n, v := range judge(t, trials) {
		if v.state != "ok" {
			continue
		}
		confirmed++
		this := func(fired string) bool { return fired == ":"+of[n].id }
		if difference := trials[n].differ(keep(trials[n].ours, this), keep(identifiers(v.fired), this)); difference != "" {
			t.Errorf("%s: %s", of[n].key(), difference)
		}
	}
	t.Logf("the official rules confirm %d of %d halves of examples", confirmed, len(trials))
}

// originsOf returns the invoices that examples change, by their hash.
func originsOf(t *testing.T) map[string]*origin {
	all := map[string]*origin{}
	for _, s := range stepsOf(t) {
		all[s.from.id()] = s.from
	}
	return all
}

// exampleOf is a rule for one syntax, with its example or nil.
type exampleOf struct {
	set    *Set
	ubl    bool
	id     string
	record *exampleRecord
}

func (e exampleOf) key() string { return exampleKey(e.set.Name, e.ubl, e.id) }

// everyRule returns all rules, for each syntax.
func everyRule() (all []exampleOf) {
	for _, s := range Sets() {
		for _, ubl := range []bool{false, true} {
			for _, r := range s.rulesFor(ubl) {
				e := exampleOf{set: s, ubl: ubl, id: r.ID}
				if record, has := exampleRecords()[e.key()]; has {
					e.record = &record
				}
				all = append(all, e)
			}
		}
	}
	return all
}

// verify checks that the invoice of an example keeps the rule, and breaks it after the change.
func (e exampleOf) verify(t *testing.T, origins map[string]*origin) {
	o, kept, broken := e.documents(t, origins)
	for document, want := range map[string]bool{kept: false, broken: true} {
		invoice, err := o.parse(document)
		if err != nil {
			t.Errorf("%s: %v", e.key(), err)
			continue
		}
		if got := slices.Contains(identifiersOf(invoice, e.set), e.id); got != want {
			t.Errorf("%s: the invoice breaks the rule: %v, want %v", e.key(), got, want)
		}
	}
}

// documents returns the invoice that keeps the rule and the one that breaks it, made of their origin and the lines of the example.
func (e exampleOf) documents(t *testing.T, origins map[string]*origin) (o *origin, kept, broken string) {
	known, fixes := strings.CutSuffix(e.record.invoice, mended)
	hash, at, _ := strings.Cut(known, " ")
	from, err := strconv.Atoi(at)
	if o = origins[hash]; err != nil || o == nil {
		t.Fatalf("%s: no invoice is %s: run go test -tags integration -run 'TestExamples$' -update ./einvoice/rules", e.key(), e.record.invoice)
	}
	before := strings.Split(indented(o.document), "\n")
	removed, added := e.record.marked('-'), e.record.marked('+')
	if fixes {
		removed, added = added, removed
	}
	indent := placeOf(before, from, from+len(removed)).indent
	for n, line := range removed {
		if strings.TrimPrefix(before[from+n], indent) != line {
			t.Fatalf("%s: line %d of the invoice is %q, not %q", e.key(), from+n, before[from+n], line)
		}
	}
	for n, line := range added {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "<") {
			added[n] = indent + line
		}
	}
	after := slices.Concat(before[:from], added, before[from+len(removed):])
	kept, broken = strings.Join(before, "\n"), strings.Join(after, "\n")
	if fixes {
		kept, broken = broken, kept
	}
	return o, kept, broken
}

// marked are the lines with a mark, without it.
func (r exampleRecord) marked(mark byte) (lines []string) {
	for _, line := range r.lines {
		if line != "" && line[0] == mark {
			lines = append(lines, line[1:])
		}
	}
	return lines
}

// required are rules about elements that the schema requires, so that it refuses an invoice without them.
const required = "BR-16 BR-57 BR-CO-18 BR-12 BR-13 BR-14 BR-15 BR-31 BR-36 BR-41 BR-43 BR-49"

// unbreakable lists the rules that no invoice breaks, by set and syntax, with the reason.
var unbreakable = []struct{ set, ids, why string }{
	{"en16931 cii", required, "the schema requires the element"},
	{"en16931 ubl", "BR-03 BR-16 BR-15 BR-31 BR-36 BR-41 BR-43 BR-46 BR-49 UBL-DT-06", "the schema requires the element or attribute"},
	{"en16931 ubl", "UBL-SR-06 UBL-SR-27 UBL-SR-28", "the schema has the element once at most"},
	{"en16931 ubl", "UBL-CR-629 UBL-CR-630 UBL-CR-651", "the schema has no such element there"},
	{"facturx cii", required, "the schema requires the element"},
	{"facturx cii", "BR-22 BR-24 BR-26 BR-54", "the schemas of the profiles that have the rule require the element"},
	{"facturx cii", "CII-SR-474", "the schema of the profile that has the rule has the element once at most"},
	{"facturx cii", "FX-SCH-A-000414", "the profile has no accounting currency"},
	{"fr cii", "BR-FR-28_EXT-FR-FE-160", "a measure is a number, which the schema does not let be blank"},
	{"platen ubl", "PLATEN-01", "the schema lets no other dates be written"},
}

// unbroken returns why no invoice breaks a rule, or "".
func unbroken(set string, ubl bool, id string) string {
	for _, u := range unbreakable {
		if u.set == set+" "+syntaxOf(ubl) && slices.Contains(strings.Fields(u.ids), id) {
			return u.why
		}
	}
	return ""
}
