// Package markup is a strict reader of XML: it accepts documents that are well-formed by
// XML 1.0 and Namespaces in XML, except those with a DOCTYPE.
//
// It replaces encoding/xml, whose RawToken does not notice several violations of
// well-formedness (duplicate attributes, a second root element, "--" in a comment, an XML
// declaration in the middle, a second colon in a name), does not read UTF-16 or
// ISO-8859-1, and takes longer for the tokens alone than package einvoice takes to parse
// and validate (BenchmarkEncodingXML).
//
// Time and memory are bounded by small multiples of the document's length: text is a
// substring of the document where possible, there are no entities except the five
// predefined ones, and depth, attributes and namespace declarations have limits.
package markup

// Limits of a document, far above what any invoice needs.
const (
	MaxDepth      = 64
	MaxAttributes = 64
	// maxBindings bounds the namespace declarations in scope.
	maxBindings = 256
)
