package rules

import (
	"strings"

	"platen.dev/einvoice/model"
)

// unusedRule is the identifier for Factur-X reports that have none.
const unusedRule = "FX-UNUSED"

// structureRules are the rules of the structures of all profiles, each once.
func structureRules() []Rule {
	all := []Rule{{
		ID: unusedRule, Demand: "The profile uses each element and attribute that the invoice has.",
		Fix: "Leave out what was found, or use a profile that has it.",
	}}
	seen := map[string]bool{unusedRule: true}
	for _, profile := range facturxProfiles {
		readStructures()[profile].visit("", func(d demand, path string) {
			if !seen[d.rule] {
				seen[d.rule] = true
				all = append(all, d.describe(path))
			}
		})
	}
	return all
}

// visit visits each demand with the last steps of the path to its element.
func (s *structure) visit(parent string, visit func(d demand, path string)) {
	name := s.name
	if s.variant != "" {
		name += "[" + s.variant + "]"
	}
	path := strings.TrimPrefix(parent+"/"+name, "/")
	for _, d := range s.counts {
		visit(d, path)
	}
	for _, d := range s.own {
		visit(d, path)
	}
	if i := strings.LastIndex(parent, "/"); i >= 0 {
		parent = parent[i+1:]
	}
	for _, c := range s.children {
		c.visit(strings.TrimPrefix(parent+"/"+name, "/"), visit)
	}
}

// describe is the rule of a demand.
func (d *demand) describe(path string) Rule {
	r := Rule{ID: d.rule}
	if d.attribute != "" {
		path += "/@" + d.attribute
	}
	switch {
	case d.least == 1 && d.most == 1:
		r.Demand, r.Fix = path+" is there exactly once.", "Give it once."
	case d.least == 1:
		r.Demand, r.Fix = path+" is there.", "Add it."
	case d.most == 1:
		r.Demand, r.Fix = path+" is there at most once.", "Keep one."
	case d.most == 2:
		r.Demand, r.Fix = path+" is there at most twice.", "Keep two."
	case d.codes == "":
		r.Demand, r.Fix = path+" is there.", "Add the attribute."
	default:
		r.Demand, r.Fix = path+" is one of the list ("+strings.ReplaceAll(d.codes, "+", ", ")+").", fromList
	}
	return r
}

// findStructure reports what an invoice breaks of the structure of its profile.
func findStructure(i *model.Invoice, broken func(rule string, at model.Term, found string)) {
	if s := readStructures()[i.Profile]; s != nil {
		s.find(i.Root, i, broken)
	}
}
