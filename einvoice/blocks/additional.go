package blocks

import (
	"fmt"
	"slices"
	"strings"

	"platen.dev/einvoice"
	"platen.dev/einvoice/schema"
)

// additionalData is the block additional-invoice-data: everything that no other block has shown, and the transmitted
// values of those that other blocks reformat.
type additionalData struct {
	Groups      []group
	Transmitted []field
}

// group is the data of the document, or the data that some lines share.
type group struct {
	Name  string
	Parts []part
}

// part is the data of a party, a reference or another part of a document or a line. Name is empty for data outside such parts.
type part struct {
	Name   string
	Fields []field
}

func (p *presenter) additionalData() *additionalData {
	data := &additionalData{}
	document, lines := p.leftOver()
	if len(document) > 0 {
		data.Groups = append(data.Groups, group{p.Word("Invoice"), joined(distinct(document))})
	}
	data.Groups = append(data.Groups, p.groupsOf(lines)...)
	for _, name := range p.reformatted.names {
		data.Transmitted = append(data.Transmitted, field{name, strings.Join(p.reformatted.values[name], ", ")})
	}
	if len(data.Groups)+len(data.Transmitted) == 0 {
		return nil
	}
	return data
}

// leftOver collects the data that was not shown, for the document and for each of its lines.
func (p *presenter) leftOver() (document []part, lines map[*einvoice.Node][]part) {
	lines = map[*einvoice.Node][]part{}
	type place struct{ line, container *einvoice.Node }
	at := map[place]int{}
	for _, n := range p.shown.NotShown(p.invoice) {
		line, container, label := p.placeOf(n)
		parts := document
		if line != nil {
			parts = lines[line]
		}
		here, known := at[place{line, container}]
		if !known || container == nil { // data outside a part stands alone
			here = len(parts)
			at[place{line, container}] = here
			parts = append(parts, part{Name: p.term(container)})
		}
		parts[here].Fields = append(parts[here].Fields, field{label, p.fieldValue(n)})
		if line == nil {
			document = parts
		} else {
			lines[line] = parts
		}
	}
	return document, lines
}

// placeOf returns the line of a leaf, if any, its part of that line or of the document, and its label there.
func (p *presenter) placeOf(n *einvoice.Node) (line, container *einvoice.Node, label string) {
	var named []*einvoice.Node // from the leaf up
	for at := n; at != nil && line == nil; at = at.Parent() {
		if at.Element() == "IncludedSupplyChainTradeLineItem" {
			line = at
		} else if p.term(at) != "" {
			named = append(named, at)
		}
	}
	if len(named) > 1 {
		container, named = named[len(named)-1], named[:len(named)-1]
	}
	var names []string
	for _, at := range named {
		names = append([]string{p.term(at)}, names...)
	}
	return line, container, strings.Join(names, ", ")
}

// distinct removes repeated parts.
func distinct(parts []part) (all []part) {
	seen := map[string]bool{}
	for _, p := range parts {
		if key := p.key(); !seen[key] {
			seen[key] = true
			all = append(all, p)
		}
	}
	return all
}

// key is the same for equal parts.
func (p part) key() string { return fmt.Sprintf("%q", p) }

// groupsOf states each part once for all lines that share it, grouped with the other parts of the same lines. Parts of a single line come last.
func (p *presenter) groupsOf(lines map[*einvoice.Node][]part) (groups []group) {
	all := p.invoice.Lines()
	var parts []part
	of := map[string][]int{} // the lines of each part
	for number, line := range all {
		for _, part := range distinct(lines[line.Node]) {
			key := part.key()
			if of[key] == nil {
				parts = append(parts, part)
			}
			of[key] = append(of[key], number)
		}
	}
	first := func(p part) int {
		if numbers := of[p.key()]; len(numbers) == 1 {
			return numbers[0]
		}
		return -1
	}
	slices.SortStableFunc(parts, func(a, b part) int { return first(a) - first(b) })
	at := map[string]int{} // the group of each set of lines
	for _, part := range parts {
		numbers := of[part.key()]
		key := fmt.Sprint(numbers)
		if _, known := at[key]; !known {
			at[key] = len(groups)
			groups = append(groups, group{Name: p.lineNames(all, numbers)})
		}
		groups[at[key]].Parts = append(groups[at[key]].Parts, part)
	}
	for i := range groups {
		groups[i].Parts = joined(groups[i].Parts)
	}
	return groups
}

// joined merges data outside parts into one part, the first.
func joined(parts []part) []part {
	all := []part{{}}
	for _, p := range parts {
		if p.Name == "" {
			all[0].Fields = append(all[0].Fields, p.Fields...)
			continue
		}
		all = append(all, p)
	}
	if len(all[0].Fields) == 0 {
		return all[1:]
	}
	return all
}

// lineNames returns the identifiers of lines, given by their numbers.
func (p *presenter) lineNames(all []einvoice.Line, numbers []int) string {
	switch {
	case len(numbers) == 1:
		return joinNonEmpty(" ", p.Word("Line"), all[numbers[0]].ID().Text())
	case len(numbers) == len(all):
		return p.Word("All lines")
	}
	var names []string
	for first := 0; first < len(numbers); {
		next := first + 1
		for next < len(numbers) && numbers[next] == numbers[next-1]+1 {
			next++
		}
		name := all[numbers[first]].ID().Text()
		if next > first+1 {
			name += " " + p.Word("to") + " " + all[numbers[next-1]].ID().Text()
		}
		names = append(names, name)
		first = next
	}
	return p.Word("Lines") + " " + strings.Join(names, ", ")
}

// fieldValue is the value of a node as other blocks would show it, with the attributes that it does not say.
func (p *presenter) fieldValue(n *einvoice.Node) string {
	switch name := n.Element(); {
	case n.Kind() == schema.Base64:
		return withAttributes(p.size(n), n, "")
	case n.Kind() == schema.Boolean:
		return withAttributes(p.yesOrNo(n), n, "")
	case isDate(n):
		return withAttributes(p.date(einvoice.Date{Node: n}), n, "format")
	case n.Kind() != schema.Decimal:
		return withAttributes(strings.TrimSpace(n.Transmitted()), n, "")
	case strings.HasSuffix(name, "Amount"):
		return withAttributes(p.money(n), n, "currencyID")
	case strings.HasSuffix(name, "Percent"):
		return withAttributes(p.percent(n), n, "")
	}
	return withAttributes(p.quantity(n), n, "unitCode")
}

// size is the size of an attachment, which itself stays in the XML.
func (p *presenter) size(n *einvoice.Node) string {
	return fmt.Sprintf("%d %s", len(strings.TrimSpace(n.Transmitted()))/4*3, p.Word("bytes in the XML"))
}

// isDate reports whether a node is a date in CII or UBL that can be read.
func isDate(n *einvoice.Node) bool {
	if name := n.Element(); name != "DateTimeString" && name != "DateString" && n.Kind() != schema.Date {
		return false
	}
	_, is := einvoice.Date{Node: n}.Time()
	return is
}

func (p *presenter) yesOrNo(n *einvoice.Node) string {
	if n.IsTrue() {
		return p.reformat(n, p.Word("Yes"))
	}
	return p.reformat(n, p.Word("No"))
}

// withAttributes adds the values of a node's attributes to its value, but for one.
func withAttributes(value string, n *einvoice.Node, but string) string {
	var attributes []string
	for _, a := range n.Attributes() {
		if a.Name != but {
			attributes = append(attributes, a.Value)
		}
	}
	return strings.TrimSpace(joinNonEmpty(" ", value, inParentheses(strings.Join(attributes, ", "))))
}

func inParentheses(text string) string {
	if text == "" {
		return ""
	}
	return "(" + text + ")"
}
