package events

import (
	"fmt"
	"slices"

	"platen.dev/events/contract"
)

// Stored is where the large part of a content is kept until the job ends.
type Stored struct {
	// File is a name that FileName makes with StoredExtension. The file is sealed.
	File string `cbor:"1,keyasint"`
	// HTMLBytes is the HTMLBytes of the content's summary.
	HTMLBytes int `cbor:"2,keyasint,omitempty"`
}

// StoredExtension is the extension of files with the large part of a content.
const StoredExtension = ".content"

// large is the part of a content that may be stored apart.
type large struct {
	HTML    string           `cbor:"1,keyasint,omitempty"`
	Assets  []contract.Asset `cbor:"2,keyasint,omitempty"`
	Invoice *Invoice         `cbor:"3,keyasint,omitempty"`
	// Images are the watermarks' images, in order.
	Images []string `cbor:"4,keyasint,omitempty"`
}

// Detach takes the large part out of a content, to be stored in a file of the given name.
func (c Content) Detach(file string) (rest Content, part []byte, err error) {
	rest, images := c.withoutImages()
	part, err = encoder.Marshal(large{c.HTML, c.Assets, c.Invoice, images})
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
	c.Print = c.Print.clone()
	for i, mark := range c.Print.Marks() {
		if i < len(l.Images) {
			mark.Image = l.Images[i]
		}
	}
	return c, nil
}

// withoutImages returns a content whose watermarks lack their images, and the images; nil if there are
// none.
func (c Content) withoutImages() (rest Content, images []string) {
	c.Print = c.Print.clone()
	some := false
	for _, mark := range c.Print.Marks() {
		images, some = append(images, mark.Image), some || mark.Image != ""
		mark.Image = ""
	}
	if !some {
		images = nil
	}
	return c, images
}

// clone returns options whose watermarks may be changed.
func (o PrintOptions) clone() PrintOptions {
	if o.Watermark != nil {
		o.Watermark = new(*o.Watermark)
	}
	o.Watermarks = slices.Clone(o.Watermarks)
	return o
}
