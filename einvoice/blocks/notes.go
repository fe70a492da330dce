package blocks

import (
	"regexp"

	"platen.dev/einvoice"
)

// notes is the block invoice-notes.
func (p *presenter) notes() (notes []string) {
	for _, n := range p.invoice.Notes() {
		if note := p.note(n); note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// subject is how a note of UBL says its subject, for which it has no element (EN 16931-3-2): #ADU#Text.
var subject = regexp.MustCompile(`^#([A-Z]{3})#\s*`)

// note is the text of a note. A subject before it is shown where that of CII is, among the further data.
func (p *presenter) note(n einvoice.Note) string {
	text := p.text(n.Content())
	found := subject.FindStringSubmatch(text)
	if found == nil || !p.invoice.UBL {
		return text
	}
	p.reformatted.add(joinNonEmpty(", ", p.Word("Invoice note"), p.Word("Subject code")), found[1])
	return text[len(found[0]):]
}
