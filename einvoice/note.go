package einvoice

// Note is a note on the document or on a line.
type Note struct{ *Node }

func notesOf(document *Node) []Note {
	return wrapAll(document.All("IncludedNote"), func(n *Node) Note { return Note{n} })
}

// Content is the text of the note.
func (n Note) Content() *Node { return n.At("Content") }
