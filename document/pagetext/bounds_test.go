package pagetext

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"platen.dev/document/pdfa/cos"

	"platen.dev/events/testkit"
)

// readAll reads a file of one page without an error, and returns what remains of its bounds.
func readAll(t *testing.T, pdf []byte) *reader {
	t.Helper()
	r, err := readWithin(t, pdf, maxBytes)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readWithin reads a file within a bound of bytes.
func readWithin(t *testing.T, pdf []byte, most int) (*reader, error) {
	t.Helper()
	file, err := cos.NewSource(pdf).Open()
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(file)
	r.bytes = most
	catalog, _ := file.Catalog()
	return r, r.tree(catalog["Pages"], cos.Dict{}, map[cos.Ref]bool{}, 0)
}

// streamOf returns a stream.
func streamOf(data string) string {
	return fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(data), data)
}

// inParts returns a PDF whose page has n times the same content.
func inParts(n int, content string) []byte {
	pdf := sheet("", "/Contents["+strings.Repeat("6 0 R ", n)+"]", helvetica, streamOf(content))
	return bytes.Replace(pdf, []byte("/Contents 4 0 R"), nil, 1)
}

// What a small file has read again and again is bounded: content without operators, and replacement texts.
func TestBytesAreBounded(t *testing.T) {
	const size, times = 10_000, 50
	spaces := strings.Repeat(" ", size)
	codes := "<</Type/Font/Subtype/Type0/Encoding/Identity-H/DescendantFonts[<<>>]>>"
	long := "/Resources<</Font<</F 5 0 R>>/Properties<</P<</ActualText(" + strings.Repeat("x", size) + ")>>>>>>"
	for name, file := range map[string]func(n int) []byte{
		"a form":             func(n int) []byte { return sheet(strings.Repeat("/X Do ", n), "", helvetica, form(spaces, "")) },
		"a part of the page": func(n int) []byte { return inParts(n, spaces) },
		"texts of marked glyphs": func(n int) []byte {
			return sheet("BT /F 9 Tf "+strings.Repeat("/S/P BDC <0001> Tj EMC ", n), long, codes)
		},
	} {
		const most = (times + 4) * size // beside the page, and what each stream counts for
		if _, err := readWithin(t, file(times), most); err != nil {
			t.Errorf("%s: %d times: %v", name, times, err)
		}
		if _, err := readWithin(t, file(times+5), most); !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %d times: %v", name, times+5, err)
		}
	}
}

// The parts of a page are joined as far as they may be read.
func TestMemoryOfParts(t *testing.T) {
	const size, most = 10_000, 1 << 20
	pdf := inParts(10*most/size, strings.Repeat(" ", size))
	if used := testkit.AllocatedBy(func() { _, _ = readWithin(t, pdf, most) }); used > 10*most {
		t.Errorf("%d bytes took %d KiB of memory", len(pdf), used>>10)
	}
}

// Replacement texts that no glyph needs are not decoded.
func TestReplacementTextsOfNothing(t *testing.T) {
	pdf := sheet(strings.Repeat("/S/P BDC EMC ", 500), "/Resources<</Properties<</P<</ActualText("+strings.Repeat("x", 10_000)+")>>>>>>")
	if used := testkit.AllocatedBy(func() { _, _ = Read(pdf) }); used > 4<<20 {
		t.Errorf("%d bytes took %d KiB of memory", len(pdf), used>>10)
	}
}

// A font is read once, also if it is not an object of its own.
func TestDirectFont(t *testing.T) {
	const size = 100_000
	font := "/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 5 0 R>>>>>>"
	r := readAll(t, sheet("BT "+strings.Repeat("/F 9 Tf ", 100)+"ET", font, streamOf(strings.Repeat(" ", size))))
	if read := maxBytes - r.bytes; read < size || read > 2*size {
		t.Errorf("a CMap of %d bytes counts as %d", size, read)
	}
}

// Many fonts may have the same widths and CMap, which have few bytes for many codes.
func TestMappingsAreBounded(t *testing.T) {
	all := "1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0000> <FFFF> <0041> endbfrange "
	objects := []string{helvetica, streamOf(all), "null", "null"}
	var names, uses strings.Builder
	for n := range 3 {
		objects = append(objects, "<</Type/Font/Subtype/Type0/Encoding/Identity-H/ToUnicode 6 0 R/DescendantFonts[<</W[0 65535 500]>>]>>")
		fmt.Fprintf(&names, "/F%d %d 0 R", n, n+9)
		fmt.Fprintf(&uses, "/F%d 9 Tf ", n)
	}
	pdf := sheet("BT "+uses.String()+"ET", "/Resources<</Font<<"+names.String()+">>>>", objects...)
	if _, err := readWithin(t, pdf, 8<<20); !errors.Is(err, ErrLimit) {
		t.Errorf("three fonts with all codes: %v", err)
	}
	if allocs := testing.AllocsPerRun(1, func() { readCMap([]byte(strings.Repeat(all, 20))) }); allocs > 4*maxMapped {
		t.Errorf("codes that are mapped again and again take %.0f allocations", allocs)
	}
}

// The name of a glyph may have any length. Its parts are not copied for each other.
func TestLongGlyphName(t *testing.T) {
	name := strings.Repeat("a_", 10_000) + "a"
	var text string
	if used := testkit.AllocatedBy(func() { text = characterOf(name) }); used > 1<<20 || text != "" {
		t.Errorf("a name of %d bytes became %d characters with %d bytes of memory", len(name), len(text), used)
	}
}

// Clips are merged: what is behind many costs no more than behind two.
func TestManyClips(t *testing.T) {
	painted := func(clips int) int {
		one := "0 0 m 200 0 l 0 100 l h W n "
		before := readAll(t, sheet(strings.Repeat(one, clips), "", helvetica)).painted
		return before - readAll(t, sheet(strings.Repeat(one, clips)+"0 0 200 100 re f", "", helvetica)).painted
	}
	if two, many := painted(2), painted(200); two != many {
		t.Errorf("painting behind 200 clips counts as %d, behind two as %d", many, two)
	}
	c := newCanvas(200, 100, new(1<<30))
	left := clip{box: rect{0, 0, 200, 100}}
	for _, corners := range [][]point{{{0, 0}, {100, 0}, {0, 100}}, {{100, 0}, {100, 100}, {0, 0}}} {
		left = left.and(c.shapeOf([][]point{corners}))
	}
	for at, in := range map[point]bool{{50, 20}: true, {10, 40}: false, {90, 40}: false, {150, 20}: false} {
		if left.has(at) != in {
			t.Errorf("%v is in the clip: %t", at, !in)
		}
	}
}

// Dashes count, also those of a line that is too thin in its direction.
func TestDashesAreBounded(t *testing.T) {
	const dashes = 100
	for name, content := range map[string]string{
		"wide": "4 w [1 1] 0 d 0 50 m 200 50 l S",
		"thin": ".2 0 0 .5 0 0 cm 4 w [1 1] 0 d 500 0 m 500 200 l S",
	} {
		if painted := maxPainted - readAll(t, sheet(content, "", helvetica)).painted - 200*100; painted < dashes*segmentWork {
			t.Errorf("%s: %d dashes count as %d cells", name, dashes, painted)
		}
	}
}

// Outlines count by their lengths, too: many lines fit into a small area.
func TestLinesOfOutlines(t *testing.T) {
	r := readAll(t, sheet("0 0 m "+strings.Repeat("200 99 l 0 1 l ", 1000)+"f", "", helvetica))
	if painted := maxPainted - r.painted; painted < 2000*200 {
		t.Errorf("2000 lines across the page count as %d cells", painted)
	}
}
