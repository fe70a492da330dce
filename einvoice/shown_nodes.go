package einvoice

// ShownNodes records which nodes of an invoice a page has shown, so that the page can
// show the others as well. The zero value is empty. It is not safe for concurrent use.
type ShownNodes struct {
	nodes map[*Node]bool
}

// Text returns the text of a node and marks the node as shown.
func (s *ShownNodes) Text(n *Node) string {
	s.mark(n)
	return n.Text()
}

// mark marks nodes, and everything in them, as shown. Nil nodes are ignored.
func (s *ShownNodes) mark(nodes ...*Node) {
	if s.nodes == nil {
		s.nodes = map[*Node]bool{}
	}
	for _, n := range nodes {
		if n != nil {
			s.nodes[n] = true
		}
	}
}

// has reports whether the node or one of its ancestors has been marked.
func (s *ShownNodes) has(n *Node) bool {
	for ; n != nil; n = n.parent {
		if s.nodes[n] {
			return true
		}
	}
	return false
}

// NotShown returns the leaves of an invoice that have not been shown, in document order.
func (s *ShownNodes) NotShown(i *Invoice) []*Node {
	var missing []*Node
	for n := range i.Leaves() {
		if !s.has(n) {
			missing = append(missing, n)
		}
	}
	return missing
}
