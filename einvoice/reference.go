package einvoice

// Note is a note on the document or on a line.
type Note struct{ *Node }

func notesOf(document *Node) []Note {
	return wrap(document.All("IncludedNote"), func(n *Node) Note { return Note{n} })
}

// Content is the note.
func (n Note) Content() *Node { return n.At("Content") }

// Subject is what it is about, as a code.
func (n Note) Subject() *Node { return n.At("SubjectCode") }

// Reference is another document that the invoice names.
type Reference struct{ *Node }

// ID is the document's number.
func (r Reference) ID() *Node { return r.At("IssuerAssignedID") }

// LineID is the line of the document that is meant.
func (r Reference) LineID() *Node { return r.At("LineID") }

// URI is where the document is to be had.
func (r Reference) URI() *Node { return r.At("URIID") }

// Type is what the document is, as a code.
func (r Reference) Type() *Node { return r.At("TypeCode") }

// Name is what the document is, in words.
func (r Reference) Name() *Node { return r.At("Name") }

// IssueDate is when the document was issued.
func (r Reference) IssueDate() Date { return dateOf(r.At("FormattedIssueDateTime")) }

// Attachment is the document itself, in base64; its attributes are mimeCode and filename.
func (r Reference) Attachment() *Node { return r.At("AttachmentBinaryObject") }

// Period is a time from a day to a day.
type Period struct{ *Node }

// Start is the first day.
func (p Period) Start() Date { return dateOf(p.At("StartDateTime")) }

// End is the last day.
func (p Period) End() Date { return dateOf(p.At("EndDateTime")) }

// Description is the time in words.
func (p Period) Description() *Node { return p.At("Description") }
