// Package pack writes PDFs out of the objects that pdfcpu has read. It writes the objects that can be reached
// from the catalog and from Info, each once, numbered in the order in which it finds them, so that the same
// objects give the same bytes.
//
// The writer of pdfcpu puts its own name and the current time into the file, so that Info and the XMP packet
// could not agree, and drops catalog entries that it does not know, such as AF.
package pack

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// ErrObject refuses objects that cannot be written.
var ErrObject = errors.New("an object cannot be written")

// MaxNesting is the maximum nesting of arrays and dictionaries.
const MaxNesting = 100

// File is a PDF to be written.
type File struct {
	Objects *model.XRefTable
	Info    types.IndirectRef
	// First becomes the first of the file's two identifiers, which stays the same in later versions of the
	// file; the second one is different for each file (ISO 32000-1, 14.4). It has 16 bytes.
	First []byte
	// Streams packs objects other than streams into object streams. That makes structure many times smaller; readers from before 2003 cannot read it.
	Streams bool
}

// writer writes one file.
type writer struct {
	table   *model.XRefTable
	out     *bytes.Buffer
	numbers map[int]int // maps the table's object numbers to the file's
	queue   []int       // the table's numbers, in the order of the file's
	places  []place     // by number, from 1
	packing bool
	packed  objectStream   // the one that is being filled
	full    []objectStream // the full ones
}

// place is the place of an object: an offset in the file or, if stream is not 0, an index in that object stream.
type place struct{ offset, stream, index int }

// Write returns the file.
func Write(f File) ([]byte, error) {
	w := &writer{out: &bytes.Buffer{}, table: f.Objects, numbers: map[int]int{}, packing: f.Streams}
	// ISO 19005-3, 6.1.2: version 1.7 at most, then a comment of four bytes above 127
	w.out.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	root, info := w.number(*f.Objects.Root), w.number(f.Info)
	for i := 0; i < len(w.queue); i++ {
		if err := w.object(i+1, w.queue[i]); err != nil {
			return nil, err
		}
	}
	w.endStreams()
	second := sha256.Sum256(w.out.Bytes())
	w.end(fmt.Sprintf("/Root %d 0 R/Info %d 0 R/ID[<%X><%X>]", root, info, f.First[:16], second[:16]))
	return w.out.Bytes(), nil
}

// end writes the table of all objects, and the trailer.
func (w *writer) end(trailer string) {
	start := w.out.Len()
	if w.packing {
		w.tableStream(trailer)
	} else {
		fmt.Fprintf(w.out, "xref\n0 %d\n0000000000 65535 f\r\n", len(w.places)+1)
		for _, p := range w.places {
			fmt.Fprintf(w.out, "%010d 00000 n\r\n", p.offset)
		}
		fmt.Fprintf(w.out, "trailer\n<</Size %d%s>>\n", len(w.places)+1, trailer)
	}
	fmt.Fprintf(w.out, "startxref\n%d\n%%%%EOF\n", start)
}

func (w *writer) number(ref types.IndirectRef) int {
	old := ref.ObjectNumber.Value()
	if n, ok := w.numbers[old]; ok {
		return n
	}
	w.queue = append(w.queue, old)
	w.numbers[old] = len(w.queue)
	return len(w.queue)
}

func (w *writer) object(number, old int) error {
	object, err := w.table.Dereference(*types.NewIndirectRef(old, 0))
	if err != nil {
		return fmt.Errorf("%w: object %d: %w", ErrObject, old, err)
	}
	stream, isStream := Stream(object)
	if w.packing && !isStream {
		return w.pack(number, object)
	}
	w.begin(number)
	if isStream {
		err = w.stream(stream)
	} else {
		err = w.value(object, 0)
	}
	w.out.WriteString("\nendobj\n")
	return err
}

// begin begins an object at the end of the file.
func (w *writer) begin(number int) {
	w.put(number, place{offset: w.out.Len()})
	fmt.Fprintf(w.out, "%d 0 obj\n", number)
}

func (w *writer) put(number int, p place) {
	for len(w.places) < number {
		w.places = append(w.places, place{})
	}
	w.places[number-1] = p
}

// Stream is an object as a stream, if it is one.
func Stream(object types.Object) (types.StreamDict, bool) {
	switch s := object.(type) {
	case types.StreamDict:
		return s, true
	case *types.StreamDict:
		return *s, s != nil
	case types.ObjectStreamDict:
		return s.StreamDict, true
	}
	return types.StreamDict{}, false
}

func (w *writer) stream(s types.StreamDict) error {
	d := maps.Clone(s.Dict)
	d["Length"] = types.Integer(len(s.Raw))
	if err := w.value(d, 0); err != nil {
		return err
	}
	w.out.WriteString("\nstream\n")
	w.out.Write(s.Raw)
	w.out.WriteString("\nendstream")
	return nil
}

func (w *writer) value(object types.Object, depth int) error {
	if depth > MaxNesting {
		return fmt.Errorf("%w: objects nested deeper than %d", ErrObject, MaxNesting)
	}
	switch v := object.(type) {
	case nil:
		w.out.WriteString("null")
	case types.IndirectRef:
		w.out.WriteString(strconv.Itoa(w.number(v)) + " 0 R")
	case *types.IndirectRef:
		w.out.WriteString(strconv.Itoa(w.number(*v)) + " 0 R")
	case types.Dict:
		return w.dict(v, depth)
	case types.Array:
		return w.array(v, depth)
	case types.Name:
		w.name(string(v))
	case types.Float:
		w.out.WriteString(real32(float64(v)))
	case types.HexLiteral:
		w.hexString(string(v))
	case types.StringLiteral, types.Integer, types.Boolean:
		w.out.WriteString(v.PDFString())
	default:
		return fmt.Errorf("%w: unexpected object of type %T", ErrObject, object)
	}
	return nil
}

func (w *writer) dict(d types.Dict, depth int) error {
	w.out.WriteString("<<")
	for _, key := range slices.Sorted(maps.Keys(d)) {
		w.name(key)
		w.out.WriteByte(' ')
		if err := w.value(d[key], depth+1); err != nil {
			return err
		}
	}
	w.out.WriteString(">>")
	return nil
}

func (w *writer) array(a types.Array, depth int) error {
	w.out.WriteByte('[')
	for i, object := range a {
		if i > 0 {
			w.out.WriteByte(' ')
		}
		if err := w.value(object, depth+1); err != nil {
			return err
		}
	}
	w.out.WriteByte(']')
	return nil
}

func (w *writer) name(name string) {
	w.out.WriteByte('/')
	for i := range len(name) {
		c := name[i]
		if c <= ' ' || c >= 0x7F || bytes.IndexByte([]byte("()<>[]{}/%#"), c) >= 0 {
			fmt.Fprintf(w.out, "#%02X", c)
			continue
		}
		w.out.WriteByte(c)
	}
}

// hexString writes a hexadecimal string with an even number of digits (6.1.6-1).
func (w *writer) hexString(digits string) {
	w.out.WriteString("<" + digits)
	if len(digits)%2 == 1 {
		w.out.WriteByte('0')
	}
	w.out.WriteByte('>')
}

// real32 formats a number as briefly as possible, without an exponent. Numbers too close
// to zero for PDF/A become zero (6.1.13-5).
func real32(f float64) string {
	if math.Abs(f) < 1.175e-38 {
		f = 0
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
