//go:build integration

package rules

import (
	"fmt"
	"hash/fnv"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen.dev/einvoice"
)

// mutant is an invoice with one change.
type mutant struct {
	profile, change, document string
	// large marks mutants of an invoice with everything; these get few changes per element.
	large bool
	// alone marks mutants that are tried, but not changed further.
	alone bool
	// origins are documents of which one change makes the mutant, with what other changes of that kind make of them.
	origins []neighbours
}

// neighbours are a document, and documents that differ from it in one way.
type neighbours struct {
	of string
	to func() []string
}

// trial is a mutant that a set is tried on, with the rules that it breaks by our verdict.
type trial struct {
	mutant
	set  string
	ours []string
}

// triedOn lists the profiles that the official rules of each set are tried on.
var triedOn = []struct {
	set      string
	profiles []string
}{
	{"en16931", []string{"basic", "en16931", "extended"}},
	{"facturx", facturxProfiles},
	{"xrechnung", []string{"en16931", "extended"}},
	{"fr", []string{"basicwl", "en16931", "extended"}},
}

// trialsOf returns the schema-valid mutants, each once for each set.
func trialsOf(t *testing.T) (trials []trial) {
	seen := map[string]bool{}
	choice := &selection{all: os.Getenv("MUTANTS") == "all", times: map[string]int{}}
	for _, base := range bases(t) {
		for _, m := range base.changed() {
			if seen[m.profile+m.document] || !m.large && !choice.all && !sampled(m.change, 61) {
				continue
			}
			seen[m.profile+m.document] = true
			invoice, err := einvoice.ParseSchemaOnly([]byte(m.document), m.profile)
			if err != nil {
				continue
			}
			for _, on := range triedOn {
				if slices.Contains(on.profiles, m.profile) && m.isFor(on.set) {
					tr := trial{m, on.set, fires(invoice, named(t, on.set))}
					if choice.takes(tr) {
						trials = append(trials, tr)
					}
				}
			}
		}
	}
	return trials
}

// isFor reports whether a set is tried on a mutant. Edited samples are for one set only, and national sets get only a few invoices with everything.
func (m mutant) isFor(set string) bool {
	national := set == "fr" || set == "xrechnung"
	switch {
	case strings.HasPrefix(m.change, "XRechnung"):
		return set == "xrechnung"
	case strings.HasPrefix(m.change, "French"):
		return set == "fr"
	case strings.HasPrefix(m.change, "groups"), strings.HasPrefix(m.change, "category") && m.profile == "extended":
		return set == "facturx"
	case strings.HasPrefix(m.change, "full"):
		return set == "facturx" || m.profile != "extended" && !national || sampled(m.change, 60)
	}
	return !national
}

func named(t *testing.T, set string) *Set {
	sets, err := Named([]string{set})
	if err != nil {
		t.Fatal(err)
	}
	return sets[0]
}

// selection chooses trials: a sample, and those that break rules that others do not.
type selection struct {
	all   bool
	times map[string]int
}

func (s *selection) takes(tr trial) bool {
	take := s.all || tr.alone || sampled(tr.set+tr.profile+tr.change, s.share(tr))
	for _, id := range tr.ours {
		take = take || s.times[tr.set+tr.profile+id] == 0
	}
	if take {
		for _, id := range tr.ours {
			s.times[tr.set+tr.profile+id]++
		}
	}
	return take
}

// share returns n to try one in n such mutants, whatever they break.
func (s *selection) share(tr trial) uint32 {
	if tr.large && !strings.HasSuffix(tr.set, "-ubl") {
		return 200
	}
	return 40
}

// sampled reports whether a change is in the tried share; changes that omit an element are tried more often.
func sampled(change string, share uint32) bool {
	if strings.Contains(change, "without ") || strings.Contains(change, "TypeCode>VAT<") {
		share = max(min(share, 3), share/9)
	}
	hash := fnv.New32a()
	hash.Write([]byte(change))
	return change == "" || strings.HasSuffix(change, ": ") || hash.Sum32()%share == 0
}

// bases returns the samples, the basic one with each VAT category, and invoices with everything.
func bases(t *testing.T) (all []mutant) {
	samples := map[string]string{}
	for _, profile := range facturxProfiles {
		document, err := os.ReadFile("../sample/" + profile + ".xml")
		if err != nil {
			t.Fatal(err)
		}
		samples[profile] = string(document)
		all = append(all, mutant{profile: profile, document: string(document)})
	}
	rate := regexp.MustCompile(`<ram:RateApplicablePercent>[^<]*<`)
	for _, profile := range []string{"basic", "extended"} {
		for _, c := range categories {
			document := strings.ReplaceAll(samples[profile], ">S<", ">"+c.code+"<")
			all = append(all, mutant{profile: profile, change: c.code + ": ", document: document})
			all = append(all, mutant{profile: profile, change: c.code + " at 0: ", document: rate.ReplaceAllString(document, "<ram:RateApplicablePercent>0<")})
		}
	}
	for _, profile := range facturxProfiles {
		all = append(all, mutant{profile: profile, change: "full: ", document: full(profile, ""), large: true})
	}
	return slices.Concat(all, categoryBases(), editedBases(t, samples))
}

var (
	leaf = regexp.MustCompile(`^(\s*<([\w:]+)[^>]*>)([^<]*)(</.*)$`)
	// component is the start of an element that can be left out or repeated.
	component = regexp.MustCompile(`^ *<(ram|udt|cac|cbc):`)
	attribute = regexp.MustCompile(` (\w+)="[^"]*"`)
	// values are replacements for texts, codes and attributes.
	values = []string{
		"", " ", "X", "XX", "S", "Z", "E", "AE", "K", "G", "O", "L", "M", "0", "0.00", "-1", "1.005", "3.141", "250.00", "VAT",
		"EUR", "USD", "EUX", "DE123456789", "123", "20260230", "20261301", "20200101", "2026-01-01", "380", "381", "384", "916", "50", "130",
		"30", "58", "59", "48", "5", "35", "AAB", "VATEX-EU-G", "vatex-eu-g", "0088", "EM", "C62", "true", "false", "application/pdf", "102", "GR", "EL", "XI", "1A",
	}
	// fewValues are for large invoices, nationalValues for edited ones.
	fewValues      = []string{"XX", "-1.005"}
	nationalValues = []string{"", "XX", "-1.005", "0", "20260230", "INFORMATION", "B2", "0225", "12345678901234567890123456789012345678"}
)

// changed returns mutants of a document with one element per line: each element is removed and repeated, each text and attribute
// replaced, each attribute removed. Large ones also get elements that their profile does not use.
func (m mutant) changed() (all []mutant) {
	all = append(all, m)
	if m.alone {
		return all
	}
	lines := strings.Split(m.document, "\n")
	add := func(change string, changed ...string) {
		all = append(all, mutant{profile: m.profile, change: m.change + change, document: strings.Join(changed, "\n"), large: m.large})
	}
	for from, line := range lines {
		if strings.HasPrefix(m.change, "French") && !concernsFrance(line) || strings.HasPrefix(m.change, "groups") && from > 250 {
			continue
		}
		if to := end(lines, from); to > from {
			what := fmt.Sprintf("%d %s", from+1, strings.TrimSpace(line))
			add("without "+what, slices.Concat(lines[:from], lines[to:])...)
			add("twice "+what, slices.Concat(lines[:to], lines[from:])...)
			for name, changed := range m.variants(line) {
				add(name+" in "+what, slices.Concat(lines[:from], []string{changed}, lines[from+1:])...)
			}
		}
	}
	if strings.HasPrefix(m.change, "full") {
		for _, path := range unusedPaths(m.profile) {
			all = append(all, mutant{profile: m.profile, change: m.change + "with " + path, document: full(m.profile, path), large: true})
		}
	}
	slices.SortStableFunc(all, func(a, b mutant) int { return strings.Compare(a.change, b.change) })
	return all
}

// concernsFrance reports whether a line of a French invoice has content that other invoices lack, or codes or amounts.
func concernsFrance(line string) bool {
	return strings.Contains(line, "ID") || strings.Contains(line, "Code") || strings.Contains(line, "Amount") || strings.Contains(line, "Content") || strings.Contains(line, "Note") ||
		strings.Contains(line, "Date") || strings.Contains(line, "LineItem") || strings.Contains(line, "Party") || strings.Contains(line, "Document") || strings.Contains(line, "Percent") || strings.Contains(line, "Reason")
}

// end returns the line after the element that starts on a line, or 0 if none starts there.
func end(lines []string, from int) int {
	line := lines[from]
	if leaf.MatchString(line) {
		return from + 1
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	if !component.MatchString(line) {
		return 0
	}
	for to := from + 1; to < len(lines); to++ {
		if strings.HasPrefix(lines[to], indent+"</") {
			return to + 1
		}
	}
	return 0
}

// variants returns the changes to a line.
func (m mutant) variants(line string) map[string]string {
	all := map[string]string{}
	values := values
	switch {
	case strings.HasPrefix(m.change, "full"):
		values = fewValues
	case m.large:
		values = nationalValues
	}
	if parts := leaf.FindStringSubmatch(line); parts != nil {
		for _, v := range values {
			all["text "+v] = parts[1] + v + parts[4]
		}
		if amount := parseDecimal(parts[3]); m.large && !strings.HasPrefix(m.change, "full") && amount.exists() && strings.HasSuffix(parts[2], "Amount") {
			for _, step := range []string{"0.01", "-0.01", "0.02", "-0.02", "0.03", "1", "1.01"} {
				all["more by "+step] = parts[1] + amount.plus(parseDecimal(step)).String() + parts[4]
			}
		}
		for _, name := range []string{"schemeID", "currencyID", "unitCode", "listID"} {
			if m.large && !strings.Contains(parts[1], name) {
				all["with "+name] = strings.TrimSuffix(parts[1], ">") + " " + name + "=\"XX\">" + parts[3] + parts[4]
			}
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

// accepted lists known differences on mutants, by set, rule and change.
var accepted = []struct{ sets, rule, change, why string }{
	{"facturx", ".*", `(text|schemeID|listID)   in`, "the official rules take white space for a text"},
	{"xrechnung", "PEPPOL-EN16931-R008", `zugferd_23_namespace.xml$`, "the official rule knows the delivery, which may be empty, by its prefix"},
	{"fr", "BR-FR-08_BT-23|BR-FR-32-LEGALID", "", "Mustang has an older state of the official rules"},
	{"xrechnung(-ubl)?", "BR-DEX-0[4-8]|BR-TMP-CVD-01", `(schemeID|listID) ? in`, "the official lists are joined by two spaces, so that an empty code seems to be one of them"},
	{"xrechnung-ubl", "BR-DEX-13", `7.25 <$`, "the official rule takes white space after the number for decimals"},
	{"en16931", "BR-CO-25|BR-CO-27", "", "Mustang has an older state of the official rules; 1.3.16 does not report them"},
	{"en16931", "CII-SR-47[56]", "", "Mustang has an older state of the official rules; 1.3.16 has them"},
	{"fr", "BR-FR-28_EXT-FR-FE-161", "", "the official rule is on an attribute, which its own templates never visit"},
}

// differFrom describes the unaccepted differences of our verdict from the official one.
func (tr trial) differFrom(v verdict) string {
	if tr.set == "fr" { // Mustang turns the severities of this set into warnings
		return tr.differ(identifiers(tr.ours), identifiers(v.fired))
	}
	return tr.differ(tr.ours, v.fired)
}

// differ describes the unaccepted differences.
func (tr trial) differ(got, want []string) string {
	drop := func(fired []string) []string {
		return keep(fired, func(v string) bool {
			_, id, _ := strings.Cut(v, ":")
			for _, a := range accepted {
				if regexp.MustCompile("^("+a.sets+")$").MatchString(tr.set) && regexp.MustCompile("^("+a.rule+")$").MatchString(id) && regexp.MustCompile(a.change).MatchString(tr.change) {
					return false
				}
			}
			return true
		})
	}
	return differ("mutant", drop(got), drop(want))
}
