package cos

import (
	"bytes"
	"errors"
	"fmt"
)

// ErrNotPDF tells that the bytes are no PDF at all.
var ErrNotPDF = errors.New("not a PDF")

// File is a PDF in memory. It is not for concurrent use.
type File struct {
	Data    []byte
	Trailer Dict
	// Faults are those of all objects that were read until now.
	Faults Faults
	// Rebuilt tells that the cross-reference table was wrong and objects were searched.
	Rebuilt bool

	limits  Limits
	decoded int
	entries map[int]entry
	objects map[int]any
	pending map[int]bool // being read: an object that needs itself
	packed  map[int]*pack
}

// entry says where an object is: at an offset, or in an object stream.
type entry struct {
	offset        int
	stream, index int // stream is 0 for an object at an offset
}

// pack is an object stream, read.
type pack struct {
	data    []byte
	numbers []int
	offsets []int
}

// Open reads where the objects are.
func Open(data []byte, limits Limits) (*File, error) {
	f := &File{Data: data, limits: limits, Trailer: Dict{}, entries: map[int]entry{}, objects: map[int]any{}, pending: map[int]bool{}, packed: map[int]*pack{}}
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
	if err := f.rebuild(); err != nil {
		return nil, err
	}
	if _, ok := f.Catalog(); !ok {
		return nil, fmt.Errorf("%w: no catalogue", ErrSyntax)
	}
	return f, nil
}

// Catalog is the root of all objects.
func (f *File) Catalog() (Dict, bool) {
	d, ok := f.Resolve(f.Trailer["Root"]).(Dict)
	return d, ok
}

// Encrypted tells whether the file's strings and streams are ciphered.
func (f *File) Encrypted() bool { return f.Trailer["Encrypt"] != nil }

// Numbers are those of all objects, in no order.
func (f *File) Numbers() []int {
	numbers := make([]int, 0, len(f.entries))
	for n := range f.entries {
		numbers = append(numbers, n)
	}
	return numbers
}

// Offset is where an object begins, if it is not in an object stream.
func (f *File) Offset(number int) (int, bool) {
	e, ok := f.entries[number]
	return e.offset, ok && e.stream == 0
}

// Resolve follows references; what cannot be read is nil, as a missing object is.
func (f *File) Resolve(value any) any {
	for range maxChain {
		ref, ok := value.(Ref)
		if !ok {
			return value
		}
		value = f.get(ref.Number)
	}
	return nil
}

// Dict is the dictionary that a value is or points to, a stream's as well; nil if none.
func (f *File) Dict(value any) Dict {
	switch v := f.Resolve(value).(type) {
	case Dict:
		return v
	case *Stream:
		return v.Dict
	}
	return nil
}

// Array is the array that a value is or points to.
func (f *File) Array(value any) Array {
	a, _ := f.Resolve(value).(Array)
	return a
}

// Int is the integer that a value is or points to.
func (f *File) Int(value any, otherwise int64) int64 {
	switch v := f.Resolve(value).(type) {
	case int64:
		return v
	case float64:
		return int64(v)
	}
	return otherwise
}

func (f *File) get(number int) any {
	if object, ok := f.objects[number]; ok {
		return object
	}
	where, ok := f.entries[number]
	if !ok || f.pending[number] {
		return nil
	}
	f.pending[number] = true
	var object any
	var err error
	if where.stream > 0 {
		object, err = f.packedObject(where)
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

// objectAt reads "12 0 obj …"; number 0 takes any.
func (f *File) objectAt(offset, number int) (any, error) {
	if offset < 0 || offset >= len(f.Data) {
		return nil, errEnd
	}
	l := &lexer{data: f.Data, at: offset, faults: &f.Faults}
	found, err1 := l.next()
	_, err2 := l.next()
	keyword, err3 := l.next()
	if n, ok := found.(int64); err1 != nil || err2 != nil || err3 != nil || !ok || keyword != Operator("obj") || number != 0 && int(n) != number {
		return nil, fmt.Errorf("%w: no object %d at %d", ErrSyntax, number, offset)
	}
	object, err := l.object(0, true)
	if err != nil {
		return nil, err
	}
	dict, ok := object.(Dict)
	if !ok {
		return object, nil
	}
	l.skipSpace()
	if !l.starts("stream") {
		return dict, nil
	}
	l.at += len("stream")
	return f.stream(dict, l.at), nil
}

// stream reads the bytes of a stream whose keyword ends before at.
func (f *File) stream(dict Dict, at int) *Stream {
	s := &Stream{Dict: dict, StartEOL: true}
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
		if eol, ok := endsAt(f.Data[end:]); ok {
			s.Raw, s.Exact, s.EndEOL = f.Data[at:end], true, eol
			return s
		}
	}
	end := bytes.Index(f.Data[at:], []byte("endstream"))
	if end < 0 {
		end = len(f.Data) - at
	}
	s.Raw = f.Data[at : at+end]
	return s
}

// endsAt tells whether endstream follows, after at most one end of line, and whether there is that.
func endsAt(rest []byte) (eol, ok bool) {
	for _, end := range []string{"\r\nendstream", "\nendstream", "\rendstream"} {
		if bytes.HasPrefix(rest, []byte(end)) {
			return true, true
		}
	}
	return false, bytes.HasPrefix(rest, []byte("endstream"))
}

func (f *File) packedObject(where entry) (any, error) {
	p, ok := f.packed[where.stream]
	if !ok {
		p = f.unpack(where.stream)
		f.packed[where.stream] = p
	}
	if p == nil || where.index >= len(p.offsets) || p.offsets[where.index] > len(p.data) {
		return nil, errEnd
	}
	l := &lexer{data: p.data, at: p.offsets[where.index], faults: &f.Faults}
	return l.object(0, true)
}

// unpack reads an object stream (7.5.7); nil if it is none.
func (f *File) unpack(number int) *pack {
	if where, ok := f.entries[number]; !ok || where.stream != 0 {
		return nil
	}
	s, ok := f.get(number).(*Stream)
	if !ok {
		return nil
	}
	data, err := f.Decode(s)
	count, first := f.Int(s.Dict["N"], 0), f.Int(s.Dict["First"], 0)
	if err != nil || count < 0 || count > int64(len(data)) || first < 0 || first > int64(len(data)) {
		return nil
	}
	p := &pack{data: data}
	l := &lexer{data: data[:first], faults: &f.Faults}
	for range count {
		number, err1 := l.next()
		offset, err2 := l.next()
		n, ok1 := number.(int64)
		o, ok2 := offset.(int64)
		if err1 != nil || err2 != nil || !ok1 || !ok2 || o < 0 || o > int64(len(data)) {
			break
		}
		p.numbers, p.offsets = append(p.numbers, int(n)), append(p.offsets, int(first+o))
	}
	return p
}
