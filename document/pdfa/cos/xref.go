package cos

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
)

// readSections reads the chain of cross-reference sections, beginning with the newest.
func (f *File) readSections() error {
	at, err := f.startXRef()
	if err != nil {
		return err
	}
	seen := map[int]bool{}
	queue := []int{at}
	for len(queue) > 0 {
		at, queue = queue[0], queue[1:]
		if seen[at] {
			continue
		}
		if seen[at] = true; len(seen) > maxXRefSections {
			return fmt.Errorf("%w: more than %d cross-reference sections", ErrLimit, maxXRefSections)
		}
		dict, err := f.readSection(at)
		if err != nil {
			return err
		}
		if f.Newest == nil {
			f.Newest = dict
		}
		for key, value := range dict {
			if _, newer := f.Trailer[key]; !newer {
				f.Trailer[key] = value
			}
		}
		for _, key := range []Name{"XRefStm", "Prev"} {
			if next, ok := dict[key].(int64); ok && next > 0 && next < int64(len(f.Data)) {
				queue = append(queue, int(next))
			}
		}
	}
	return nil
}

func (f *File) startXRef() (int, error) {
	tail := f.Data[max(0, len(f.Data)-2048):]
	i := bytes.LastIndex(tail, []byte("startxref"))
	if i < 0 {
		return 0, fmt.Errorf("%w: no startxref", ErrSyntax)
	}
	l := &lexer{data: tail, pos: i + len("startxref"), deviations: &Deviations{}}
	token, err := l.token()
	at, ok := token.(int64)
	if err != nil || !ok || at < 0 || at >= int64(len(f.Data)) {
		return 0, fmt.Errorf("%w: startxref is not an offset in the file", ErrSyntax)
	}
	return int(at), nil
}

var nextLine = regexp.MustCompile(`^(\r\n|\r|\n)\d`)

// readSection reads a cross-reference table or stream. Entries of newer sections, which
// have been read before, take precedence.
func (f *File) readSection(at int) (Dict, error) {
	l := &lexer{data: f.Data, pos: at, deviations: &f.Deviations}
	var table Dict
	err := f.counting(l, func() (err error) {
		if l.skipSpace(); l.hasPrefix("xref") {
			l.pos += len("xref")
			f.Deviations.LooseXRef = f.Deviations.LooseXRef || !nextLine.Match(f.Data[l.pos:min(len(f.Data), l.pos+3)])
			table, err = f.readTable(l)
		}
		return err
	})
	if table != nil || err != nil {
		return table, err
	}
	object, err := f.objectAt(at, 0)
	if err != nil {
		return nil, err
	}
	s, ok := object.(*Stream)
	if !ok {
		return nil, fmt.Errorf("%w: no cross-reference section at byte %d", ErrSyntax, at)
	}
	return s.Dict, f.readXRefStream(s)
}

func (f *File) readTable(l *lexer) (Dict, error) {
	for {
		token, err := l.token()
		if err != nil {
			return nil, err
		}
		if token == Operator("trailer") {
			trailer, err := l.object(true)
			if err != nil {
				return nil, err
			}
			dict, ok := trailer.(Dict)
			if !ok {
				return nil, fmt.Errorf("%w: the trailer is not a dictionary", ErrSyntax)
			}
			return dict, nil
		}
		count, err := l.token()
		first, ok1 := token.(int64)
		n, ok2 := count.(int64)
		if err != nil || !ok1 || !ok2 {
			return nil, fmt.Errorf("%w: cross-reference table", ErrSyntax)
		}
		if err := f.readSubsection(l, first, n); err != nil {
			return nil, err
		}
	}
}

func (f *File) readSubsection(l *lexer, first, count int64) error {
	for i := range count {
		offset, err1 := l.token()
		_, err2 := l.token()
		kind, err3 := l.token()
		at, ok := offset.(int64)
		if err1 != nil || err2 != nil || err3 != nil || !ok {
			return fmt.Errorf("%w: cross-reference entry", ErrSyntax)
		}
		if kind == Operator("n") {
			if err := f.addEntry(first+i, xrefEntry{offset: int(at)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// entrySize is what an entry of a cross-reference section counts for as parsed, in bytes: that of a stream may have a single bit in the file.
const entrySize = 8

func (f *File) addEntry(number int64, e xrefEntry) error {
	if number < 0 || number >= 1<<31 {
		return fmt.Errorf("%w: object number %d", ErrSyntax, number)
	}
	if _, newer := f.entries[int(number)]; !newer {
		if len(f.entries) >= f.limits.Objects {
			return fmt.Errorf("%w: more than %d objects", ErrLimit, f.limits.Objects)
		}
		f.entries[int(number)] = e
	}
	return nil
}

// readXRefStream reads a cross-reference stream (7.5.8).
func (f *File) readXRefStream(s *Stream) error {
	data, err := f.Decode(s)
	if err != nil {
		return err
	}
	widths, ok := s.Dict["W"].(Array)
	if !ok || len(widths) < 3 {
		return fmt.Errorf("%w: cross-reference stream", ErrSyntax)
	}
	var w [3]int
	for i := range w {
		n, _ := widths[i].(int64)
		if n < 0 || n > 8 {
			return fmt.Errorf("%w: cross-reference stream", ErrSyntax)
		}
		w[i] = int(n)
	}
	size := w[0] + w[1] + w[2]
	if size == 0 {
		return fmt.Errorf("%w: cross-reference stream", ErrSyntax)
	}
	index, ok := s.Dict["Index"].(Array)
	if !ok {
		index = Array{int64(0), f.Int(s.Dict["Size"], 0)}
	}
	for i := 0; i+1 < len(index); i += 2 {
		first, _ := index[i].(int64)
		count, _ := index[i+1].(int64)
		for n := int64(0); n < count && len(data) >= size; n++ {
			if err := f.countParsed(entrySize); err != nil {
				return err
			}
			if err := f.addStreamEntry(first+n, data[:size], w); err != nil {
				return err
			}
			data = data[size:]
		}
	}
	return nil
}

func (f *File) addStreamEntry(number int64, row []byte, w [3]int) error {
	field := func(from, width int) (value int64) {
		for _, b := range row[from : from+width] {
			value = value<<8 | int64(b)
		}
		return value
	}
	kind := int64(1)
	if w[0] > 0 {
		kind = field(0, w[0])
	}
	second, third := field(w[0], w[1]), field(w[0]+w[1], w[2])
	if second < 0 || second > 1<<40 || third < 0 || third > 1<<31 {
		return fmt.Errorf("%w: cross-reference stream", ErrSyntax)
	}
	switch kind {
	case 1:
		return f.addEntry(number, xrefEntry{offset: int(second)})
	case 2:
		return f.addEntry(number, xrefEntry{stream: int(second), index: int(third)})
	}
	return nil
}

var objectStart = regexp.MustCompile(`(?:^|[\s])(\d{1,9})\s+\d{1,5}\s+obj\b`)

// rebuild searches a file whose cross-reference table is wrong for its objects, from the
// beginning. Later objects and trailers replace earlier ones.
func (f *File) rebuild() {
	f.Rebuilt, f.Newest = true, nil
	f.entries, f.objects, f.objectStreams = map[int]xrefEntry{}, map[int]any{}, map[int]*objectStream{}
	var streams []int
	for _, at := range objectStart.FindAllSubmatchIndex(f.Data, f.limits.Objects) {
		number, _ := strconv.Atoi(string(f.Data[at[2]:at[3]]))
		f.entries[number] = xrefEntry{offset: at[2]}
		head := f.Data[at[1]:min(len(f.Data), at[1]+512)]
		if bytes.Contains(head, []byte("/ObjStm")) {
			streams = append(streams, number)
		}
		if bytes.Contains(head, []byte("/XRef")) || bytes.Contains(head, []byte("/Catalog")) {
			f.recoverRoot(number)
		}
	}
	for _, number := range streams {
		f.recoverObjectStream(number)
	}
	f.recoverTrailers()
}

// recoverRoot finds the catalog from the dictionary of a cross-reference stream, which
// refers to it, or from the catalog itself.
func (f *File) recoverRoot(number int) {
	object, err := f.objectAt(f.entries[number].offset, number)
	if err != nil {
		return
	}
	switch v := object.(type) {
	case *Stream:
		for key, value := range v.Dict {
			f.Trailer[key] = value
		}
	case Dict:
		if v["Type"] == Name("Catalog") {
			f.Trailer["Root"] = Ref{Number: number}
		}
	}
}

func (f *File) recoverObjectStream(number int) {
	p := f.readObjectStream(number)
	if p == nil {
		return
	}
	f.objectStreams[number] = p
	for i, n := range p.numbers {
		if _, plain := f.entries[n]; !plain && len(f.entries) < f.limits.Objects {
			f.entries[n] = xrefEntry{stream: number, index: i}
			if d, ok := f.object(n).(Dict); ok && d["Type"] == Name("Catalog") {
				f.Trailer["Root"] = Ref{Number: n}
			}
		}
	}
}

func (f *File) recoverTrailers() {
	for at := 0; ; {
		i := bytes.Index(f.Data[at:], []byte("trailer"))
		if i < 0 {
			return
		}
		at += i + len("trailer")
		l := &lexer{data: f.Data, pos: at, deviations: &f.Deviations}
		object, err := f.parse(l)
		if errors.Is(err, ErrLimit) {
			return
		}
		if err != nil { // the word may have been in a text, before the trailer
			continue
		}
		at = l.pos
		if d, ok := object.(Dict); ok && d["Root"] != nil {
			for key, value := range d {
				f.Trailer[key] = value
			}
		}
	}
}
