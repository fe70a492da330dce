package blocks

// notes is the block invoice-notes.
func (p *presenter) notes() (notes []string) {
	for _, n := range p.invoice.Notes() {
		if note := p.text(n.Content()); note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}
