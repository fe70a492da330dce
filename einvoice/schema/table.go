package schema

import (
	"fmt"
	"strings"
)

// Types maps the names in a table to types.
type Types map[string]*Type

// Root is the root element with a type of the table, after which it is called.
func (t Types) Root(name string) *Child {
	typ := t[name]
	_, local, _ := strings.Cut(name, ":")
	return &Child{Name: local, Space: typ.Space, QName: name, Type: typ, Min: 1, Max: 1}
}

// section is a type, and the lines of the table that define it.
type section struct {
	prefix string
	typ    *Type
	lines  [][]string
}

// reader reads a table.
type reader struct {
	// namespaces maps prefixes to namespaces.
	namespaces map[string]string
	sections   map[string]*section
	// own are the children whose type is called after them.
	own []*Child
}

// Read reads a column of a table. Tables are part of the program, so an error in one is a
// bug and panics.
//
// Each section of a table defines a type. Its lines are the child elements, in the
// required order, and the attributes (@). The first column is the cardinality, with a
// character for each column of the table:
//
//   - not there       1  exactly once         ?  at most once
//   - once or more    *  any number of times  2  at most twice
//
// The name and the type follow. "type = kind" is a type with content of that kind; a type in parentheses is anonymous,
// so that no xsi:type can refer to it. Child elements are in the namespace of the type that contains them. A name with
// a prefix is in the prefix's namespace; if the element has text, its type is a copy of the table's, named after the
// element.
func Read(table string, column int, namespaces map[string]string) Types {
	r := &reader{namespaces: namespaces, sections: map[string]*section{}}
	r.split(table)
	types := Types{}
	for name, s := range r.sections {
		types[name] = s.typ
		for _, line := range s.lines {
			if cardinality := line[0][column]; cardinality != '-' {
				r.add(s, line, cardinality)
			}
		}
	}
	for _, c := range r.own {
		if c.Type.Kind.IsText() {
			c.Type = &Type{Name: c.Name + "Type", Space: c.Space, Kind: c.Type.Kind, Attributes: c.Type.Attributes}
		}
	}
	return types
}

func (r *reader) split(table string) {
	var s *section
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case line[0] == ' ':
			s.lines = append(s.lines, words)
		default:
			s = r.newSection(words)
			r.sections[words[0]] = s
		}
	}
}

// newSection starts a type from the heading of its section, "name" or "name = kind".
func (r *reader) newSection(words []string) *section {
	prefix, name, _ := strings.Cut(words[0], ":")
	typ := &Type{Name: name + "Type", Space: r.namespaces[prefix]}
	if strings.HasPrefix(name, "(") {
		typ.Name = ""
	}
	if len(words) == 3 {
		typ.Kind = kindOf(words[2])
	}
	return &section{prefix: prefix, typ: typ}
}

func kindOf(name string) Kind {
	kind, known := KindOf(name)
	if !known {
		panic(fmt.Sprintf("schema: a table has an unknown kind %q", name))
	}
	return kind
}

func (r *reader) add(s *section, line []string, cardinality byte) {
	if name, is := strings.CutPrefix(line[1], "@"); is {
		s.typ.Attributes = append(s.typ.Attributes, Attribute{Name: name, Kind: kindOf(line[2]), Required: cardinality == '1'})
		return
	}
	child := &Child{Name: line[1], Space: s.typ.Space, QName: s.prefix + ":" + line[1], Index: len(s.typ.Children), Type: r.typeOf(line[2])}
	child.Min, child.Max = occurrences(cardinality)
	if prefix, name, own := strings.Cut(line[1], ":"); own {
		child.Name, child.Space, child.QName = name, r.namespaces[prefix], line[1]
		r.own = append(r.own, child)
	}
	if child.Index == MaxChildren {
		panic("schema: a table has a type with too many children")
	}
	s.typ.Children = append(s.typ.Children, child)
}

// typeOf finds a type of the table, or makes a built-in type of XML Schema.
func (r *reader) typeOf(name string) *Type {
	if kind, builtIn := strings.CutPrefix(name, "xs:"); builtIn {
		return &Type{Name: kind, Space: XSD, Kind: kindOf(kind)}
	}
	s := r.sections[name]
	if s == nil {
		panic(fmt.Sprintf("schema: a table has no type %q", name))
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
	panic(fmt.Sprintf("schema: a table has an unknown cardinality %q", cardinality))
}
