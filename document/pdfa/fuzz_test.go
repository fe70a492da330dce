package pdfa

import (
	"errors"
	"strings"
	"testing"

	"platen.dev/document/pdfa/cos"
)

// FuzzCheckForeign checks files that anyone may have made. Whatever is wrong with them, it is found by a rule: nothing panics.
func FuzzCheckForeign(f *testing.F) {
	good := goodPDF(f)
	f.Add(good)
	for _, b := range breaks {
		f.Add(broken(f, good, b.change))
	}
	for _, change := range allowed {
		f.Add(broken(f, good, change))
	}
	f.Fuzz(func(t *testing.T, pdf []byte) {
		var invalid *InvalidError
		if err := CheckForeign(cos.NewSource(pdf)); err == nil || !errors.As(err, &invalid) {
			return
		}
		for _, v := range invalid.Violations {
			if strings.HasPrefix(v.Detail, "broken file: ") {
				t.Error(v)
			}
		}
	})
}

// FuzzProgram reads font programs that anyone may have made: nothing panics.
func FuzzProgram(f *testing.F) {
	f.Add(cffProgram(false, halved...))
	f.Add(cffProgram(true))
	f.Add(type1Program("/FontMatrix [0.0005 0 0 0.0005 0 0] def\n"))
	for _, table := range [][]byte{segments(0), listedSegments(), trimmed(), listed()} {
		f.Add(cmapTable(3, 1, table))
	}
	f.Fuzz(func(_ *testing.T, program []byte) {
		maps := &trueType{cmaps: program}
		for code := range 256 {
			maps.coded(code)
			maps.named(winAnsiEncoding[code])
		}
		fonts := newFontReader(lookup{})
		for _, o := range []*outlines{readCFF(program), readType1(program)} {
			for gid := 0; o != nil && gid <= min(o.glyphs, 1000); gid++ {
				fonts.outlineWidth(o, gid)
			}
		}
	})
}
