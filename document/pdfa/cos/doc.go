// Package cos parses the objects of a PDF (ISO 32000-1, 7.2 to 7.5; the literature on
// PDF/A calls this layer COS). The input may be hostile: Limits bound the memory and time
// that a File takes, and broken input is an error, never a panic.
//
// It does not use pdfcpu, with which package pdfa converts, so that the checker that reads
// the result does not share the converter's bugs.
package cos

// Name is a name without its solidus; its #xx sequences are decoded.
type Name string

// String has the bytes of a literal or hexadecimal string.
type String string

// Operator is a keyword, such as an operator of a content stream.
type Operator string

// Ref is a reference to an indirect object.
type Ref struct{ Number, Generation int }

// Dict and Array contain nil, bool, int64, float64, Name, String, Ref, Array or Dict.
type (
	Dict  map[Name]any
	Array []any
)

// Stream is a stream, with its bytes as they are in the file, before any filter is decoded.
type Stream struct {
	Dict Dict
	Raw  []byte
	// LengthMatches: the entry Length is correct.
	LengthMatches bool
	// StartEOL: CR LF or LF follows the keyword stream.
	StartEOL bool
	// EndEOL: an end of line precedes the keyword endstream. It is known only if
	// LengthMatches.
	EndEOL bool
}

// Limits bound the memory and time that parsing one file takes.
type Limits struct {
	Objects int // indirect objects, in all cross-reference sections
	Decoded int // decoded bytes of streams, in total, counted each time a stream is decoded; a filter counts for at least the bytes that it reads
	Parsed  int // bytes of objects and of cross-reference tables, in total: many entries may name one large object; 0 for any
	Steps   int // followed references and visited elements; 0 for no limit
}

// LimitsFor are the limits for a file that anyone may have made, of a size in bytes: small multiples of that.
func LimitsFor(size int) Limits {
	return Limits{Objects: 1 << 19, Decoded: max(32<<20, 6*size), Parsed: max(16<<20, 3*size), Steps: 64 << 20}
}

// DefaultLimits far exceed the needs of an invoice, and are low enough for any machine.
var DefaultLimits = Limits{Objects: 1 << 20, Decoded: 256 << 20, Parsed: 512 << 20, Steps: 1 << 31}

const (
	maxDepth        = 64  // nesting of arrays and dictionaries
	maxRefChain     = 32  // references to references
	maxPending      = 64  // objects that are needed to parse one another, such as lengths of streams
	maxXRefSections = 256 // cross-reference sections of a file
	maxFilters      = 8   // filters of a stream
)
