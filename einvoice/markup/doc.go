// Package markup reads XML strictly: it accepts what XML 1.0 with namespaces calls
// well-formed, and nothing with a DOCTYPE.
//
// It stands in for encoding/xml, whose RawToken neither notices what an invoice must
// not have (duplicate attributes, a second root, "--" in a comment, an XML
// declaration in the middle, a colon too many) nor reads UTF-16 and Latin-1, and
// which takes longer for the tokens alone than einvoice for all of its work
// (BenchmarkEncodingXML).
//
// Everything is bounded by the document itself: text is cut out of it, not copied;
// no entity but the five of XML exists; depth, attributes and namespaces have limits,
// so that no document takes more than a small multiple of its length in time or memory.
package markup

// What a document may have at most, far beyond any invoice.
const (
	MaxDepth      = 64
	MaxAttributes = 64
	// maxBindings bounds the namespace declarations in force at one place.
	maxBindings = 256
)

// Fault is why a document is not well-formed, at the byte of the decoded text where
// reading stopped.
type Fault struct {
	Offset          int
	Found, Expected string
}
