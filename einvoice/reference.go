package einvoice

// Reference is a reference to another document.
type Reference struct{ *Node }

// ID is the number of the document.
func (r Reference) ID() *Node { return r.At("IssuerAssignedID") }

// Name is the name of the document.
func (r Reference) Name() *Node { return r.At("Name") }

// IssueDate is the date of the document.
func (r Reference) IssueDate() Date { return dateOf(r.At("FormattedIssueDateTime")) }

// Line is the identifier of the line of the document that is referred to.
func (r Reference) Line() *Node { return r.At("LineID") }
