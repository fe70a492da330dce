package hybrid

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"platen.dev/document/pdfa"
	"platen.dev/document/pdfa/cos"
)

// Errors of Extract, in addition to those of package cos.
var (
	ErrNoInvoice       = errors.New("the PDF has no embedded invoice")
	ErrSeveralInvoices = errors.New("the PDF has several embedded invoices")
)

// invoiceNames are the file names of embedded invoices by which readers find them: of Factur-X and ZUGFeRD since 2.1, of
// XRechnung, and of ZUGFeRD 1.0 and 2.0.
var invoiceNames = []string{FileName, FileNameXRechnung, "zugferd-invoice.xml"}

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
	// others are the other streams that its file specifications have: some readers take F, others UF.
	others []*cos.Stream
}

// findInvoice returns the attachment with the first of invoiceNames that any has. Readers differ in which name they look for first, so several
// names are several invoices, unless their files are equal: producers may serve older readers so. Platen's own name of UBL, which any file may
// have, counts only if there is none of these.
func findInvoice(file *cos.File) (attachment, error) {
	all := attachmentsOf(file)
	var found []attachment
	for _, name := range append(invoiceNames[:len(invoiceNames):len(invoiceNames)], UBLFileName) {
		if name == UBLFileName && len(found) > 0 {
			break
		}
		before := len(found)
		for _, a := range all {
			if strings.EqualFold(a.name, name) {
				found = append(found, a)
			}
		}
		if n := len(found) - before; n > 1 {
			return attachment{}, fmt.Errorf("%w: %d have the name %s", ErrSeveralInvoices, n, name)
		}
	}
	if len(found) == 0 {
		return attachment{}, noInvoice(all)
	}
	invoice := found[0]
	for _, a := range found {
		if err := a.single(file); err != nil {
			return attachment{}, err
		}
		if a.stream != invoice.stream && !equal(file, a.stream, invoice.stream) {
			return attachment{}, fmt.Errorf("%w: %s and %s are different", ErrSeveralInvoices, invoice.name, a.name)
		}
	}
	return invoice, nil
}

// single returns an error if an attachment is several files that are not equal, or too many to look.
func (a attachment) single(file *cos.File) error {
	switch {
	case len(a.others) > maxOthers:
		return fmt.Errorf("%w: %s is more than %d files", ErrSeveralInvoices, a.name, maxOthers+1)
	case slices.ContainsFunc(a.others, func(other *cos.Stream) bool { return !equal(file, a.stream, other) }):
		return fmt.Errorf("%w: %s is a different file to readers that look for another entry (F, UF) of its specification", ErrSeveralInvoices, a.name)
	}
	return nil
}

// equal reports whether two streams can be read and have the same bytes.
func equal(file *cos.File, a, b *cos.Stream) bool {
	of, errA := file.Decode(a)
	with, errB := file.Decode(b)
	return errA == nil && errB == nil && bytes.Equal(of, with)
}

// noInvoice says which attachments there are.
func noInvoice(all []attachment) error {
	var others []string
	for _, a := range all[:min(len(all), 5)] {
		others = append(others, fmt.Sprintf("%.60q", a.name))
	}
	if len(others) == 0 {
		return fmt.Errorf("%w: it has no attachments", ErrNoInvoice)
	}
	return fmt.Errorf("%w: its attachments are %s", ErrNoInvoice, strings.Join(others, ", "))
}

// Bounds of the search for attachments.
const (
	maxAttachments   = 1000
	maxNameTreeNodes = 10_000
	maxName          = 1000 // bytes of a name: many attachments may share one
	maxOthers        = 4    // other streams of an attachment
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
	var streams []*cos.Stream
	for _, key := range []cos.Name{"UF", "F", "Unix", "Mac", "DOS"} {
		if s, ok := c.file.Resolve(embedded[key]).(*cos.Stream); ok {
			streams = append(streams, s)
		}
	}
	if len(streams) == 0 {
		return 0, false
	}
	at, known := c.index[streams[0]]
	if !known {
		if len(c.all) == maxAttachments {
			return 0, false
		}
		at = len(c.all)
		c.index[streams[0]] = at
		c.all = append(c.all, attachment{name: cmp.Or(nameOf(c.file, spec["UF"]), nameOf(c.file, spec["F"])), spec: spec, stream: streams[0]})
	}
	a := &c.all[at]
	for _, s := range streams[1:] {
		if s != a.stream && !slices.Contains(a.others, s) && len(a.others) <= maxOthers {
			a.others = append(a.others, s)
		}
	}
	return at, true
}

// nameOf decodes the beginning of a name.
func nameOf(file *cos.File, value any) string {
	name, _ := file.Resolve(value).(cos.String)
	return cos.Text(name[:min(len(name), maxName)])
}
