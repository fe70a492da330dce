package cos

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// ErrNotPDF means that the bytes have no PDF header.
var ErrNotPDF = errors.New("not a PDF")

// File is a PDF in memory. It is not for concurrent use.
type File struct {
	Data    []byte
	Trailer Dict
	// Newest is the trailer of the newest cross-reference section alone; nil if Rebuilt.
	Newest Dict
	// Deviations are those of all objects that have been parsed so far.
	Deviations Deviations
	// Rebuilt: the cross-reference table was wrong, and the objects were found by a search.
	Rebuilt bool

	limits        Limits
	decoded       int
	parsed, steps int
	entries       map[int]xrefEntry
	objects       map[int]any
	pending       map[int]bool // objects being parsed, to detect cycles
	objectStreams map[int]*objectStream
}

// xrefEntry is the position of an object: an offset, or an index in an object stream.
type xrefEntry struct {
	offset        int
	stream, index int // stream is 0 for an object at an offset
}

// objectStream is a decoded object stream (7.5.7).
type objectStream struct {
	data    []byte
	numbers []int
	offsets []int
}

// Open reads the cross-reference table of a file. If that is wrong, it searches the file
// for objects. Its errors are ErrNotPDF, ErrSyntax, ErrLimit and ErrUnsupportedFilter.
func Open(data []byte, limits Limits) (*File, error) {
	f := &File{Data: data, limits: limits, Trailer: Dict{}, entries: map[int]xrefEntry{}, objects: map[int]any{}, pending: map[int]bool{}, objectStreams: map[int]*objectStream{}}
	if !bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")) {
		return nil, ErrNotPDF
	}
	err := f.readSections()
	if errors.Is(err, ErrLimit) {
		return nil, err
	}
	if _, ok := f.Catalog(); err == nil && ok {
		return f, nil
	}
	f.rebuild()
	if _, ok := f.Catalog(); !ok {
		if f.Exhausted() {
			return nil, fmt.Errorf("%w: no catalog within them", ErrLimit)
		}
		return nil, fmt.Errorf("%w: no catalog", ErrSyntax)
	}
	return f, nil
}

// Catalog returns the document catalog. It reports false if there is none.
func (f *File) Catalog() (Dict, bool) {
	d, ok := f.Resolve(f.Trailer["Root"]).(Dict)
	return d, ok
}

// Encrypted reports whether strings and streams of the file are encrypted.
func (f *File) Encrypted() bool { return f.Trailer["Encrypt"] != nil }

// Numbers returns the numbers of all objects, in order.
func (f *File) Numbers() []int {
	numbers := make([]int, 0, len(f.entries))
	for n := range f.entries {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return numbers
}

// Offset returns the offset of an object. It reports false if the object is in an object
// stream or does not exist.
func (f *File) Offset(number int) (int, bool) {
	e, ok := f.entries[number]
	return e.offset, ok && e.stream == 0
}

// Resolve follows references. It returns nil for an object that is missing, cannot be
// parsed, or is beyond the limits.
func (f *File) Resolve(value any) any {
	for range maxRefChain {
		ref, ok := value.(Ref)
		if !ok {
			return value
		}
		if f.spent() {
			return nil
		}
		value = f.object(ref.Number)
		f.steps += 1 + size(value)
	}
	return nil
}

// spent reports whether no more steps may be taken: mutual references can be followed in endless ways.
func (f *File) spent() bool { return f.limits.Steps > 0 && f.steps >= f.limits.Steps }

// Exhausted reports whether a limit was reached: objects that seem missing may exist.
func (f *File) Exhausted() bool {
	return f.spent() || f.decoded > f.limits.Decoded || f.limits.Parsed > 0 && f.parsed >= f.limits.Parsed
}

// size returns the number of elements of an object.
func size(value any) int {
	switch v := value.(type) {
	case Array:
		return len(v)
	case Dict:
		return len(v)
	case *Stream:
		return len(v.Dict)
	}
	return 0
}

// Dict returns the dictionary that a value is or refers to, or that of a stream. It
// returns nil if there is none.
func (f *File) Dict(value any) Dict {
	switch v := f.Resolve(value).(type) {
	case Dict:
		return v
	case *Stream:
		return v.Dict
	}
	return nil
}

// Array returns the array that a value is or refers to, or nil if it is not an array.
func (f *File) Array(value any) Array {
	a, _ := f.Resolve(value).(Array)
	if f.steps += len(a); f.spent() {
		return nil
	}
	return a
}

// Int returns the number that a value is or refers to, truncated to an integer, or
// otherwise if it is not a number.
func (f *File) Int(value any, otherwise int64) int64 {
	switch v := f.Resolve(value).(type) {
	case int64:
		return v
	case float64:
		return int64(v)
	}
	return otherwise
}

func (f *File) object(number int) any {
	if object, ok := f.objects[number]; ok {
		return object
	}
	where, ok := f.entries[number]
	if !ok || f.pending[number] || len(f.pending) == maxPending {
		return nil
	}
	f.pending[number] = true
	var object any
	var err error
	if where.stream > 0 {
		object, err = f.compressedObject(where)
	} else {
		object, err = f.objectAt(where.offset, number)
	}
	delete(f.pending, number)
	if err != nil {
		object = nil
	}
	f.objects[number] = object
	return object
}

// objectAt parses the indirect object ("12 0 obj …") at an offset. It must have the
// number, unless that is 0.
func (f *File) objectAt(offset, number int) (any, error) {
	if offset < 0 || offset >= len(f.Data) {
		return nil, errEnd
	}
	l := &lexer{data: f.Data, pos: offset, deviations: &f.Deviations}
	var object any
	end := offset
	err := f.counting(l, func() (err error) {
		if !l.objectHead(number) {
			return fmt.Errorf("%w: no object %d at byte %d", ErrSyntax, number, offset)
		}
		if object, err = l.object(true); err != nil {
			return err
		}
		end = l.pos
		if _, ok := object.(Dict); ok {
			l.skipSpace() // to the keyword stream
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if dict, ok := object.(Dict); ok && bytes.HasPrefix(f.Data[l.pos:], []byte("stream")) {
		object, end = f.readStream(dict, l.pos+len("stream"))
	}
	if _, integer := object.(int64); !integer && f.Deviations.LooseEnd == 0 && f.looseEnd(end) { // veraPDF allows it behind integers
		f.Deviations.LooseEnd = number
	}
	return object, nil
}

// looseEnd reports whether the keyword endobj, which follows an object, is not on a line of its own.
func (f *File) looseEnd(at int) bool {
	const longest = 64 // white space that is looked at
	space := 0
	for space < longest && at+space < len(f.Data) && isSpace(f.Data[at+space]) {
		space++
	}
	next := at + space + len("endobj")
	if next > len(f.Data) || string(f.Data[at+space:next]) != "endobj" {
		return false
	}
	isEOL := func(at int) bool { return at < len(f.Data) && (f.Data[at] == '\r' || f.Data[at] == '\n') }
	return space == 0 || !isEOL(at+space-1) || !isEOL(next)
}

// readStream reads the bytes of a stream. at is the offset behind the keyword stream, and end that behind the keyword endstream.
func (f *File) readStream(dict Dict, at int) (s *Stream, end int) {
	s = &Stream{Dict: dict, StartEOL: true}
	rest := f.Data[at:]
	switch {
	case bytes.HasPrefix(rest, []byte("\r\n")):
		at += 2
	case bytes.HasPrefix(rest, []byte("\n")):
		at++
	default:
		s.StartEOL = false
		if bytes.HasPrefix(rest, []byte("\r")) {
			at++
		}
	}
	if length := f.Int(dict["Length"], -1); length >= 0 && length <= int64(len(f.Data)-at) {
		end := at + int(length)
		if eol, ok := endstreamFollows(f.Data[end:]); ok {
			s.Raw, s.LengthMatches, s.EndEOL = f.Data[at:end], true, eol
			return s, end + bytes.Index(f.Data[end:], []byte("endstream")) + len("endstream")
		}
	}
	length := bytes.Index(f.Data[at:], []byte("endstream"))
	if length < 0 {
		length = len(f.Data) - at
	}
	f.parsed += length
	s.Raw = f.Data[at : at+length]
	return s, min(len(f.Data), at+length+len("endstream"))
}

// endstreamFollows reports whether the keyword endstream follows, after at most one end of
// line, and whether there is that end of line.
func endstreamFollows(rest []byte) (eol, ok bool) {
	for _, end := range []string{"\r\nendstream", "\nendstream", "\rendstream"} {
		if bytes.HasPrefix(rest, []byte(end)) {
			return true, true
		}
	}
	return false, bytes.HasPrefix(rest, []byte("endstream"))
}

func (f *File) compressedObject(where xrefEntry) (any, error) {
	p, ok := f.objectStreams[where.stream]
	if !ok {
		p = f.readObjectStream(where.stream)
		f.objectStreams[where.stream] = p
	}
	if p == nil || where.index >= len(p.offsets) || p.offsets[where.index] > len(p.data) {
		return nil, errEnd
	}
	return f.parse(&lexer{data: p.data, pos: p.offsets[where.index], deviations: &f.Deviations})
}

// parse parses an object of the file, within the limit.
func (f *File) parse(l *lexer) (object any, err error) {
	err = f.counting(l, func() (err error) {
		object, err = l.object(true)
		return err
	})
	return object, err
}

// counting counts what is read of the file as parsed, including white space and comments, and ends the data of the lexer at the limit.
func (f *File) counting(l *lexer, read func() error) error {
	if err := f.countParsed(0); err != nil {
		return err
	}
	if f.limits.Parsed > 0 {
		defer func(whole []byte) { l.data = whole }(l.data)
		l.data = l.data[:min(len(l.data), l.pos+f.limits.Parsed-f.parsed)]
	}
	start := l.pos
	err := read()
	if over := f.countParsed(l.pos - start); err != nil && over != nil {
		return over
	}
	return err
}

// countParsed counts n parsed bytes, and returns ErrLimit if there may be no more.
func (f *File) countParsed(n int) error {
	if f.parsed += n; f.limits.Parsed > 0 && f.parsed >= f.limits.Parsed {
		return fmt.Errorf("%w: more than %d bytes of objects", ErrLimit, f.limits.Parsed)
	}
	return nil
}

// readObjectStream decodes an object stream. It returns nil if the object is not one.
func (f *File) readObjectStream(number int) *objectStream {
	if where, ok := f.entries[number]; !ok || where.stream != 0 {
		return nil
	}
	s, ok := f.object(number).(*Stream)
	if !ok {
		return nil
	}
	data, err := f.Decode(s)
	count, first := f.Int(s.Dict["N"], 0), f.Int(s.Dict["First"], 0)
	if err != nil || count < 0 || count > int64(len(data)) || first < 0 || first > int64(len(data)) {
		return nil
	}
	p := &objectStream{data: data}
	l := &lexer{data: data[:first], deviations: &f.Deviations}
	for range count {
		number, err1 := l.token()
		offset, err2 := l.token()
		n, ok1 := number.(int64)
		o, ok2 := offset.(int64)
		if err1 != nil || err2 != nil || !ok1 || !ok2 || o < 0 || o > int64(len(data)) {
			break
		}
		p.numbers, p.offsets = append(p.numbers, int(n)), append(p.offsets, int(first+o))
	}
	return p
}
