package einvoice

import (
	"iter"

	"platen.dev/einvoice/cii"
)

// Leaves are the elements that hold text, in the document's order, empty ones left out.
// Their paths are Node.Path.
func (i *Invoice) Leaves() iter.Seq[*Node] {
	return func(yield func(*Node) bool) { i.root.leaves(yield) }
}

func (n *Node) leaves(yield func(*Node) bool) bool {
	if n.Kind() != cii.Elements {
		return n.text == "" || yield(n)
	}
	for c := range n.Children() {
		if !c.leaves(yield) {
			return false
		}
	}
	return true
}

// Shown remembers which texts of an invoice a page has shown, so that no text of the
// XML is left out of it. Its zero value has shown nothing. It is for one goroutine.
type Shown struct {
	nodes map[*Node]bool
}

// Text is the node's text, which counts as shown from now on.
func (s *Shown) Text(n *Node) string {
	s.Mark(n)
	return n.Text()
}

// Mark counts nodes as shown, with everything in them.
func (s *Shown) Mark(nodes ...*Node) {
	if s.nodes == nil {
		s.nodes = map[*Node]bool{}
	}
	for _, n := range nodes {
		if n != nil {
			s.nodes[n] = true
		}
	}
}

// Has tells whether the node, or an element around it, was marked.
func (s *Shown) Has(n *Node) bool {
	for ; n != nil; n = n.parent {
		if s.nodes[n] {
			return true
		}
	}
	return false
}

// Rest are the leaves that have not been shown, in the document's order.
func (s *Shown) Rest(i *Invoice) []*Node {
	var rest []*Node
	for n := range i.Leaves() {
		if !s.Has(n) {
			rest = append(rest, n)
		}
	}
	return rest
}
