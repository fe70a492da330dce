package pdfa

import (
	"encoding/binary"
	"math"
	"strconv"
)

// index is an INDEX of a CFF program: values, each of a length of its own (Adobe Technical Note 5176, 5).
type index struct {
	count, size   int
	offsets, data []byte
}

// readIndex returns an INDEX and what follows it. It has no values if it cannot be read.
func readIndex(data []byte) (x index, rest []byte) {
	if len(data) < 3 {
		return index{}, nil
	}
	count, size := int(binary.BigEndian.Uint16(data)), int(data[2])
	if count == 0 {
		return index{}, data[2:]
	}
	start := 3 + (count+1)*size
	if size < 1 || size > 4 || start > len(data) {
		return index{}, nil
	}
	x = index{count, size, data[3:start], data[start:]}
	end := x.offset(count)
	if end < 0 || end > len(x.data) {
		return index{}, nil
	}
	return x, x.data[end:]
}

func (x index) offset(n int) int { return bigEndian(x.offsets[n*x.size:][:x.size]) - 1 }

func bigEndian(digits []byte) (value int) {
	for _, b := range digits {
		value = value<<8 | int(b)
	}
	return value
}

// at returns the value at a place, or nil.
func (x index) at(n int) []byte {
	if n < 0 || n >= x.count {
		return nil
	}
	from, to := x.offset(n), x.offset(n+1)
	if from < 0 || from > to || to > len(x.data) {
		return nil
	}
	return x.data[from:to]
}

// subroutine returns the subroutine that charstrings call by a number, or nil.
func (x index) subroutine(number float64) []byte {
	bias := 32768.0
	if x.count < 1240 {
		bias = 107
	} else if x.count < 33900 {
		bias = 1131
	}
	return x.at(int(number + bias))
}

// Operators of dictionaries. Those of two bytes have 12 as their first.
const (
	opCharset, opEncoding, opCharStrings, opPrivate, opSubrs = 15, 16, 17, 18, 19
	opDefaultWidth, opNominalWidth                           = 20, 21
	opCharstringType, opFontMatrix                           = 12<<8 + 6, 12<<8 + 7
	opROS, opFDArray, opFDSelect                             = 12<<8 + 30, 12<<8 + 36, 12<<8 + 37
)

// cffDict has operands by their operator.
type cffDict map[int][]float64

// number returns the operand of an operator at a place, or otherwise.
func (d cffDict) number(operator, place int, otherwise float64) float64 {
	if operands := d[operator]; place < len(operands) {
		return operands[place]
	}
	return otherwise
}

// from returns the data from the offset that is an operand of an operator, or nil.
func (d cffDict) from(data []byte, operator, place int) []byte {
	if offset := d.number(operator, place, -1); offset >= 0 && offset <= float64(len(data)) {
		return data[int(offset):]
	}
	return nil
}

// dict reads a dictionary. Those of a sound program do not overlap: none is read beyond as many bytes as it has.
func (f *cff) dict(data []byte) cffDict {
	d := cffDict{}
	if f.read += len(data); f.read > len(f.program) {
		return d
	}
	var operands []float64
	for len(data) > 0 && len(operands) <= maxOperands {
		b := data[0]
		var value float64
		switch {
		case b == 12 && len(data) > 1:
			d[12<<8+int(data[1])] = operands
			operands, data = nil, data[2:]
			continue
		case b < 22:
			d[int(b)] = operands
			operands, data = nil, data[1:]
			continue
		case b == 28 && len(data) > 2:
			value, data = float64(int16(binary.BigEndian.Uint16(data[1:]))), data[3:]
		case b == 29 && len(data) > 4:
			value, data = float64(int32(binary.BigEndian.Uint32(data[1:]))), data[5:]
		case b == 30:
			value, data = realNumber(data[1:])
		default:
			value, data = charstringNumber(data)
		}
		operands = append(operands, value)
	}
	return d
}

// realNumber reads a number that is written in digits of four bits each.
func realNumber(data []byte) (value float64, rest []byte) {
	var text []byte
	for n, b := range data {
		for _, digit := range []byte{b >> 4, b & 15} {
			if digit == 15 {
				value, _ = strconv.ParseFloat(string(text), 64)
				return value, data[n+1:]
			}
			text = append(text, [...]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", ".", "E", "E-", "", "-"}[digit]...)
		}
	}
	return math.NaN(), nil
}

// cff is a CFF program.
type cff struct {
	program              []byte
	top                  cffDict
	strings, subroutines index
	charstrings          index
	fonts                []cffFont // those of a CID-keyed program, or one
	selected             []byte    // which of them a glyph is of
	read                 int       // bytes of dictionaries
}

// cffFont is what charstrings have in common.
type cffFont struct {
	scale            float64 // from units to thousandths of the font size
	nominal, without float64 // widths: what the others are added to, that of glyphs without one
	subroutines      index
}

// readCFF returns nil if the program cannot be read.
func readCFF(program []byte) *outlines {
	if len(program) < 4 || int(program[2]) > len(program) {
		return nil
	}
	_, rest := readIndex(program[program[2]:])
	tops, rest := readIndex(rest)
	f := &cff{program: program}
	f.top = f.dict(tops.at(0))
	f.strings, rest = readIndex(rest)
	f.subroutines, _ = readIndex(rest)
	f.charstrings, _ = readIndex(f.top.from(program, opCharStrings, 0))
	sids := f.charset()
	if sids == nil || f.top.number(opCharstringType, 0, 2) != 2 {
		return nil
	}
	o := &outlines{glyphs: f.charstrings.count, width: f.width, widths: map[int]float64{}}
	if f.top[opROS] == nil {
		f.fonts = []cffFont{f.font(f.top)}
		f.nameGlyphs(o, sids)
		return o
	}
	if !f.selectFonts() {
		return nil
	}
	o.cids = map[int]int{}
	for gid, cid := range sids {
		o.cids[cid] = gid
	}
	return o
}

// isoAdobe is the number of glyphs in the set that a program has if it names none.
const isoAdobe = 229

// charset returns the numbers of the names of the glyphs, or their CIDs, nil if they cannot be read, or are of an expert set.
func (f *cff) charset() (sids []int) {
	glyphs := f.charstrings.count
	if f.top[opROS] == nil && f.top.number(opCharset, 0, 0) == 0 {
		for sid := range min(glyphs, isoAdobe) {
			sids = append(sids, sid)
		}
		return sids
	}
	data := f.top.from(f.program, opCharset, 0)
	if glyphs == 0 || f.top.number(opCharset, 0, 0) < 3 || len(data) == 0 || data[0] > 2 {
		return nil
	}
	span := 2 + int(data[0]) // bytes of a span of numbers: the first, and how many follow
	sids = append(sids, 0)
	for data = data[1:]; len(sids) < glyphs; data = data[span:] {
		if len(data) < span {
			return nil
		}
		first := bigEndian(data[:2])
		for n := 0; n <= bigEndian(data[2:span]) && len(sids) < glyphs; n++ {
			sids = append(sids, first+n)
		}
	}
	return sids
}

// nameGlyphs finds the names of glyphs, and the encoding of the program if it is the standard one.
func (f *cff) nameGlyphs(o *outlines, sids []int) {
	o.names = map[string]int{}
	for gid, sid := range sids {
		if sid < len(standardStrings) {
			o.names[standardStrings[sid]] = gid
		} else if name := f.strings.at(sid - len(standardStrings)); len(name) <= maxGlyphName {
			o.names[string(name)] = gid
		}
	}
	delete(o.names, notdef)
	if f.top.number(opEncoding, 0, 0) == 0 {
		o.encoding = standardEncoding
	}
}

// maxGlyphName bounds the names of glyphs: many may have one long name.
const maxGlyphName = 127

// font reads what the charstrings of a dictionary have in common.
func (f *cff) font(d cffDict) cffFont {
	font := cffFont{scale: 1000 * d.number(opFontMatrix, 0, 0.001)}
	if whole := f.top[opFontMatrix]; f.top[opROS] != nil && len(whole) > 0 {
		font.scale = 1000 * whole[0] * d.number(opFontMatrix, 0, 1)
	}
	data, size := d.from(f.program, opPrivate, 1), d.number(opPrivate, 0, 0)
	if !(size >= 0 && size <= float64(len(data))) { // or NaN
		return cffFont{scale: math.NaN()}
	}
	private := f.dict(data[:int(size)])
	font.nominal, font.without = private.number(opNominalWidth, 0, 0), private.number(opDefaultWidth, 0, 0)
	font.subroutines, _ = readIndex(private.from(data, opSubrs, 0))
	return font
}

// selectFonts reads the fonts of a CID-keyed program, and which glyphs are of which.
func (f *cff) selectFonts() bool {
	fonts, _ := readIndex(f.top.from(f.program, opFDArray, 0))
	for n := range fonts.count {
		f.fonts = append(f.fonts, f.font(f.dict(fonts.at(n))))
	}
	data := f.top.from(f.program, opFDSelect, 0)
	if len(data) < 5 {
		return false
	}
	glyphs := f.charstrings.count
	if data[0] == 0 {
		f.selected = data[1:min(glyphs+1, len(data))]
		return len(f.selected) == glyphs
	}
	for spans := data[3:]; len(f.selected) < glyphs; spans = spans[3:] {
		if data[0] != 3 || len(spans) < 5 || bigEndian(spans[:2]) != len(f.selected) {
			return false
		}
		for end := bigEndian(spans[3:5]); len(f.selected) < min(end, glyphs); {
			f.selected = append(f.selected, spans[2])
		}
	}
	return true
}

// width returns the width of a glyph.
func (f *cff) width(gid int) float64 {
	font := 0
	if f.selected != nil {
		font = int(f.selected[gid])
	}
	if font >= len(f.fonts) {
		return math.NaN()
	}
	of := f.fonts[font]
	operands, operator := f.begin(f.charstrings.at(gid), of.subroutines)
	own := false // the charstring has a width, before the operands
	switch n := len(operands); operator {
	case 0, 12: // none, or a calculation
		return math.NaN()
	case 1, 3, 18, 19, 20, 23: // stems and masks
		own = n%2 == 1
	case 14: // endchar
		own = n == 1 || n == 5
	case 4, 22: // vmoveto, hmoveto
		own = n > 1
	case 21: // rmoveto
		own = n > 2
	}
	if !own {
		return of.scale * of.without
	}
	return of.scale * (of.nominal + operands[0])
}

const (
	maxCalls = 10  // depth of subroutines
	maxSteps = 200 // numbers and calls before the first operator
)

// begin returns the first operator of a charstring and its operands, 0 if that is not found.
func (f *cff) begin(code []byte, local index) (operands []float64, operator byte) {
	var callers [][]byte
	for range maxSteps {
		for len(code) == 0 && len(callers) > 0 {
			code, callers = callers[len(callers)-1], callers[:len(callers)-1]
		}
		n := len(operands)
		if len(code) == 0 || n > maxOperands || len(callers) > maxCalls {
			return nil, 0
		}
		switch b := code[0]; {
		case b == 28 && len(code) > 2:
			operands, code = append(operands, float64(int16(binary.BigEndian.Uint16(code[1:])))), code[3:]
		case b == 255 && len(code) > 4:
			operands, code = append(operands, float64(int32(binary.BigEndian.Uint32(code[1:])))/65536), code[5:]
		case b >= 32:
			value, rest := charstringNumber(code)
			operands, code = append(operands, value), rest
		case (b == 10 || b == 29) && n > 0: // callsubr, callgsubr
			of := local
			if b == 29 {
				of = f.subroutines
			}
			callers, code, operands = append(callers, code[1:]), of.subroutine(operands[n-1]), operands[:n-1]
		case b == 11: // return
			code = nil
		default:
			return operands, b
		}
	}
	return nil, 0
}
