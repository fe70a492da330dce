package blocks

import (
	_ "embed"
	"strings"
	"unicode"

	"platen.dev/einvoice"
)

//go:embed terms.txt
var termsTable string

// terms maps the ends of paths to names of elements; "" for elements about which a name says nothing.
var terms = readTerms(termsTable)

func readTerms(table string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(table) {
		if path, name, found := strings.Cut(strings.TrimSpace(line), "  "); found && path[0] != '#' {
			all[path] = strings.TrimPrefix(strings.TrimSpace(name), "-")
		}
	}
	return all
}

// termOf returns the name of the CII element at a path of local names. Every element has one.
func termOf(path []string) (name string, known bool) {
	for from := range path {
		if name, known = terms[strings.Join(path[from:], "/")]; known {
			return name, true
		}
	}
	return "", false
}

// spelled splits a name such as AccountingCostCode into words: "Accounting cost code". Abbreviations stay unchanged.
func spelled(name string) string {
	if name == "ID" {
		return "Identifier"
	}
	var b strings.Builder
	for i, r := range name {
		begins := i > 0 && unicode.IsUpper(r) && (unicode.IsLower(rune(name[i-1])) || i+1 < len(name) && unicode.IsLower(rune(name[i+1])))
		if begins {
			b.WriteByte(' ')
		}
		if begins && i+1 < len(name) && unicode.IsLower(rune(name[i+1])) {
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return strings.Replace(b.String(), " ID", " identifier", 1)
}

// term returns the name of a node in the page's language, empty if it says nothing. An element that only UBL has is named by the
// words of its element name, in English.
func (p *presenter) term(n *einvoice.Node) string {
	if _, local, isUBL := strings.Cut(n.Element(), ":"); isUBL {
		return spelled(local)
	}
	var path []string
	for at := n; at != nil; at = at.Parent() {
		path = append([]string{at.Element()}, path...)
	}
	name, _ := termOf(path)
	name, charge, both := strings.Cut(name, " | ")
	if both && (einvoice.AllowanceCharge{Node: n}).IsCharge() {
		name = charge
	}
	return p.Word(name)
}

// fullTerm returns the name of a leaf, after the name of its part of the document or line.
func (p *presenter) fullTerm(n *einvoice.Node) string {
	_, container, label := p.placeOf(n)
	return joinNonEmpty(", ", p.term(container), label)
}
