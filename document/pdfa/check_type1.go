package pdfa

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"regexp"
	"strconv"
)

// outlines has of a Type 1 or CFF program what the rules compare with the font's dictionary.
type outlines struct {
	names    map[string]int        // numbers of its glyphs, by name, without .notdef; nil if they are not known
	cids     map[int]int           // numbers of its glyphs, by CID; nil unless it is CID-keyed
	encoding encoding              // that it has itself
	others   string                // what codes have that its encoding lacks; "" if that is not known
	glyphs   int                   // how many it has
	width    func(gid int) float64 // in thousandths of the font size, NaN if it is not known
	widths   map[int]float64       // those that were read
}

// gid returns the number of the glyph of a CIDFont for a CID.
func (o *outlines) gid(cid int) (gid int, present bool) {
	if o.cids == nil {
		return cid, cid < o.glyphs
	}
	gid, present = o.cids[cid]
	return gid, present
}

// coded returns the number of the glyph that a simple font shows for a code, to which it gives a name or none. It is -1 if that is not known.
func (o *outlines) coded(code int, name string) (gid int, present bool) {
	if name == "" {
		name = cmp.Or(o.encoding[code], o.others)
	}
	if name == "" || o.names == nil {
		return -1, true
	}
	gid, present = o.names[name]
	return gid, present
}

// outlineWidth returns the width of a glyph. It is NaN for other glyphs, and once maxWidths were read.
func (r *fontReader) outlineWidth(o *outlines, gid int) float64 {
	width, known := o.widths[gid]
	if known {
		return width
	}
	if r.widthsRead++; r.widthsRead > maxWidths || gid < 0 || gid >= o.glyphs {
		return math.NaN()
	}
	width = o.width(gid)
	o.widths[gid] = width
	return width
}

// Keys of the encryption of Type 1 programs (Adobe Type 1 Font Format, 7).
const (
	programKey    = 55665
	charstringKey = 4330
)

var (
	eexec         = regexp.MustCompile(`currentfile\s+eexec[ \t\r\n]+`)
	fontMatrix    = regexp.MustCompile(`/FontMatrix\s*\[\s*([^\s\]]+)`)
	ownEncoding   = regexp.MustCompile(`dup\s+(\d+)\s*/([^\s/]+)\s+put`)
	randomBytes   = regexp.MustCompile(`/lenIV\s+(-?\d+)`)
	charstrings   = regexp.MustCompile(`/CharStrings\s+\d+\s+dict\s+dup\s+begin`)
	oneCharstring = regexp.MustCompile(`^[^/]{0,64}?/([^\s/]+)[ \t\r\n]+(\d{1,9})[ \t\r\n]+\S{1,9} `)
	noCharstring  = regexp.MustCompile(`^\s*(\S{1,9}\s+){0,2}end\b`)
)

// maxPublic is how much of a program may precede its encrypted part. Real ones have some kilobytes.
const maxPublic = 1 << 16

// maxCharstrings bounds the glyphs of a program.
const maxCharstrings = 1 << 16

// maxBegin is how many bytes of a charstring are read for its width.
const maxBegin = 100

// readType1 returns nil if the program cannot be read.
func readType1(program []byte) *outlines {
	encrypted := eexec.FindIndex(program[:min(len(program), maxPublic)])
	if encrypted == nil {
		return nil
	}
	public, private := program[:encrypted[0]], decrypt(program[encrypted[1]:], programKey, 4)
	skip, scale := 4, 1.0
	if m := randomBytes.FindSubmatch(private); m != nil {
		skip, _ = strconv.Atoi(string(m[1]))
	}
	if m := fontMatrix.FindSubmatch(public); m != nil {
		value, _ := strconv.ParseFloat(string(m[1]), 64)
		scale = 1000 * value
	}
	start := charstrings.FindIndex(private)
	if start == nil || skip < 0 || skip > maxBegin || scale == 0 {
		return nil
	}
	names, all := type1Charstrings(private[start[1]:])
	if all == nil {
		return nil
	}
	o := &outlines{names: names, glyphs: len(all), widths: map[int]float64{}}
	o.encoding, o.others = type1Encoding(public)
	o.width = func(gid int) float64 {
		begin := all[gid][:min(len(all[gid]), skip+maxBegin)]
		return scale * type1Width(decrypt(begin, charstringKey, skip))
	}
	return o
}

// type1Charstrings returns the charstrings of a program, and their numbers by the names of the glyphs but .notdef, nil if they cannot be read.
func type1Charstrings(private []byte) (names map[string]int, all [][]byte) {
	names = map[string]int{}
	for {
		m := oneCharstring.FindSubmatchIndex(private)
		if m == nil {
			break
		}
		name := string(private[m[2]:m[3]])
		length, _ := strconv.Atoi(string(private[m[4]:m[5]]))
		if private = private[m[1]:]; length > len(private) || len(all) == maxCharstrings {
			return nil, nil
		}
		names[name] = len(all)
		all, private = append(all, private[:length]), private[length:]
	}
	if !noCharstring.Match(private) {
		return nil, nil
	}
	delete(names, notdef)
	return names, all
}

// type1Encoding returns the encoding of a program, which is empty if it is written in an unusual way.
func type1Encoding(public []byte) (names encoding, others string) {
	if bytes.Contains(public, []byte("/Encoding StandardEncoding")) {
		return standardEncoding, notdef
	}
	names = encoding{}
	for _, entry := range ownEncoding.FindAllSubmatch(public, -1) {
		if code, err := strconv.Atoi(string(entry[1])); err == nil {
			names[code], others = string(entry[2]), notdef
		}
	}
	return names, others
}

// decrypt returns the decrypted bytes but the first ones, which are random.
func decrypt(encrypted []byte, key uint16, skip int) []byte {
	out := make([]byte, len(encrypted))
	for n, b := range encrypted {
		out[n] = b ^ byte(key>>8)
		key = (uint16(b)+key)*52845 + 22719
	}
	return out[min(skip, len(out)):]
}

// type1Width returns the width that a charstring begins with, NaN if it does not begin with numbers and a width.
func type1Width(code []byte) float64 {
	var stack []float64
	for len(code) > 0 && len(stack) < maxOperands {
		operator := code[0]
		if operator >= 32 {
			value, rest := charstringNumber(code)
			if operator == 255 && len(code) >= 5 {
				value, rest = float64(int32(binary.BigEndian.Uint32(code[1:]))), code[5:]
			}
			stack, code = append(stack, value), rest
			continue
		}
		n := len(stack)
		switch {
		case operator == 13 && n == 2: // hsbw
			return stack[1]
		case operator == 12 && len(code) > 1 && code[1] == 7 && n == 4: // sbw
			return stack[2]
		case operator == 12 && len(code) > 1 && code[1] == 12 && n >= 2: // div
			stack, code = append(stack[:n-2], stack[n-2]/stack[n-1]), code[2:]
		default:
			return math.NaN()
		}
	}
	return math.NaN()
}

// maxOperands bounds the numbers before an operator.
const maxOperands = 48

// charstringNumber reads a number, which charstrings of both types, and the dictionaries of CFF, write alike but for the long ones. Anything else, and a
// number that is cut off, is NaN.
func charstringNumber(code []byte) (value float64, rest []byte) {
	switch b := int(code[0]); {
	case b >= 32 && b < 247:
		return float64(b - 139), code[1:]
	case b >= 247 && b < 251 && len(code) > 1:
		return float64((b-247)*256 + int(code[1]) + 108), code[2:]
	case b >= 251 && b < 255 && len(code) > 1:
		return float64(-(b-251)*256 - int(code[1]) - 108), code[2:]
	}
	return math.NaN(), nil
}
