package pack

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// perStream is the maximum number of objects in an object stream: a reader unpacks all of them to read one.
const perStream = 1000

// objectStream is an object stream that is being filled (ISO 32000-1, 7.5.7).
type objectStream struct {
	numbers []int
	offsets []int // within content
	content bytes.Buffer
}

// pack puts an object that is not a stream into the current object stream.
func (w *writer) pack(number int, object types.Object) error {
	s := &w.packed
	s.numbers, s.offsets = append(s.numbers, number), append(s.offsets, s.content.Len())
	file := w.out
	w.out = &s.content
	err := w.value(object, 0)
	w.out = file
	if err != nil {
		return err
	}
	s.content.WriteByte('\n')
	if len(s.numbers) == perStream {
		w.queueStream()
	}
	return nil
}

// queueStream puts the current object stream aside: it gets a number when all other objects have theirs.
func (w *writer) queueStream() {
	if len(w.packed.numbers) > 0 {
		w.full = append(w.full, w.packed)
		w.packed = objectStream{}
	}
}

// endStreams writes the object streams.
func (w *writer) endStreams() {
	w.queueStream()
	for n, s := range w.full {
		stream := len(w.queue) + 1 + n
		var head bytes.Buffer
		for i, number := range s.numbers {
			fmt.Fprintf(&head, "%d %d ", number, s.offsets[i])
			w.put(number, place{stream: stream, index: i})
		}
		w.begin(stream)
		w.deflated(fmt.Sprintf("/Type/ObjStm/N %d/First %d", len(s.numbers), head.Len()), append(head.Bytes(), s.content.Bytes()...))
	}
}

// tableStream writes the table of all objects as a stream, with the trailer (7.5.8).
func (w *writer) tableStream(trailer string) {
	number := len(w.places) + 1
	w.begin(number)
	rows := []byte{0, 0, 0, 0, 0, 0xFF, 0xFF}
	for _, p := range w.places {
		kind, where, index := byte(1), p.offset, 0
		if p.stream > 0 {
			kind, where, index = 2, p.stream, p.index
		}
		rows = append(rows, kind)
		rows = binary.BigEndian.AppendUint32(rows, uint32(where))
		rows = binary.BigEndian.AppendUint16(rows, uint16(index))
	}
	w.deflated(fmt.Sprintf("/Type/XRef/Size %d/W[1 4 2]/DecodeParms<</Predictor 12/Columns %d>>%s", number+1, rowBytes, trailer), differences(rows))
}

// rowBytes is the length of a row of the table.
const rowBytes = 7

// differences returns each row's difference to the one above, by PNG's predictor Up (7.4.4.4): consecutive rows are similar, and so compress well.
func differences(rows []byte) []byte {
	out := make([]byte, 0, len(rows)/rowBytes*(rowBytes+1))
	above := make([]byte, rowBytes)
	for row := range slices.Chunk(rows, rowBytes) {
		const up = 2
		out = append(out, up)
		for n, b := range row {
			out = append(out, b-above[n])
		}
		above = row
	}
	return out
}

// deflated writes the rest of a stream object.
func (w *writer) deflated(entries string, data []byte) {
	packed := Deflate(data)
	fmt.Fprintf(w.out, "<<%s/Filter/FlateDecode/Length %d>>\nstream\n", entries, len(packed))
	w.out.Write(packed)
	w.out.WriteString("\nendstream\nendobj\n")
}

// Deflate compresses the content of a stream with the filter FlateDecode.
func Deflate(data []byte) []byte {
	var out bytes.Buffer
	w, _ := zlib.NewWriterLevel(&out, zlib.BestCompression) // fails for other levels only
	w.Write(data)                                           // cannot fail: writing to a buffer always succeeds
	w.Close()
	return out.Bytes()
}
