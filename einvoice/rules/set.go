package rules

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"platen.dev/document/markup"
	"platen.dev/einvoice/model"
)

// Set is a set of rules that belong together.
type Set struct {
	// Name is its name in requests, Title its name for people, Version the state of the official rules whose verdicts it has.
	Name, Title, Version string
	// Profiles are the profiles for whose invoices the set is the default.
	Profiles []string
	// Guideline is a part, in lower case, of the guidelines of the specification whose rules the set has; "" if the set has no specification.
	Guideline string
	// cii are the rules for invoices in CII, ubl those for invoices in UBL, nil if there are none.
	cii, ubl func() []Rule
	// Levels are the severities that the set assigns to other sets' rules.
	Levels []Levels
	// findAll finds, in one pass over the invoice, the violations of rules without a condition of their own.
	findAll func(i *model.Invoice, broken func(rule string, at model.Term, found string))

	once   sync.Once
	digest [sha256.Size]byte
}

// Rules returns the set's rules for invoices in CII, nil if it does not cover CII. They must not be changed.
func (s *Set) Rules() []Rule { return table(s.cii) }

// UBLRules returns the set's rules for invoices in UBL, nil if it does not cover UBL. They must not be changed.
func (s *Set) UBLRules() []Rule { return table(s.ubl) }

func table(rules func() []Rule) []Rule {
	if rules == nil {
		return nil
	}
	return rules()
}

// IsFor reports whether the set has rules for invoices in UBL, or for those in CII.
func (s *Set) IsFor(ubl bool) bool {
	if ubl {
		return s.ubl != nil
	}
	return s.cii != nil
}

// IsOf reports whether a guideline is of the specification whose rules the set has.
func (s *Set) IsOf(guideline string) bool {
	return s.Guideline != "" && strings.Contains(strings.ToLower(guideline), s.Guideline)
}

// of are the rules for an invoice.
func (s *Set) of(i *model.Invoice) []Rule { return s.rulesFor(i.Document != nil) }

func (s *Set) rulesFor(ubl bool) []Rule {
	if ubl {
		return s.UBLRules()
	}
	return s.Rules()
}

// Digest is the SHA-256 of the set's name, version, rows and levels. The rows are those of both syntaxes: identifier, term, severity, demand and fix of each.
func (s *Set) Digest() [sha256.Size]byte {
	s.once.Do(func() {
		h := sha256.New()
		fmt.Fprintf(h, "%q %q\n", s.Name, s.Version)
		for _, r := range slices.Concat(s.Rules(), s.UBLRules()) {
			fmt.Fprintf(h, "%q %q %v %q %q\n", r.ID, r.Term, r.Severity, r.Demand, r.Fix)
		}
		for _, l := range s.Levels {
			fmt.Fprintf(h, "%q %v %v %q\n", l.Guideline, l.UBL, l.Severity, l.Rules)
		}
		h.Sum(s.digest[:0])
	})
	return s.digest
}

var sets = []*Set{
	{
		Name: "en16931", Title: "EN 16931, in the syntaxes of CII and UBL", Version: "1.3.16", Profiles: []string{"basic", "en16931", "xrechnung"},
		cii: sync.OnceValue(en16931), ubl: sync.OnceValue(en16931UBL),
	},
	{
		Name: "facturx", Title: "Factur-X (ZUGFeRD), by profile", Version: "1.09.2", Profiles: []string{"minimum", "basicwl", "extended"},
		cii: sync.OnceValue(facturx), findAll: findStructure,
	},
	{
		Name: "xrechnung", Title: "XRechnung 3.0, in the syntaxes of CII and UBL, beside EN 16931", Version: "3.0.2, rules 2.4.0", Profiles: []string{"xrechnung"}, Guideline: "xrechnung",
		cii: sync.OnceValue(xrechnung), ubl: sync.OnceValue(xrechnungUBL), Levels: germanLevels(),
	},
	{
		Name: "peppol", Title: "Peppol BIS Billing 3, in the syntax of UBL, beside EN 16931", Version: "2026.5",
		Guideline: "urn:fdc:peppol.eu:2017:poacc:billing:3.0", ubl: sync.OnceValue(peppol),
	},
	{
		Name: "peppol-selfbilling", Title: "Peppol BIS Self-Billing 3, in the syntax of UBL, beside EN 16931", Version: "2026.5",
		Guideline: "urn:fdc:peppol.eu:2017:poacc:selfbilling:3.0", ubl: sync.OnceValue(peppolSelfBilling),
	},
	{Name: "fr", Title: "The French reform of e-invoicing (BR-FR, flux 2)", Version: "1.3.0", cii: sync.OnceValue(fr)},
	{Name: "platen", Title: "Warnings of our own about what official rules let pass", Version: "1", cii: platen, ubl: platen},
}

// Sets are all sets, in the order in which violations are reported.
func Sets() []*Set { return sets }

// Named returns the sets with these names. The error for an unknown name lists the existing ones.
func Named(names []string) ([]*Set, error) {
	var named []*Set
	for _, name := range names {
		s := set(name)
		if s == nil {
			return nil, fmt.Errorf("there is no rule set %q; use one of %s", markup.Excerpt(name), strings.Join(allNames(), ", "))
		}
		named = append(named, s)
	}
	return named, nil
}

// set returns the set of a name, or nil.
func set(name string) *Set {
	at := slices.IndexFunc(sets, func(s *Set) bool { return s.Name == name })
	if at < 0 {
		return nil
	}
	return sets[at]
}

func allNames() []string {
	var names []string
	for _, s := range sets {
		names = append(names, s.Name)
	}
	return names
}

// For returns the default sets of a profile.
func For(profile string) []*Set {
	return keep(sets, func(s *Set) bool { return slices.Contains(s.Profiles, profile) })
}
