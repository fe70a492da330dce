package pdfa

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// number returns a number of a charstring, or of a dictionary of CFF.
func number(n int) []byte {
	if n >= -107 && n <= 107 {
		return []byte{byte(n + 139)}
	}
	return binary.BigEndian.AppendUint32([]byte{255}, uint32(n))
}

// charstring joins numbers and operators, which are bytes.
func charstring(parts ...any) (code []byte) {
	for _, part := range parts {
		switch v := part.(type) {
		case int:
			code = append(code, number(v)...)
		case byte:
			code = append(code, v)
		}
	}
	return code
}

const (
	hsbw, endchar, escape, sbw, div   = byte(13), byte(14), byte(12), byte(7), byte(12)
	hmoveto, callsubr, callgsubr, end = byte(22), byte(10), byte(29), byte(11)
)

func encrypt(plain []byte, key uint16) []byte {
	out := make([]byte, 0, len(plain)+4)
	for _, b := range append([]byte("0000"), plain...) {
		b ^= byte(key >> 8)
		out = append(out, b)
		key = (uint16(b)+key)*52845 + 22719
	}
	return out
}

// type1Program returns a program with the glyphs A, of a width of 500, B, of 600.5, and C, of 700, in an encoding of its own with A and B.
// more are charstrings of further glyphs.
func type1Program(public string, more ...[]byte) []byte {
	charstrings := append([][]byte{
		charstring(0, 250, hsbw, endchar),
		charstring(0, 500, hsbw, endchar),
		charstring(0, 1201, 2, escape, div, hsbw, endchar),
		charstring(0, 0, 700, 0, escape, sbw, endchar),
	}, more...)
	private := bytes.NewBufferString("dup /Private 8 dict dup begin\n/lenIV 4 def\n")
	fmt.Fprintf(private, "2 index /CharStrings %d dict dup begin\n", len(charstrings))
	for n, code := range charstrings {
		code = encrypt(code, charstringKey)
		fmt.Fprintf(private, "/%s %d RD %s ND\n", []string{notdef, "A", "B", "C", "D"}[n], len(code), code)
	}
	private.WriteString("end\nend\nreadonly put\nnoaccess put\ndup/FontName get exch definefont pop\nmark currentfile closefile\n")
	program := bytes.NewBufferString("%!PS-AdobeFont-1.0: X\n11 dict begin\n" + public +
		"/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\ndup 65 /A put\ndup 66 /B put\nreadonly def\ncurrentdict end\ncurrentfile eexec\n")
	program.Write(encrypt(private.Bytes(), programKey))
	program.WriteString("\n" + strings.Repeat(strings.Repeat("0", 64)+"\n", 8) + "cleartomark\n")
	return program.Bytes()
}

// values returns an INDEX.
func values(all ...[]byte) []byte {
	out := binary.BigEndian.AppendUint16(nil, uint16(len(all)))
	if len(all) == 0 {
		return out
	}
	out = append(out, 2)
	offset := 1
	for _, value := range append([][]byte{nil}, all...) {
		offset += len(value)
		out = binary.BigEndian.AppendUint16(out, uint16(offset))
	}
	return append(out, bytes.Join(all, nil)...)
}

// operation returns an entry of a dictionary, with numbers of five bytes each.
func operation(operator int, operands ...int) (entry []byte) {
	for _, operand := range operands {
		entry = binary.BigEndian.AppendUint32(append(entry, 29), uint32(operand))
	}
	if operator > 255 {
		entry = append(entry, byte(operator>>8))
	}
	return append(entry, byte(operator))
}

// cffProgram returns a program with the glyphs A, of a width of 500, B, of 650, and C, of 660, or the same for the CIDs 34, 35 and 36. The operations
// are added to its dictionary.
func cffProgram(keyed bool, operations ...byte) []byte {
	glyphs := values(
		charstring(endchar), charstring(0, hmoveto, endchar), charstring(50, -107, callgsubr), charstring(60, -107, callsubr),
	)
	subroutines := values(charstring(0, hmoveto, endchar))
	private := slices.Concat(operation(opDefaultWidth, 500), operation(opNominalWidth, 600), operation(opSubrs, 18))
	const start = 256 // where the values begin to which the dictionary refers
	var body []byte
	place := func(data []byte) int {
		body = append(body, data...)
		return start + len(body) - len(data)
	}
	dict := slices.Concat(operations, operation(opCharset, place([]byte{2, 0, 34, 0, 2})), operation(opCharStrings, place(glyphs)))
	font := operation(opPrivate, len(private), place(append(private, subroutines...)))
	if keyed {
		selection := place([]byte{3, 0, 1, 0, 0, 0, 0, 4})
		dict = slices.Concat(operation(opROS, 391, 392, 0), dict, operation(opFDSelect, selection), operation(opFDArray, place(values(font))))
	} else {
		dict = append(dict, font...)
	}
	head := slices.Concat([]byte{1, 0, 4, 1}, values([]byte("X")), values(dict), values([]byte("Adobe"), []byte("Identity")), subroutines)
	return slices.Concat(head, make([]byte, start-len(head)), body)
}

// withTable adds a table to a TrueType program, in place of one that it may have.
func withTable(program []byte, tag string, data []byte) []byte {
	program = bytes.Replace(program, []byte(tag), []byte("none"), 1)
	count := binary.BigEndian.Uint16(program[4:])
	out := binary.BigEndian.AppendUint16(slices.Clone(program[:4]), count+1)
	out = append(out, program[6:12+16*int(count)]...)
	for at := 12 + 8; at < len(out); at += 16 { // the others move
		binary.BigEndian.PutUint32(out[at:], binary.BigEndian.Uint32(out[at:])+16)
	}
	out = append(out, tag+"\x00\x00\x00\x00"...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(program)+16))
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	return slices.Concat(out, program[12+16*int(count):], data)
}

// words returns numbers of two bytes each.
func words(all ...int) (data []byte) {
	for _, n := range all {
		data = binary.BigEndian.AppendUint16(data, uint16(n))
	}
	return data
}

// cmapTable has one table for a platform and an encoding.
func cmapTable(platform, encoding int, data []byte) []byte {
	return append(words(0, 1, platform, encoding, 0, 12), data...)
}

// Tables that map A, or its code in a page of codes, to glyph 3.
func segments(page int) []byte {
	return words(4, 32, 0, 4, 4, 1, 0, page+'A', 0xFFFF, 0, page+'A', 0xFFFF, (3-page-'A')&0xFFFF, 1, 0, 0)
}

func listedSegments() []byte {
	return words(4, 34, 0, 4, 4, 1, 0, 'A', 0xFFFF, 0, 'A', 0xFFFF, 0, 1, 4, 0, 3)
}

func trimmed() []byte { return words(6, 12, 0, 'A', 1, 3) }

func listed() []byte {
	data := append(words(0, 262, 0), make([]byte, 256)...)
	data[6+'A'] = 3
	return data
}

// simpleFont makes the first page show text in a font, whose codes from A on have widths.
func simpleFont(subtype, key, kind string, program []byte, text string, entries types.Dict, widths ...float64) func(*conversion, types.Dict) {
	return using("Font", func(c *conversion) types.Object {
		stream := types.StreamDict{Dict: types.Dict{}, Raw: program}
		if kind != "" {
			stream.Dict["Subtype"] = types.Name(kind)
		}
		descriptor := types.Dict{"Type": types.Name("FontDescriptor"), "FontName": types.Name("ABCDEF+X"), "Flags": types.Integer(32), key: c.add(stream)}
		font := types.Dict{
			"Type": types.Name("Font"), "Subtype": types.Name(subtype), "BaseFont": types.Name("ABCDEF+X"), "FontDescriptor": descriptor,
			"FirstChar": types.Integer('A'), "LastChar": types.Integer('A' + len(widths) - 1), "Widths": types.NewNumberArray(widths...),
		}
		for entry, value := range entries {
			if entry == "Flags" || entry == "CharSet" {
				descriptor[entry] = value
			} else {
				font[entry] = value
			}
		}
		return font
	}, "BT /Broken 12 Tf ("+text+") Tj ET ")
}

func type1Font(text string, entries types.Dict, widths ...float64) func(*conversion, types.Dict) {
	return simpleFont("Type1", "FontFile", "", type1Program(""), text, entries, widths...)
}

func compactFont(program []byte, text string, widths ...float64) func(*conversion, types.Dict) {
	return simpleFont("Type1", "FontFile3", "Type1C", program, text, winAnsi, widths...)
}

// mappedFont makes the first page show text in a TrueType font with one cmap, which is symbolic if it has no encoding. A is shown by glyph 3, whose width
// differs from the font's.
func mappedFont(encoding types.Object, platform, id int, cmap []byte, text string, difference float64) func(*conversion, types.Dict) {
	return func(c *conversion, catalog types.Dict) {
		stream, _, _ := c.DereferenceStreamDict(c.dict(c.first("Subtype", "CIDFontType2")["FontDescriptor"])["FontFile2"])
		if err := stream.Decode(); err != nil {
			panic(err)
		}
		entries := types.Dict{"Encoding": encoding}
		if encoding == nil {
			entries = types.Dict{"Flags": types.Integer(symbolic)}
		}
		program := withTable(stream.Content, "cmap", cmapTable(platform, id, cmap))
		simpleFont("TrueType", "FontFile2", "", program, text, entries, readTrueType(program).width(3)+difference)(c, catalog)
	}
}

// keyedFont makes the first page show the CIDs 34 to 36, or others, in a font of a CID-keyed program. bits are its CIDSet.
func keyedFont(text string, bits []byte, widths ...float64) func(*conversion, types.Dict) {
	return using("Font", func(c *conversion) types.Object {
		descriptor := types.Dict{
			"Type": types.Name("FontDescriptor"), "FontName": types.Name("ABCDEF+X"), "Flags": types.Integer(4),
			"FontFile3": c.add(types.StreamDict{Dict: types.Dict{"Subtype": types.Name("CIDFontType0C")}, Raw: cffProgram(true)}),
			"CIDSet":    c.add(types.StreamDict{Dict: types.Dict{}, Raw: bits}),
		}
		descendant := c.add(types.Dict{
			"Type": types.Name("Font"), "Subtype": types.Name("CIDFontType0"), "BaseFont": types.Name("ABCDEF+X"), "FontDescriptor": descriptor,
			"CIDSystemInfo": types.Dict{"Registry": types.StringLiteral("Adobe"), "Ordering": types.StringLiteral("Identity"), "Supplement": types.Integer(0)},
			"W":             types.Array{types.Integer(34), types.NewNumberArray(widths...)},
		})
		return types.Dict{
			"Type": types.Name("Font"), "Subtype": types.Name("Type0"), "BaseFont": types.Name("ABCDEF+X"), "Encoding": types.Name("Identity-H"),
			"DescendantFonts": types.Array{descendant},
		}
	}, "BT /Broken 12 Tf ("+text+") Tj ET ")
}

// drawnFont makes the first page show a glyph of a Type 3 font.
func drawnFont(width float64) func(*conversion, types.Dict) {
	return using("Font", func(c *conversion) types.Object {
		return types.Dict{
			"Type": types.Name("Font"), "Subtype": types.Name("Type3"), "FontBBox": types.NewNumberArray(0, 0, 9, 9),
			"FontMatrix": types.NewNumberArray(.001, 0, 0, .001, 0, 0), "CharProcs": types.Dict{"A": c.add(unfilteredStream([]byte("500 0 d0"), types.Dict{}))},
			"Encoding":  types.Dict{"Differences": types.Array{types.Integer('A'), types.Name("A")}},
			"FirstChar": types.Integer('A'), "LastChar": types.Integer('A'), "Widths": types.NewNumberArray(width),
		}
	}, "BT /Broken 12 Tf (A) Tj ET ")
}

const winAnsiName = types.Name("WinAnsiEncoding")

var (
	winAnsi = types.Dict{"Encoding": winAnsiName}
	// halved is the matrix of a CFF program for glyphs of half the usual size.
	halved = slices.Concat([]byte{30, 0xA0, 0x00, 0x5F}, charstring(0, 0), []byte{30, 0xA0, 0x00, 0x5F}, charstring(0, 0, escape, byte(7)))
	// keyedSet has the glyphs of the CID-keyed program.
	keyedSet = []byte{0, 0, 0, 0, 0b00111000}
)

// Programs are hostile: what a glyph's width takes to read is bounded, and so are all widths together.
func TestProgramsAreBounded(t *testing.T) {
	within := func(what string, readable, beyond bool) {
		t.Helper()
		if !readable || beyond {
			t.Errorf("%s: readable within the limit: %v, beyond: %v", what, readable, beyond)
		}
	}
	public := func(length int) bool {
		program := type1Program("")
		begin := bytes.Index(program, []byte("eexec\n")) + len("eexec\n")
		return readType1(type1Program(strings.Repeat("%", length-begin-1)+"\n")) != nil
	}
	within("public part", public(maxPublic), public(maxPublic+1))

	glyphs := func(n int) bool {
		_, all := type1Charstrings([]byte(strings.Repeat("/A 4 RD 0000 ND\n", n) + "end"))
		return len(all) == n
	}
	within("charstrings", glyphs(maxCharstrings), glyphs(maxCharstrings+1))

	begin := func(length int) bool {
		code := append(charstring(0, 500), bytes.Repeat(charstring(1, escape, div), (length-7)/3)...) // 500 / 1 / 1 ...
		return readType1(type1Program("", append(code, hsbw))).width(4) == 500
	}
	within("length", begin(maxBegin), begin(maxBegin+3))

	operator := func(f *cff, code []byte) bool {
		_, operator := f.begin(code, index{})
		return operator == endchar
	}
	operands := func(n int) bool { return operator(&cff{}, append(bytes.Repeat(number(1), n), endchar)) }
	within("operands", operands(maxOperands), operands(maxOperands+1))

	calls := func(depth int) bool {
		var chain [][]byte
		for n := 1; n < depth; n++ {
			chain = append(chain, charstring(n-107, callgsubr))
		}
		f := &cff{}
		f.subroutines, _ = readIndex(values(append(chain, charstring(endchar))...))
		return operator(f, charstring(-107, callgsubr))
	}
	within("depth", calls(maxCalls), calls(maxCalls+1))

	steps := func(n int) bool { // a call takes three
		f := &cff{}
		f.subroutines, _ = readIndex(values(charstring(end)))
		return operator(f, append(bytes.Repeat(charstring(-107, callgsubr), n/3), endchar))
	}
	within("steps", steps(maxSteps-3), steps(maxSteps+1))

	named := func(length int) bool {
		f, o := &cff{}, &outlines{}
		f.strings, _ = readIndex(values(bytes.Repeat([]byte("x"), length)))
		f.nameGlyphs(o, []int{0, len(standardStrings)})
		return len(o.names) == 1
	}
	within("name", named(maxGlyphName), named(maxGlyphName+1))

	f := &cff{program: make([]byte, 6)}
	within("dictionaries", len(f.dict(operation(opSubrs, 1))) == 1, len(f.dict(operation(opSubrs, 1))) == 1)

	fonts, o := newFontReader(lookup{}), readCFF(cffProgram(false))
	fonts.widthsRead = maxWidths - 1
	within("widths", fonts.outlineWidth(o, 1) == 500, !math.IsNaN(fonts.outlineWidth(o, 2)))
	if fonts.outlineWidth(o, 1) != 500 {
		t.Error("a width is read again")
	}
}
