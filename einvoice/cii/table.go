package cii

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"platen.dev/events/contract"
)

//go:embed table.txt
var table string

// Profiles are those of Factur-X, each of which has a column of the table, in their order.
func Profiles() []string { return []string{"minimum", "basicwl", "basic", "en16931", "extended"} }

// Root returns the root element in a profile, or nil if there is no such profile. XRechnung has the elements of EN 16931, like the
// profile of that name.
func Root(profile string) *Child {
	if profile == contract.XRechnung {
		profile = "en16931"
	}
	return roots()[profile]
}

var roots = sync.OnceValue(func() map[string]*Child {
	all := map[string]*Child{}
	for column, profile := range Profiles() {
		all[profile] = parseColumn(table, column)
	}
	return all
})

// section is a type, and the lines of the table that define it.
type section struct {
	prefix string
	typ    *Type
	lines  [][]string
}

// parseColumn reads the column of one profile. The table is part of the program, so an
// error in it is a bug and panics.
func parseColumn(table string, column int) *Child {
	sections, root := sectionsOf(table)
	for _, s := range sections {
		for _, line := range s.lines {
			if cardinality := line[0][column]; cardinality != '-' {
				s.add(line, cardinality, sections)
			}
		}
	}
	typ := sections[root].typ
	return &Child{Name: strings.TrimPrefix(root, "rsm:"), QName: root, Type: typ, Min: 1, Max: 1}
}

func sectionsOf(table string) (sections map[string]*section, root string) {
	sections = map[string]*section{}
	var s *section
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case line[0] == ' ':
			s.lines = append(s.lines, words)
		default:
			s = newSection(words)
			sections[words[0]] = s
			if root == "" {
				root = words[0]
			}
		}
	}
	return sections, root
}

// newSection starts a type from the heading of its section, "name" or "name = kind".
func newSection(words []string) *section {
	prefix, name, _ := strings.Cut(words[0], ":")
	typ := &Type{Name: name + "Type", Space: Namespaces[prefix]}
	if strings.HasPrefix(name, "(") {
		typ.Name = ""
	}
	if len(words) == 3 {
		typ.Kind = kindOf(words[2])
	}
	return &section{prefix: prefix, typ: typ}
}

func kindOf(name string) Kind {
	kind, known := kinds[name]
	if !known {
		panic(fmt.Sprintf("cii: table.txt has an unknown kind %q", name))
	}
	return kind
}

func (s *section) add(line []string, cardinality byte, sections map[string]*section) {
	if name, is := strings.CutPrefix(line[1], "@"); is {
		s.typ.Attributes = append(s.typ.Attributes, Attribute{Name: name, Kind: kindOf(line[2]), Required: cardinality == '1'})
		return
	}
	child := &Child{Name: line[1], QName: s.prefix + ":" + line[1], Index: len(s.typ.Children), Type: typeOf(line[2], sections)}
	child.Min, child.Max = occurrences(cardinality)
	if child.Index == MaxChildren {
		panic("cii: table.txt has a type with too many children")
	}
	s.typ.Children = append(s.typ.Children, child)
}

// typeOf finds a type of the table, or makes a built-in type of XML Schema.
func typeOf(name string, sections map[string]*section) *Type {
	if kind, builtIn := strings.CutPrefix(name, "xs:"); builtIn {
		return &Type{Name: kind, Space: Namespaces["xs"], Kind: kindOf(kind)}
	}
	s := sections[name]
	if s == nil {
		panic(fmt.Sprintf("cii: table.txt has no type %q", name))
	}
	return s.typ
}

func occurrences(cardinality byte) (minimum, maximum int) {
	switch cardinality {
	case '1':
		return 1, 1
	case '?':
		return 0, 1
	case '2':
		return 0, 2
	case '+':
		return 1, 0
	case '*':
		return 0, 0
	}
	panic(fmt.Sprintf("cii: table.txt has an unknown cardinality %q", cardinality))
}
