package events

import (
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"

	"platen.dev/events/contract"
)

// ContentSummary holds the properties of a job's content that decisions about the job need.
type ContentSummary struct {
	// HTMLBytes is the length of the HTML to render; zero for a page by URL.
	HTMLBytes int
	// FromURL is set for a page by URL, Full for a full document, Embeds for HTML that shows pictures from the network.
	FromURL, Full, Embeds bool
	// Waits is set if the caller asks to wait: after the load, for a selector, or until the
	// page is idle.
	Waits bool
	// Delivered is set if the file goes to the caller's own storage.
	Delivered bool
	// Stored is the file that contains the large part; "" for none.
	Stored string
}

// Summary returns the summary that decoding the content's SubmitJob yields.
func (c Content) Summary() ContentSummary {
	s := ContentSummary{
		HTMLBytes: len(c.HTML), FromURL: c.URL != "", Full: c.Full, Embeds: c.Embeds,
		Waits: waits(c.Load), Delivered: c.Delivery != nil,
	}
	if c.Invoice != nil {
		s.HTMLBytes += c.Invoice.HTMLBytes
	}
	if c.Stored != nil {
		s.HTMLBytes += c.Stored.HTMLBytes
		s.Stored = c.Stored.File
	}
	return s
}

// waits reports whether a page is asked to wait for something.
func waits(l *contract.Load) bool {
	return l != nil && (l.WaitAfter > 0 || l.WaitFor != "" || l.WaitForFunction != "" || l.Scroll || l.WaitUntil == contract.UntilIdle)
}

// decodeSubmission decodes a SubmitJob with its content.
func decodeSubmission(in rawTyped) (CommandBody, error) {
	if number := commandRows.row(SubmitJob{}).number; in.Type != number {
		return nil, fmt.Errorf("type %d, not %d of a submission: %w", in.Type, number, ErrNewer)
	}
	var s Submission
	if err := decoder.Unmarshal(in.Value, &s); err != nil {
		return nil, fmt.Errorf("type %d: %w: %w", in.Type, ErrFormat, err)
	}
	s.Summary = s.Content.Summary()
	return s, nil
}

// decodeHead decodes a SubmitJob and skips its content.
func decodeHead(b []byte) (CommandBody, error) {
	var in struct {
		SubmitJob
		Content contentHead `cbor:"5,keyasint"`
	}
	err := decoder.Unmarshal(b, &in)
	in.Summary = ContentSummary{
		HTMLBytes: int(in.Content.HTML) + in.Content.Invoice.HTMLBytes + in.Content.Stored.HTMLBytes, FromURL: in.Content.URL > 0,
		Full: in.Content.Full, Embeds: in.Content.Embeds, Waits: waits(in.Content.Load), Delivered: in.Content.Delivery != nil, Stored: in.Content.Stored.File,
	}
	return in.SubmitJob, err
}

// contentHead is the part of a Content that its summary needs.
type contentHead struct {
	HTML    textLength     `cbor:"1,keyasint"`
	URL     textLength     `cbor:"3,keyasint"`
	Load    *contract.Load `cbor:"5,keyasint"`
	Invoice struct {
		HTMLBytes int `cbor:"6,keyasint"`
	} `cbor:"7,keyasint"`
	Delivery *Delivery `cbor:"8,keyasint"`
	Embeds   bool      `cbor:"9,keyasint"`
	Full     bool      `cbor:"10,keyasint"`
	Stored   Stored    `cbor:"12,keyasint"`
}

// textLength is the length in bytes of a text string that is not decoded.
type textLength int

var errNotText = errors.New("not a text string")

// UnmarshalCBOR reads the length of a well-formed data item.
func (l *textLength) UnmarshalCBOR(b []byte) error {
	if len(b) == 0 || b[0]>>5 != majorText {
		return errNotText
	}
	_, n, _ := headOf(b)
	*l = textLength(n)
	return nil
}

// Major types of data items (RFC 8949, section 3.1).
const (
	majorBytes = 2
	majorText  = 3
	majorMap   = 5
)

// headOf reads the head of a well-formed data item (RFC 8949, section 3): its major type, its argument, and the length of the head.
func headOf(b []byte) (major byte, argument uint64, size int) {
	major, argument = b[0]>>5, uint64(b[0]&0b11111)
	if argument < 24 {
		return major, argument, 1
	}
	size = 1 + 1<<(argument-24) // 24 to 27: 1, 2, 4 or 8 bytes follow
	argument = 0
	for _, next := range b[1:size] {
		argument = argument<<8 | uint64(next)
	}
	return major, argument, size
}

var _ cbor.Unmarshaler = (*textLength)(nil)
