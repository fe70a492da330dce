package pagetext

import (
	"reflect"
	"strings"

	metrics "github.com/pdfcpu/pdfcpu/pkg/font"

	"platen.dev/document/pdfa/cos"
)

// font maps the codes of strings to text and glyph widths.
type font struct {
	composite, vertical bool
	codes               *cmap // of a composite font: how long its codes are; nil if each has two bytes
	unicode             *cmap // ToUnicode, or nil
	direct              bool  // the codes are UTF-16 or UCS-2
	encoding            *[256]string
	widths              map[int]float64 // by code, or by CID; relative to the font size
	otherwise           float64
	core                string // the standard font, whose widths are not in the file
}

// maxWidths bounds the widths of a font.
const maxWidths = 1 << 17

// fontOf reads a font, each once.
func (p *painter) fontOf(value any) *font {
	key := keyOf(value)
	if f, known := p.fonts[key]; known {
		return f
	}
	d := p.file.Dict(value)
	var f *font
	switch {
	case d == nil:
	case p.name(d["Subtype"]) == "Type0":
		f = p.compositeFont(d)
	default:
		f = p.simpleFont(d)
	}
	if f != nil {
		if s, ok := p.file.Resolve(d["ToUnicode"]).(*cos.Stream); ok {
			f.unicode = p.cmap(s)
		}
	}
	p.fonts[key] = f
	return f
}

// fontKey is what a font is known by: its reference, or the address of a direct dictionary, which the file keeps.
type fontKey struct {
	ref    cos.Ref
	direct uintptr
}

func keyOf(value any) fontKey {
	if ref, indirect := value.(cos.Ref); indirect {
		return fontKey{ref: ref}
	}
	d, _ := value.(cos.Dict)
	return fontKey{direct: reflect.ValueOf(d).Pointer()}
}

func (r *reader) compositeFont(d cos.Dict) *font {
	f := &font{composite: true, widths: map[int]float64{}, otherwise: 1}
	switch e := r.file.Resolve(d["Encoding"]).(type) {
	case cos.Name:
		name := string(e)
		f.vertical = strings.HasSuffix(name, "-V")
		f.direct = strings.Contains(name, "UCS2") || strings.Contains(name, "UTF16")
	case *cos.Stream:
		f.codes = r.cmap(e)
		f.vertical = r.file.Int(e.Dict["WMode"], 0) == 1
	}
	descendants := r.file.Array(d["DescendantFonts"])
	if len(descendants) == 0 {
		return f
	}
	below := r.file.Dict(descendants[0])
	if below["DW"] != nil {
		f.otherwise = r.number(below["DW"]) / 1000
	}
	read := 0
	for cid, width := range r.file.GlyphWidths(r.file.Array(below["W"])) {
		if read++; read > maxWidths || !r.read(mappingWork) {
			break
		}
		f.widths[cid] = r.number(width) / 1000
	}
	return f
}

func (r *reader) simpleFont(d cos.Dict) *font {
	f := &font{widths: map[int]float64{}, otherwise: r.number(r.file.Dict(d["FontDescriptor"])["MissingWidth"]) / 1000}
	scale := 0.001
	name := string(r.name(d["BaseFont"]))
	if r.name(d["Subtype"]) == "Type3" {
		scale = r.matrix(d["FontMatrix"])[0]
	}
	first := int(r.file.Int(d["FirstChar"], 0))
	for n, w := range r.file.Array(d["Widths"]) {
		if code := first + n; code >= 0 && code < 256 {
			f.widths[code] = r.number(w) * scale
		}
	}
	if len(f.widths) == 0 {
		f.core, f.otherwise = coreFont(name), 0.5
	}
	f.encoding = r.encoding(d, name)
	return f
}

// coreFont is the standard font that a name stands for; Helvetica for all others, whose widths are about the same.
func coreFont(name string) string {
	if metrics.IsCoreFont(name) {
		return name
	}
	bold := strings.Contains(name, "Bold")
	switch {
	case strings.HasPrefix(name, "Courier"):
		return "Courier"
	case strings.HasPrefix(name, "Times") && bold:
		return "Times-Bold"
	case strings.HasPrefix(name, "Times"):
		return "Times-Roman"
	case bold:
		return "Helvetica-Bold"
	}
	return "Helvetica"
}

// next is the next code of a string that is not empty, and its length in bytes.
func (f *font) next(s string) (code, length int) {
	switch {
	case !f.composite:
		return int(s[0]), 1
	case f.codes != nil:
		return f.codes.next(s)
	case len(s) < 2:
		return int(s[0]), 1
	}
	return int(s[0])<<8 | int(s[1]), 2
}

// width returns the width of a code's glyph, relative to the font size.
func (f *font) width(code int) float64 {
	if f.codes != nil {
		code = f.codes.cid(code)
	}
	if w, known := f.widths[code]; known {
		return w
	}
	if f.core != "" {
		for _, r := range strings.ReplaceAll(f.encoding[code&0xFF], "\u00a0", " ") {
			if w, err := metrics.CharWidth(f.core, r); err == nil {
				return float64(w) / 1000
			}
		}
	}
	return f.otherwise
}

// text returns the text of a code; false if the font does not define it.
func (f *font) text(code int) (string, bool) {
	if f.unicode != nil {
		if text, known := f.unicode.text(code); known {
			return text, true
		}
	}
	switch {
	case !f.composite:
		return f.encoding[code&0xFF], f.encoding[code&0xFF] != ""
	case f.direct:
		return string(rune(code)), true
	}
	return "", false
}
