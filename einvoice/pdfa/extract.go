package pdfa

import (
	"errors"
	"fmt"
	"strings"

	"platen.dev/einvoice/pdfa/cos"
)

// Errors of Extract and Level, beside those of package cos.
var (
	ErrNoInvoice = errors.New("PDF has no embedded invoice")
	ErrSeveral   = errors.New("PDF has several embedded invoices")
)

// extractLimits are for the PDFs of strangers.
var extractLimits = cos.Limits{Objects: 1 << 19, Decoded: 64 << 20}

// invoiceNames are the names of embedded invoices: Factur-X and ZUGFeRD from 2.1 on,
// XRechnung, ZUGFeRD 2.0 and 1.0.
var invoiceNames = []string{FileName, "xrechnung.xml", "zugferd-invoice.xml"}

// Extract gives the embedded invoice of a hybrid PDF, whoever made it. Its memory and
// time are bounded whatever the PDF is.
func Extract(pdf []byte) (xml []byte, err error) {
	defer recovered(&err)
	file, err := openForeign(pdf)
	if err != nil {
		return nil, err
	}
	invoice, err := invoiceOf(file)
	if err != nil {
		return nil, err
	}
	if xml, err = file.Decode(invoice.stream); err != nil {
		return nil, fmt.Errorf("read %s: %w", invoice.name, err)
	}
	if len(xml) == 0 {
		return nil, fmt.Errorf("%w: %s is empty", ErrNoInvoice, invoice.name)
	}
	return xml, nil
}

// Level is the conformance level that a hybrid PDF claims in its metadata, as it spells
// it: "EN 16931". It is "" if there is none.
func Level(pdf []byte) (level string, err error) {
	defer recovered(&err)
	file, err := openForeign(pdf)
	if err != nil {
		return "", err
	}
	catalog, _ := file.Catalog()
	s, ok := file.Resolve(catalog["Metadata"]).(*cos.Stream)
	if !ok {
		return "", nil
	}
	packet, err := file.Decode(s)
	if err != nil {
		return "", fmt.Errorf("read metadata: %w", err)
	}
	top, err := parseXMP(packet)
	if err != nil {
		return "", fmt.Errorf("read metadata: %w", err)
	}
	for _, p := range properties(top) {
		// older versions have other namespaces and the same name
		if p.name.Local == "ConformanceLevel" {
			return p.plain(), nil
		}
	}
	return "", nil
}

func recovered(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("broken PDF: %v", fault)
	}
}

func openForeign(pdf []byte) (*cos.File, error) {
	file, err := cos.Open(pdf, extractLimits)
	if err != nil {
		return nil, err
	}
	if file.Encrypted() {
		return nil, ErrEncrypted
	}
	return file, nil
}

// attachment is an embedded file.
type attachment struct {
	name              string
	spec              cos.Dict
	stream            *cos.Stream
	named, associated bool // found among the names, in the catalogue's AF
}

// invoiceOf picks the one attachment with a known name, by the order of the names.
func invoiceOf(file *cos.File) (attachment, error) {
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
			return attachment{}, fmt.Errorf("%w: %d are named %s", ErrSeveral, len(found), name)
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

// maxAttachments and maxTree bound what is looked at.
const (
	maxAttachments = 1000
	maxTree        = 10_000
)

// collector gathers attachments, each stream once.
type collector struct {
	file  *cos.File
	all   []attachment
	where map[*cos.Stream]int
	nodes int
}

func attachmentsOf(file *cos.File) []attachment {
	catalog, _ := file.Catalog()
	c := &collector{file: file, where: map[*cos.Stream]int{}}
	c.tree(file.Dict(catalog["Names"])["EmbeddedFiles"], 0)
	for _, value := range file.Array(catalog["AF"]) {
		if at, ok := c.take(value); ok {
			c.all[at].associated = true
		}
	}
	return c.all
}

// tree walks a name tree (7.9.6).
func (c *collector) tree(value any, depth int) {
	if c.nodes++; c.nodes > maxTree || depth > 32 {
		return
	}
	d := c.file.Dict(value)
	names := c.file.Array(d["Names"])
	for n := 1; n < len(names); n += 2 {
		if at, ok := c.take(names[n]); ok {
			c.all[at].named = true
		}
	}
	for _, kid := range c.file.Array(d["Kids"]) {
		c.tree(kid, depth+1)
	}
}

func (c *collector) take(value any) (int, bool) {
	spec := c.file.Dict(value)
	embedded := c.file.Dict(spec["EF"])
	for _, key := range []cos.Name{"UF", "F"} {
		s, ok := c.file.Resolve(embedded[key]).(*cos.Stream)
		if !ok {
			continue
		}
		if at, known := c.where[s]; known {
			return at, true
		}
		if len(c.all) == maxAttachments {
			return 0, false
		}
		name := textOf(c.file.Resolve(spec["UF"]))
		if name == "" {
			name = textOf(c.file.Resolve(spec["F"]))
		}
		c.where[s] = len(c.all)
		c.all = append(c.all, attachment{name: name, spec: spec, stream: s})
		return len(c.all) - 1, true
	}
	return 0, false
}
