package cii

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed table.txt
var table string

// Profiles are the profiles by the columns of the table.
var Profiles = []string{"minimum", "basicwl", "basic", "en16931", "extended"}

// Root gives the root element of invoices in a profile, nil if there is no such profile.
func Root(profile string) *Child { return roots()[profile] }

var roots = sync.OnceValue(func() map[string]*Child {
	all := make(map[string]*Child, len(Profiles))
	for column, profile := range Profiles {
		all[profile] = parse(table, column)
	}
	return all
})

// block is a type under construction, and the lines that it will be made of.
type block struct {
	prefix string
	typ    *Type
	lines  [][]string
}

// parse reads one column of the table. The table is part of the program, so that an
// error in it is a broken invariant.
func parse(table string, column int) *Child {
	blocks, root := blocksOf(table)
	for _, b := range blocks {
		for _, line := range b.lines {
			if sign := line[0][column]; sign != '-' {
				b.add(line, sign, blocks)
			}
		}
	}
	typ := blocks[root].typ
	return &Child{Name: strings.TrimPrefix(root, "rsm:"), QName: root, Type: typ, Min: 1, Max: 1}
}

func blocksOf(table string) (blocks map[string]*block, root string) {
	blocks = map[string]*block{}
	var b *block
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case line[0] == ' ':
			b.lines = append(b.lines, words)
		default:
			b = newBlock(words)
			blocks[words[0]] = b
			if root == "" {
				root = words[0]
			}
		}
	}
	return blocks, root
}

// newBlock starts a type from its heading, "name" or "name = kind".
func newBlock(words []string) *block {
	prefix, name, _ := strings.Cut(words[0], ":")
	typ := &Type{Name: name + "Type", Space: Namespaces[prefix]}
	if strings.HasPrefix(name, "(") {
		typ.Name = ""
	}
	if len(words) == 3 {
		typ.Kind = kindOf(words[2])
	}
	return &block{prefix: prefix, typ: typ}
}

func kindOf(name string) Kind {
	kind, known := kinds[name]
	if !known {
		panic(fmt.Sprintf("cii: table.txt names no kind %q", name))
	}
	return kind
}

func (b *block) add(line []string, sign byte, blocks map[string]*block) {
	if name, is := strings.CutPrefix(line[1], "@"); is {
		b.typ.Attributes = append(b.typ.Attributes, Attribute{Name: name, Kind: kindOf(line[2]), Required: sign == '1'})
		return
	}
	child := &Child{Name: line[1], QName: b.prefix + ":" + line[1], Index: len(b.typ.Children), Type: typeOf(line[2], blocks)}
	child.Min, child.Max = counts(sign)
	if child.Index == MaxChildren {
		panic("cii: table.txt has a type with too many children")
	}
	b.typ.Children = append(b.typ.Children, child)
}

// typeOf finds a type of the table, or makes one of XML Schema's own.
func typeOf(name string, blocks map[string]*block) *Type {
	if kind, own := strings.CutPrefix(name, "xs:"); own {
		return &Type{Name: kind, Space: Namespaces["xs"], Kind: kindOf(kind)}
	}
	b := blocks[name]
	if b == nil {
		panic(fmt.Sprintf("cii: table.txt has no type %q", name))
	}
	return b.typ
}

func counts(sign byte) (minimum, maximum int) {
	switch sign {
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
	panic(fmt.Sprintf("cii: table.txt has no cardinality %q", sign))
}
