package events

import (
	"fmt"

	"platen.dev/events/contract"
)

// Stored is where the large part of a content is kept until the job ends.
type Stored struct {
	// File is a name that FileName makes with StoredExtension. The file is sealed.
	File string `cbor:"1,keyasint"`
	// HTMLBytes is that of the content's summary.
	HTMLBytes int `cbor:"2,keyasint,omitempty"`
}

// StoredExtension is that of files with the large part of a content.
const StoredExtension = ".content"

// large is the part of a content that may be stored apart.
type large struct {
	HTML    string           `cbor:"1,keyasint,omitempty"`
	Assets  []contract.Asset `cbor:"2,keyasint,omitempty"`
	Invoice *Invoice         `cbor:"3,keyasint,omitempty"`
}

// Detach takes the large part out of a content, to be stored as a file of a name.
func (c Content) Detach(file string) (rest Content, part []byte, err error) {
	part, err = encoder.Marshal(large{c.HTML, c.Assets, c.Invoice})
	rest = c
	rest.Stored = &Stored{File: file, HTMLBytes: c.Summary().HTMLBytes}
	rest.HTML, rest.Assets, rest.Invoice = "", nil, nil
	return rest, part, err
}

// Attach puts the large part back. Its error is ErrFormat.
func (c Content) Attach(part []byte) (Content, error) {
	var l large
	if err := decoder.Unmarshal(part, &l); err != nil {
		return c, fmt.Errorf("stored content: %w: %w", ErrFormat, err)
	}
	c.HTML, c.Assets, c.Invoice, c.Stored = l.HTML, l.Assets, l.Invoice, nil
	return c, nil
}
