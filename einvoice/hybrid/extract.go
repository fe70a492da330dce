package hybrid

import (
	"errors"
	"fmt"
	"strings"

	"platen.dev/document/pdfa"
	"platen.dev/document/pdfa/cos"
)

// Errors of Extract, in addition to those of package cos.
var (
	ErrNoInvoice       = errors.New("the PDF has no embedded invoice")
	ErrSeveralInvoices = errors.New("the PDF has several embedded invoices")
)

// invoiceNames are the file names of embedded invoices: of Factur-X and ZUGFeRD since 2.1,
// of XRechnung, of ZUGFeRD 1.0 and 2.0, and Platen's own of UBL.
var invoiceNames = []string{FileName, FileNameXRechnung, "zugferd-invoice.xml", UBLFileName}

// Embedded is an invoice in a PDF.
type Embedded struct {
	XML []byte
	// FileName and Relationship (AFRelationship) are as the PDF has them; "" for none.
	FileName, Relationship string
}

// Extract returns the embedded invoice of a hybrid PDF from any producer. Time and memory
// are bounded for any input.
func Extract(pdf []byte) (xml []byte, err error) {
	e, err := Read(pdf)
	return e.XML, err
}

// Read is like Extract, and also describes the embedding.
func Read(pdf []byte) (Embedded, error) { return ReadFrom(cos.NewSource(pdf)) }

// ReadFrom is Read for a PDF with several readers.
func ReadFrom(source *cos.Source) (e Embedded, err error) {
	defer recoverAsError(&err)
	file, err := openUntrusted(source)
	if err != nil {
		return e, err
	}
	invoice, err := findInvoice(file)
	if err != nil {
		return e, err
	}
	xml, err := file.Decode(invoice.stream)
	if err != nil {
		return e, fmt.Errorf("read %s: %w", invoice.name, err)
	}
	if len(xml) == 0 {
		return e, fmt.Errorf("%w: %s is empty", ErrNoInvoice, invoice.name)
	}
	relation, _ := file.Resolve(invoice.spec["AFRelationship"]).(cos.Name)
	return Embedded{xml, invoice.name, string(relation)}, nil
}

// recoverAsError turns a panic into an error.
func recoverAsError(err *error) {
	if panicked := recover(); panicked != nil {
		*err = fmt.Errorf("broken PDF: %v", panicked)
	}
}

func openUntrusted(source *cos.Source) (*cos.File, error) {
	file, err := source.Open()
	if err != nil {
		return nil, err
	}
	if file.Encrypted() {
		return nil, pdfa.ErrEncrypted
	}
	return file, nil
}

// attachment is an embedded file.
type attachment struct {
	name              string
	spec              cos.Dict
	stream            *cos.Stream
	named, associated bool // in the name tree EmbeddedFiles, in the catalog's AF
}

// findInvoice returns the attachment with the first of invoiceNames that any has.
func findInvoice(file *cos.File) (attachment, error) {
	all := attachmentsOf(file)
	var others []string
	for _, name := range invoiceNames {
		var found []attachment
		for _, a := range all {
			if strings.EqualFold(a.name, name) {
				found = append(found, a)
			}
		}
		if len(found) > 1 {
			return attachment{}, fmt.Errorf("%w: %d have the name %s", ErrSeveralInvoices, len(found), name)
		}
		if len(found) == 1 {
			return found[0], nil
		}
	}
	for _, a := range all[:min(len(all), 5)] {
		others = append(others, fmt.Sprintf("%.60q", a.name))
	}
	if len(others) == 0 {
		return attachment{}, fmt.Errorf("%w: it has no attachments", ErrNoInvoice)
	}
	return attachment{}, fmt.Errorf("%w: its attachments are %s", ErrNoInvoice, strings.Join(others, ", "))
}

// Bounds of the search for attachments.
const (
	maxAttachments   = 1000
	maxNameTreeNodes = 10_000
)

// collector collects attachments, each stream once.
type collector struct {
	file  *cos.File
	all   []attachment
	index map[*cos.Stream]int
	nodes int
}

func attachmentsOf(file *cos.File) []attachment {
	catalog, _ := file.Catalog()
	c := &collector{file: file, index: map[*cos.Stream]int{}}
	c.walkNameTree(file.Dict(catalog["Names"])["EmbeddedFiles"], 0)
	for _, value := range file.Array(catalog["AF"]) {
		if at, ok := c.add(value); ok {
			c.all[at].associated = true
		}
	}
	return c.all
}

// walkNameTree collects the attachments in a name tree (7.9.6).
func (c *collector) walkNameTree(value any, depth int) {
	if c.nodes++; c.nodes > maxNameTreeNodes || depth > 32 {
		return
	}
	d := c.file.Dict(value)
	names := c.file.Array(d["Names"])
	for n := 1; n < len(names); n += 2 {
		if at, ok := c.add(names[n]); ok {
			c.all[at].named = true
		}
	}
	for _, kid := range c.file.Array(d["Kids"]) {
		c.walkNameTree(kid, depth+1)
	}
}

// add adds the attachment of a file specification and returns its index.
func (c *collector) add(value any) (int, bool) {
	spec := c.file.Dict(value)
	embedded := c.file.Dict(spec["EF"])
	for _, key := range []cos.Name{"UF", "F"} {
		s, ok := c.file.Resolve(embedded[key]).(*cos.Stream)
		if !ok {
			continue
		}
		if at, known := c.index[s]; known {
			return at, true
		}
		if len(c.all) == maxAttachments {
			return 0, false
		}
		name := cos.Text(c.file.Resolve(spec["UF"]))
		if name == "" {
			name = cos.Text(c.file.Resolve(spec["F"]))
		}
		c.index[s] = len(c.all)
		c.all = append(c.all, attachment{name: name, spec: spec, stream: s})
		return len(c.all) - 1, true
	}
	return 0, false
}
