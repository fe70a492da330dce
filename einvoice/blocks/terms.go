package blocks

import (
	_ "embed"
	"strings"
	"unicode"

	"platen.dev/einvoice"
)

//go:embed terms.txt
var termsTable string

// terms are the names of elements by the ends of their paths; "" for elements that a name says nothing about.
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

// termOf is the name of an element of CII whose path is given, by local names. Every element has one.
func termOf(path []string) (name string, known bool) {
	for from := range path {
		if name, known = terms[strings.Join(path[from:], "/")]; known {
			return name, true
		}
	}
	return "", false
}

// spelled are the words of a name such as AccountingCostCode: "Accounting cost code". Abbreviations stay as they are.
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

// term is the name of a node in the language of the page, empty if it says nothing. One that only UBL has is called by the words of
// its name, in English.
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

// fullTerm is the name of a leaf, after that of the part of the document or of the line that it is in.
func (p *presenter) fullTerm(n *einvoice.Node) string {
	_, container, label := p.placeOf(n)
	return joinNonEmpty(", ", p.term(container), label)
}
