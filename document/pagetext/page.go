package pagetext

import (
	"errors"
	"fmt"
	"math"

	"platen.dev/document/pdfa/cos"
)

var (
	// ErrLimit means that a file exceeds the bounds of reading.
	ErrLimit = errors.New("the content of the PDF's pages exceeds the limits")
	// ErrEncrypted means that a file needs a password.
	ErrEncrypted = errors.New("the PDF is encrypted")
	errBroken    = errors.New("broken PDF")
)

// Bounds of one file.
const (
	maxPages     = 2000
	maxTreeNodes = 20_000
	maxDepth     = 16        // forms in forms
	maxOperators = 4 << 20   // on all pages
	maxGlyphs    = 1 << 20   // on all pages
	maxPainted   = 512 << 20 // cells that are painted or clipped, on all pages
	maxPoints    = 1 << 16   // of a path
	maxSaved     = 512       // graphics states
	maxBytes     = 128 << 20 // of content and fonts, as often as they are read, on all pages
	streamWork   = 256       // bytes that a content stream counts for, beyond its own
)

// Page holds the text that can be read on a page.
type Page struct {
	// Width and Height are the dimensions of the page as displayed, in points.
	Width, Height float64
	// Pieces are in the order of lines from the top, and from the left in each.
	Pieces []Piece
}

// Piece is text in one line without a wide gap, in reading order. Its box is in points from the top left of the page; rotated
// text has the box that it would have upright, in its own frame.
type Piece struct {
	Words                    []Word
	Left, Top, Right, Bottom float64
}

// Word is text without a space in it.
type Word struct {
	Text                     string
	Left, Top, Right, Bottom float64
}

// Read reads the pages of a PDF. Its errors are ErrLimit, ErrEncrypted, and those of package cos.
func Read(pdf []byte) ([]Page, error) { return ReadFrom(cos.NewSource(pdf)) }

// ReadFrom is Read for a PDF with several readers.
func ReadFrom(source *cos.Source) (pages []Page, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			pages, err = nil, fmt.Errorf("%w: %v", errBroken, panicked)
		}
	}()
	file, err := source.Open()
	if err != nil {
		return nil, err
	}
	if file.Encrypted() {
		return nil, ErrEncrypted
	}
	r := newReader(file)
	catalog, _ := file.Catalog()
	r.layers = layersOf(file, catalog)
	if err := r.tree(catalog["Pages"], cos.Dict{}, map[cos.Ref]bool{}, 0); err != nil {
		return nil, err
	}
	if file.Exhausted() {
		return nil, ErrLimit
	}
	return r.pages, nil
}

// reader reads one file.
type reader struct {
	file    *cos.File
	layers  layers
	fonts   map[fontKey]*font
	streams map[*cos.Stream][]byte
	pages   []Page
	nodes   int
	room    []glyph // for the glyphs of one page at a time
	// The remaining bounds.
	operators, glyphs, painted, bytes int
}

func newReader(file *cos.File) *reader {
	return &reader{
		file: file, fonts: map[fontKey]*font{}, streams: map[*cos.Stream][]byte{},
		operators: maxOperators, glyphs: maxGlyphs, painted: maxPainted, bytes: maxBytes,
	}
}

// read counts n bytes of content as read. It reports false if these are too many; the file is beyond the bounds then.
func (r *reader) read(n int) bool {
	r.bytes -= n
	return r.bytes >= 0
}

// tree reads the pages below a node of the page tree, with the attributes that they inherit.
func (r *reader) tree(value any, inherited cos.Dict, above map[cos.Ref]bool, depth int) error {
	d := r.file.Dict(value)
	ref, _ := value.(cos.Ref)
	if d == nil || above[ref] || depth > 64 {
		return nil
	}
	if r.nodes++; r.nodes > maxTreeNodes || len(r.pages) > maxPages {
		return ErrLimit
	}
	own := cos.Dict{}
	for _, key := range []cos.Name{"MediaBox", "CropBox", "Resources", "Rotate"} {
		if own[key] = d[key]; own[key] == nil {
			own[key] = inherited[key]
		}
	}
	if d["Kids"] == nil {
		return r.page(d, own)
	}
	above[ref] = true
	defer delete(above, ref)
	for _, kid := range r.file.Array(d["Kids"]) {
		if err := r.tree(kid, own, above, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// page reads a page with its annotations.
func (r *reader) page(d, inherited cos.Dict) error {
	box, ok := r.rect(inherited["MediaBox"])
	if !ok {
		box = rect{0, 0, 612, 792}
	}
	if crop, ok := r.rect(inherited["CropBox"]); ok {
		if crop = crop.and(box); !crop.empty() {
			box = crop
		}
	}
	base, width, height := upright(box, r.file.Int(inherited["Rotate"], 0))
	p := newPainter(r, base, width, height)
	if err := p.run(r.contents(d["Contents"]), r.file.Dict(inherited["Resources"]), 0); err != nil {
		return err
	}
	for _, value := range r.file.Array(d["Annots"]) {
		if err := p.annotation(r.file.Dict(value), base); err != nil {
			return err
		}
	}
	r.room = p.glyphs[:0]
	r.pages = append(r.pages, Page{Width: width, Height: height, Pieces: piecesOf(p.seen())})
	return nil
}

// upright is the matrix from the space of a page to points from the top left of the page as it is shown.
func upright(box rect, turn int64) (m matrix, width, height float64) {
	w, h := box.x1-box.x0, box.y1-box.y0
	switch ((turn % 360) + 360) % 360 {
	case 90:
		return matrix{0, 1, 1, 0, -box.y0, -box.x0}, h, w
	case 180:
		return matrix{-1, 0, 0, 1, box.x1, -box.y0}, w, h
	case 270:
		return matrix{0, -1, -1, 0, box.y1, box.x1}, h, w
	}
	return matrix{1, 0, 0, -1, -box.x0, box.y1}, w, h
}

// contents joins the content streams of a page, as an operation may be split across them.
func (r *reader) contents(value any) (all []byte) {
	if s, ok := r.file.Resolve(value).(*cos.Stream); ok {
		return r.decoded(s)
	}
	for _, part := range r.file.Array(value) {
		if s, ok := r.file.Resolve(part).(*cos.Stream); ok {
			if all = append(append(all, r.decoded(s)...), '\n'); len(all) > r.bytes {
				break // too many to be read
			}
		}
	}
	return all
}

// decoded are the bytes of a stream, which is decoded once. It is empty if it cannot be decoded.
func (r *reader) decoded(s *cos.Stream) []byte {
	data, known := r.streams[s]
	if !known {
		data, _ = r.file.Decode(s)
		r.streams[s] = data
	}
	return data
}

func (r *reader) name(value any) cos.Name {
	n, _ := r.file.Resolve(value).(cos.Name)
	return n
}

// number returns a number, 0 if the value is not a finite number.
func (r *reader) number(value any) float64 { return number(r.file.Resolve(value)) }

func number(value any) float64 {
	switch v := value.(type) {
	case int64:
		return float64(v)
	case float64:
		if !math.IsNaN(v) && math.Abs(v) < 1e9 {
			return v
		}
	}
	return 0
}

func (r *reader) rect(value any) (rect, bool) {
	a := r.file.Array(value)
	if len(a) != 4 {
		return rect{}, false
	}
	x0, y0, x1, y1 := r.number(a[0]), r.number(a[1]), r.number(a[2]), r.number(a[3])
	box := rect{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
	return box, !box.empty()
}

func (r *reader) matrix(value any) matrix {
	a := r.file.Array(value)
	if len(a) != 6 {
		return identity
	}
	var m matrix
	for i := range m {
		m[i] = r.number(a[i])
	}
	return m
}
