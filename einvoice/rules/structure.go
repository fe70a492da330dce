package rules

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"platen.dev/einvoice/model"
)

//go:embed facturx/*.txt
var structureFiles embed.FS

// structure holds the demands of Factur-X on an element beyond the schema: a line of a file in
// the folder facturx, which has the structure of a profile. A line is the element's name, perhaps
// with a variant, and demands. Lines below it that are indented further are of its children.
//
// The demands, each but unused with the number of its rule after a colon:
//
//	one, max1, max2, min1   how often the element is there in its parent
//	@NAME                   the element has the attribute
//	=CODES, @NAME=CODES     its text, or the attribute, is empty or one of the codes: lists of
//	                        the folder codes and single codes, joined by +
//	unused, unused@NAME     the profile does not use the element or the attribute
type structure struct {
	name, variant string
	counts, own   []demand
	children      []*structure
}

// demand is a demand on an element, or on the number of such elements in their parent.
type demand struct {
	rule      string
	least     int
	most      int
	attribute string
	codes     string
	allowed   []codeList
	unused    bool
}

// variants distinguish elements with the same name; the variant other is for elements of no other variant.
var variants = map[string][]string{
	"SpecifiedTaxRegistration":      {"VA", "FC"},
	"AdditionalReferencedDocument":  {"916", "50", "130"},
	"SpecifiedTradeAllowanceCharge": {"true", "false"},
	"AppliedTradeAllowanceCharge":   {"true", "false"},
	"ReasonCode":                    {"5153", "none"},
	"TaxTotalAmount":                {"invoice", "accounting"},
}

// is reports whether an element is of a variant.
func (s *structure) is(t model.Term, i *model.Invoice) bool {
	return t.Element() == s.name && isVariant(t, s.variant, i)
}

func isVariant(t model.Term, variant string, i *model.Invoice) bool {
	switch variant {
	case "":
		return true
	case "VA", "FC":
		return t.At("ID").Attribute("schemeID") == variant
	case "916", "50", "130":
		return t.At("TypeCode").Text() == variant
	case "true", "false":
		return t.At("ChargeIndicator", "Indicator").Text() == variant
	case "5153":
		return t.Attribute("listID") == variant
	case "none":
		_, has := attributeOf(t, "listID")
		return !has
	case "invoice":
		return i.Currency != nil && t.Attribute("currencyID") == i.Currency.Text()
	case "accounting":
		return i.TaxCurrency != nil && t.Attribute("currencyID") == i.TaxCurrency.Text()
	}
	return !slices.ContainsFunc(variants[t.Element()], func(v string) bool { return isVariant(t, v, i) })
}

// find reports what an element and those in it break.
func (s *structure) find(t model.Term, i *model.Invoice, broken func(rule string, at model.Term, found string)) {
	for _, d := range s.own {
		if found, breaks := d.breaks(t); breaks {
			broken(d.rule, t, found)
		}
	}
	for _, c := range s.children {
		if len(c.counts) == 0 {
			continue
		}
		n := len(keep(t.All(c.name), func(child model.Term) bool { return c.is(child, i) }))
		for _, d := range c.counts {
			if n < d.least || n > d.most {
				broken(d.rule, t, fmt.Sprintf("found %d", n))
			}
		}
	}
	for child := range t.Children() {
		if at := slices.IndexFunc(s.children, func(c *structure) bool { return c.is(child, i) }); at >= 0 {
			s.children[at].find(child, i, broken)
		}
	}
}

// breaks reports whether an element breaks a demand on itself, and how.
func (d *demand) breaks(t model.Term) (found string, breaks bool) {
	value, has := t.Text(), true
	if d.attribute != "" {
		value, has = attributeOf(t, d.attribute)
	}
	switch {
	case d.unused:
		return strings.TrimSuffix("found "+t.Element()+" @"+d.attribute, " @"), has
	case d.codes == "":
		return "", !has
	}
	return "found \"" + value + "\"", value != "" && (value != strings.TrimSpace(value) || !anyHas(d.allowed, value))
}

var readStructures = sync.OnceValue(func() map[string]*structure {
	all := map[string]*structure{}
	for _, profile := range facturxProfiles {
		text, err := structureFiles.ReadFile("facturx/" + profile + ".txt")
		if err != nil {
			panic("rules: there is no structure of profile " + profile)
		}
		all[profile] = parseStructure(string(text))
	}
	return all
})

// parseStructure reads a file of the folder facturx.
func parseStructure(text string) *structure {
	above := []*structure{{name: "CrossIndustryInvoice"}}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if strings.HasPrefix(line, "#") || len(words) == 0 {
			continue
		}
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		name, variant, _ := strings.Cut(strings.TrimSuffix(words[0], "]"), "[")
		s := &structure{name: name, variant: variant}
		for _, word := range words[1:] {
			if d := parseDemand(word); d.most > 0 {
				s.counts = append(s.counts, d)
			} else {
				s.own = append(s.own, d)
			}
		}
		parent := above[depth]
		parent.children = append(parent.children, s)
		above = append(above[:depth+1], s)
	}
	return above[0]
}

const unlimited = 1 << 30

func parseDemand(word string) demand {
	if attribute, is := strings.CutPrefix(word, "unused"); is {
		return demand{rule: unusedRule, attribute: strings.TrimPrefix(attribute, "@"), unused: true}
	}
	colon := strings.LastIndex(word, ":")
	number, err := strconv.Atoi(word[colon+1:])
	if err != nil {
		panic("rules: " + word + " has no number")
	}
	d := demand{rule: fmt.Sprintf("FX-SCH-A-%06d", number)}
	switch what := word[:colon]; what {
	case "one":
		d.least, d.most = 1, 1
	case "max1":
		d.most = 1
	case "max2":
		d.most = 2
	case "min1":
		d.least, d.most = 1, unlimited
	default:
		var attribute string
		attribute, d.codes, _ = strings.Cut(what, "=")
		d.attribute = strings.TrimPrefix(attribute, "@")
		d.allowed = codeUnion(d.codes)
	}
	return d
}

// codeUnion are the lists of a union of lists and codes, none of an empty one.
func codeUnion(union string) (all []codeList) {
	single := " "
	for part := range strings.SplitSeq(union, "+") {
		if isCodeList(part) {
			all = append(all, codes(part))
		} else {
			single += part + " "
		}
	}
	return append(all, codeList(single))
}

// anyHas reports whether a code is in one of some lists.
func anyHas(lists []codeList, code string) bool {
	return slices.ContainsFunc(lists, func(l codeList) bool { return l.has(code) })
}
