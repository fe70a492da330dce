// Package cos reads the objects that a PDF is made of (ISO 32000-1, 7.2 to 7.5; the
// object layer is called COS by those who write about PDF/A). It reads what strangers
// send: a File never takes more memory or time than its Limits, and broken input is an
// error, never a panic.
//
// It is kept apart from pdfcpu, with which package pdfa writes, so that the checker
// that reads the result does not share the converter's errors.
package cos

// Name is a name without its solidus, its #xx sequences resolved.
type Name string

// String holds the bytes of a string, literal or hexadecimal.
type String string

// Operator is a keyword in a content stream.
type Operator string

// Ref points to an indirect object.
type Ref struct{ Number, Generation int }

// Dict and Array hold nil, bool, int64, float64, Name, String, Ref, Array or Dict.
type (
	Dict  map[Name]any
	Array []any
)

// Stream is a dictionary with bytes as they are in the file, filters not undone.
type Stream struct {
	Dict Dict
	Raw  []byte
	// Exact tells that Length was right, and EndEOL that an end of line stands before
	// endstream, and StartEOL that the right one follows the keyword stream.
	Exact, StartEOL, EndEOL bool
}

// Limits bound what a file may cost.
type Limits struct {
	Objects int // indirect objects, in all cross-reference sections
	Decoded int // bytes that filters may produce in all
}

// DefaultLimits are wide for an invoice and narrow for a machine.
var DefaultLimits = Limits{Objects: 1 << 20, Decoded: 256 << 20}

const (
	maxDepth  = 64  // of arrays and dictionaries in one another
	maxChain  = 32  // of references to references
	maxXRefs  = 256 // sections of one file
	maxPasses = 8   // filters of one stream
)
