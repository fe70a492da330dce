package pdfa

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// writer writes the objects that can be reached from the catalog and from Info, each once.
// It numbers them in the order in which it finds them, so the bytes do not depend on the
// order of a map.
type writer struct {
	table   *model.XRefTable
	out     bytes.Buffer
	numbers map[int]int // object numbers: from the table's to the file's
	queue   []int       // the table's numbers, in the order of the file's
	offsets []int       // in the file, by number
}

// maxNesting is how deeply arrays and dictionaries may be nested.
const maxNesting = 100

// write returns the file. first becomes the first of its two identifiers, which stays the
// same in later versions of the file; the second one is different for each file (14.4).
func write(table *model.XRefTable, info types.IndirectRef, first []byte) ([]byte, error) {
	w := &writer{table: table, numbers: map[int]int{}}
	// 6.1.2: version 1.7 at most, then a comment of four bytes above 127
	w.out.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	root, about := w.number(*table.Root), w.number(info)
	for i := 0; i < len(w.queue); i++ {
		if err := w.object(i+1, w.queue[i]); err != nil {
			return nil, err
		}
	}
	second := sha256.Sum256(w.out.Bytes())
	start := w.out.Len()
	fmt.Fprintf(&w.out, "xref\n0 %d\n0000000000 65535 f\r\n", len(w.offsets)+1)
	for _, offset := range w.offsets {
		fmt.Fprintf(&w.out, "%010d 00000 n\r\n", offset)
	}
	fmt.Fprintf(&w.out, "trailer\n<</Size %d/Root %d 0 R/Info %d 0 R/ID[<%s><%s>]>>\nstartxref\n%d\n%%%%EOF\n",
		len(w.offsets)+1, root, about, hex.EncodeToString(first[:16]), hex.EncodeToString(second[:16]), start)
	return w.out.Bytes(), nil
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
		return fmt.Errorf("%w: object %d: %w", ErrInput, old, err)
	}
	w.offsets = append(w.offsets, w.out.Len())
	fmt.Fprintf(&w.out, "%d 0 obj\n", number)
	if stream, ok := streamOf(object); ok {
		err = w.stream(stream)
	} else {
		err = w.value(object, 0)
	}
	w.out.WriteString("\nendobj\n")
	return err
}

func streamOf(object types.Object) (types.StreamDict, bool) {
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
	if depth > maxNesting {
		return fmt.Errorf("%w: objects nested deeper than %d", ErrInput, maxNesting)
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
		return fmt.Errorf("%w: unexpected object of type %T", ErrInput, object)
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
			fmt.Fprintf(&w.out, "#%02X", c)
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
