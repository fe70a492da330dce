package pdfa

import (
	"encoding/binary"
	"math"
	"sync"
)

// sRGB is an ICC profile of the colour space that browsers print in. It is computed from
// published numbers: the primaries and the white point of ITU-R BT.709, the transfer
// curve of IEC 61966-2-1, and the Bradford adaptation to D50 that ICC.1 prescribes. Its
// version is 2.1 (ICC.1:1998-09), which PDF/A-3 allows and every viewer supports.
var sRGB = sync.OnceValue(func() []byte {
	red, green, blue := colorants()
	curve := transferCurve()
	return iccProfile([]iccTag{
		{"desc", iccDescription("sRGB IEC61966-2.1")},
		{"cprt", append([]byte("text\x00\x00\x00\x00"), "Made by Platen from published numbers. Free to use.\x00"...)},
		{"wtpt", iccXYZ(whiteD50)},
		{"rXYZ", iccXYZ(red)},
		{"gXYZ", iccXYZ(green)},
		{"bXYZ", iccXYZ(blue)},
		{"rTRC", curve},
		{"gTRC", curve},
		{"bTRC", curve},
	})
})

type vector [3]float64

type matrix [3]vector

// whiteD50 is the illuminant of the profile connection space, as ICC.1 rounds it.
var whiteD50 = vector{0.9642, 1, 0.8249}

// bradford maps XYZ to the cone responses that the Bradford adaptation scales (ICC.1,
// annex E).
var bradford = matrix{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}

func (m matrix) times(v vector) (out vector) {
	for i, row := range m {
		out[i] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
	}
	return out
}

// solve returns the v for which m times v is w, by Cramer's rule.
func (m matrix) solve(w vector) (v vector) {
	all := m.determinant()
	for column := range v {
		with := m
		for row := range with {
			with[row][column] = w[row]
		}
		v[column] = with.determinant() / all
	}
	return v
}

func (m matrix) determinant() float64 {
	return m[0][0]*(m[1][1]*m[2][2]-m[1][2]*m[2][1]) - m[0][1]*(m[1][0]*m[2][2]-m[1][2]*m[2][0]) + m[0][2]*(m[1][0]*m[2][1]-m[1][1]*m[2][0])
}

// xyz is a chromaticity at full luminance.
func xyz(x, y float64) vector { return vector{x / y, 1, (1 - x - y) / y} }

// colorants are the three primaries, adapted to D50.
func colorants() (red, green, blue vector) {
	primaries := [3]vector{xyz(0.64, 0.33), xyz(0.30, 0.60), xyz(0.15, 0.06)}
	white := xyz(0.3127, 0.3290)
	var columns matrix
	for i, p := range primaries {
		for row := range 3 {
			columns[row][i] = p[row]
		}
	}
	share := columns.solve(white)
	from, to := bradford.times(white), bradford.times(whiteD50)
	var out [3]vector
	for i, p := range primaries {
		cone := bradford.times(vector{p[0] * share[i], p[1] * share[i], p[2] * share[i]})
		for j := range cone {
			cone[j] *= to[j] / from[j]
		}
		out[i] = bradford.solve(cone)
	}
	return out[0], out[1], out[2]
}

// transferCurve is the sRGB transfer curve as a table of 1024 entries.
func transferCurve() []byte {
	const steps = 1024
	out := append([]byte("curv\x00\x00\x00\x00"), 0, 0, steps>>8, steps&0xFF)
	for i := range steps {
		v := float64(i) / (steps - 1)
		linear := v / 12.92
		if v > 0.04045 {
			linear = math.Pow((v+0.055)/1.055, 2.4)
		}
		out = binary.BigEndian.AppendUint16(out, uint16(math.Round(linear*65535)))
	}
	return out
}

func fixed(f float64) uint32 { return uint32(int32(math.Round(f * 65536))) }

func iccXYZ(v vector) []byte {
	out := []byte("XYZ \x00\x00\x00\x00")
	for _, f := range v {
		out = binary.BigEndian.AppendUint32(out, fixed(f))
	}
	return out
}

// iccDescription is a text description that has an ASCII text, but neither a Unicode text
// nor a Macintosh one.
func iccDescription(text string) []byte {
	out := binary.BigEndian.AppendUint32([]byte("desc\x00\x00\x00\x00"), uint32(len(text)+1))
	out = append(append(out, text...), 0)
	return append(out, make([]byte, 4+4+2+1+67)...)
}

type iccTag struct {
	name string
	data []byte
}

// iccProfile joins the header, the tag table and the data of the tags. Tags with equal
// data share it.
func iccProfile(tags []iccTag) []byte {
	start := 128 + 4 + 12*len(tags)
	var data []byte
	table := binary.BigEndian.AppendUint32(nil, uint32(len(tags)))
	where := map[string]int{}
	for _, tag := range tags {
		at, known := where[string(tag.data)]
		if !known {
			at = start + len(data)
			where[string(tag.data)] = at
			data = append(data, tag.data...)
			data = append(data, make([]byte, -len(data)&3)...)
		}
		table = append(table, tag.name...)
		table = binary.BigEndian.AppendUint32(table, uint32(at))
		table = binary.BigEndian.AppendUint32(table, uint32(len(tag.data)))
	}
	header := make([]byte, 128)
	put := binary.BigEndian.PutUint32
	put(header, uint32(start+len(data)))
	put(header[8:], 0x02100000)
	copy(header[12:], "mntrRGB XYZ ")
	for i, part := range []uint16{2026, 1, 1, 0, 0, 0} {
		binary.BigEndian.PutUint16(header[24+2*i:], part)
	}
	copy(header[36:], "acsp")
	for i, f := range whiteD50 {
		put(header[68+4*i:], fixed(f))
	}
	return append(append(header, table...), data...)
}
