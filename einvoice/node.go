package einvoice

import (
	"fmt"
	"iter"
	"strings"

	"platen.dev/einvoice/cii"
)

// Node is an element of an invoice. A nil Node stands for an element that is not
// there: all its methods answer with nothing, so that paths need no checks on the way.
// Nodes never change once an Invoice is read, and may be shared.
type Node struct {
	child                     *cii.Child
	parent, first, last, next *Node
	ordinal, offset           int32
	text                      string
	attributes                []Attribute
	lines                     *lineIndex
}

// Attribute is an attribute that an element of an invoice may have.
type Attribute struct {
	Name, Value string
}

// Element is the element's name without its namespace, as in TypeCode.
func (n *Node) Element() string {
	if n == nil {
		return ""
	}
	return n.child.Name
}

// Text is the value of an element that holds text: as given where white space counts,
// and otherwise without the white space around it. Amounts stay the digits that they are.
func (n *Node) Text() string {
	if n == nil {
		return ""
	}
	return n.text
}

// Kind tells what values the element has, cii.Elements if it holds elements.
func (n *Node) Kind() cii.Kind {
	if n == nil {
		return cii.Elements
	}
	return n.child.Type.Kind
}

// Attributes are the element's attributes in the document's order. They must not be changed.
func (n *Node) Attributes() []Attribute {
	if n == nil {
		return nil
	}
	return n.attributes
}

// Attribute is the value of one attribute, empty if it is not there.
func (n *Node) Attribute(name string) string {
	for _, a := range n.Attributes() {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// Parent is the element around this one, nil for the root.
func (n *Node) Parent() *Node {
	if n == nil {
		return nil
	}
	return n.parent
}

// Children are the elements in this one, in order.
func (n *Node) Children() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		if n == nil {
			return
		}
		for c := n.first; c != nil && yield(c); c = c.next {
		}
	}
}

// At follows a path of names, taking the first element of each; nil if one is missing.
func (n *Node) At(names ...string) *Node {
	for _, name := range names {
		if n == nil {
			return nil
		}
		c := n.first
		for c != nil && c.child.Name != name {
			c = c.next
		}
		n = c
	}
	return n
}

// All are the children of one name.
func (n *Node) All(name string) []*Node {
	var all []*Node
	for c := range n.Children() {
		if c.child.Name == name {
			all = append(all, c)
		}
	}
	return all
}

// Line is the line of the document where the element starts, counted from one.
func (n *Node) Line() int {
	if n == nil {
		return 0
	}
	return n.lines.line(int(n.offset))
}

// Path is where the element stands, with the conventional prefixes, and an index on
// elements that may repeat.
func (n *Node) Path() string {
	var steps []string
	for ; n != nil; n = n.parent {
		steps = append(steps, step(n.child, int(n.ordinal)))
	}
	var b strings.Builder
	for i := len(steps) - 1; i >= 0; i-- {
		b.WriteByte('/')
		b.WriteString(steps[i])
	}
	return b.String()
}

func step(c *cii.Child, ordinal int) string {
	if c.Max == 1 && ordinal < 2 {
		return c.QName
	}
	return fmt.Sprintf("%s[%d]", c.QName, ordinal)
}
