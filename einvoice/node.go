package einvoice

import (
	"fmt"
	"iter"
	"strings"

	"platen.dev/einvoice/schema"
)

// Node is an element of an invoice. A nil Node stands for an element that is missing: its
// methods return zero values, so a chain of calls needs no checks in between. Nodes do
// not change once the invoice is parsed, and may be shared between goroutines.
type Node struct {
	child                     *schema.Child
	parent, first, last, next *Node
	ordinal, offset           int32
	text                      string
	raw                       string // with the white space that text leaves out, "" if it leaves out none
	attributes                []Attribute
	lines                     *lineIndex
	// source is the UBL element from which a CII element was made.
	source *Node
}

// Attribute is an attribute of an element.
type Attribute struct {
	Name, Value string
}

// Element is the element's local name, such as TypeCode.
func (n *Node) Element() string {
	if n == nil {
		return ""
	}
	return n.child.Name
}

// QName is the element's name with the conventional prefix, such as ram:TypeCode.
func (n *Node) QName() string {
	if n == nil {
		return ""
	}
	return n.child.QName
}

// Text is the text of an element without child elements. White space around it is
// removed, except in the types for which XML Schema preserves it. Amounts keep the
// digits that the document has.
func (n *Node) Text() string {
	if n == nil {
		return ""
	}
	return n.text
}

// IsTrue reports whether the element is a Boolean that is true.
func (n *Node) IsTrue() bool { return n.Text() == "true" || n.Text() == "1" }

// Padded reports whether the document has white space that Text leaves out.
func (n *Node) Padded() bool { return n != nil && n.raw != "" }

// Written returns the text as the document has it, with white space around it.
func (n *Node) Written() string {
	switch {
	case n == nil:
		return ""
	case n.source != nil:
		return n.source.Written()
	case n.raw != "":
		return n.raw
	}
	return n.text
}

// Transmitted returns the text as the document has it: a UBL date keeps its hyphens.
func (n *Node) Transmitted() string {
	if n != nil && n.source != nil && n.source.Kind() == schema.Date {
		return n.source.text
	}
	return n.Text()
}

// Kind is the kind of the element's content.
func (n *Node) Kind() schema.Kind {
	if n == nil {
		return schema.Elements
	}
	return n.child.Type.Kind
}

// Attributes are the element's attributes in document order. They must not be changed.
func (n *Node) Attributes() []Attribute {
	if n == nil {
		return nil
	}
	return n.attributes
}

// Attribute is the value of an attribute, or empty if the element does not have it.
func (n *Node) Attribute(name string) string {
	for _, a := range n.Attributes() {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// Parent is the element that contains this one, or nil for the root.
func (n *Node) Parent() *Node {
	if n == nil {
		return nil
	}
	return n.parent
}

// Children are the child elements in document order.
func (n *Node) Children() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		if n == nil {
			return
		}
		for c := n.first; c != nil && yield(c); c = c.next {
		}
	}
}

// At follows a path of local names to the first element that each names, or returns nil
// if there is none.
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

// All returns the children with a local name.
func (n *Node) All(name string) []*Node {
	var all []*Node
	for c := range n.Children() {
		if c.child.Name == name {
			all = append(all, c)
		}
	}
	return all
}

// Leaves are the elements of the invoice that have text, in document order.
func (i *Invoice) Leaves() iter.Seq[*Node] {
	return func(yield func(*Node) bool) { i.root.leaves(yield) }
}

func (n *Node) leaves(yield func(*Node) bool) bool {
	if n.Kind().IsText() {
		return n.text == "" || yield(n)
	}
	for c := range n.Children() {
		if !c.leaves(yield) {
			return false
		}
	}
	return true
}

// SourceLine is the line of the document, counted from one, on which the element starts.
func (n *Node) SourceLine() int {
	if n == nil {
		return 0
	}
	if n.source != nil {
		n = n.source
	}
	return n.lines.line(int(n.offset))
}

// Path is the absolute path of the element, with the conventional namespace prefixes,
// and with an index where an element may be repeated.
func (n *Node) Path() string {
	var steps []string
	if n != nil && n.source != nil {
		n = n.source
	}
	for ; n != nil; n = n.parent {
		steps = append(steps, pathStep(n.child, int(n.ordinal)))
	}
	var b strings.Builder
	for i := len(steps) - 1; i >= 0; i-- {
		b.WriteByte('/')
		b.WriteString(steps[i])
	}
	return b.String()
}

func pathStep(c *schema.Child, ordinal int) string {
	if c.Max == 1 && ordinal < 2 {
		return c.QName
	}
	return fmt.Sprintf("%s[%d]", c.QName, ordinal)
}

func (n *Node) append(child *Node) {
	child.parent = n
	if n.last == nil {
		n.first = child
	} else {
		n.last.next = child
	}
	n.last = child
}
