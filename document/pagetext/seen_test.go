package pagetext

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

// sheet returns a PDF of one page with a content stream. The objects are numbered from 5.
func sheet(content, page string, objects ...string) []byte {
	var b bytes.Buffer
	all := append([]string{
		"<</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs[7 0 R 8 0 R]/D<</OFF[8 0 R]>>>>>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R " + page + "/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>" +
			"/Properties<</On 7 0 R/Off 8 0 R>>/ExtGState<</Clear<</ca 0>>/Faint<</ca .05>>/Half<</ca .5>>/Wide<</LW 40>>/Multiply<</BM/Multiply>>>>>>>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content),
	}, objects...)
	b.WriteString("%PDF-1.7\n")
	for i, object := range all {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	b.WriteString("trailer\n<</Root 1 0 R>>\n")
	return b.Bytes()
}

const (
	helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
	onLayer   = "<</Type/OCG/Name(on)>>"
	offLayer  = "<</Type/OCG/Name(off)>>"
)

// picture returns an image, opaque unless entries say otherwise.
func picture(entries string) string {
	return "<</Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray" + entries + "/Length 1>>\nstream\nx\nendstream"
}

func form(content, entries string) string {
	return fmt.Sprintf("<</Type/XObject/Subtype/Form/BBox[0 0 200 100]/Resources<</Font<</F 5 0 R>>>>%s/Length %d>>\nstream\n%s\nendstream", entries, len(content), content)
}

// Text counts if a person can see it.
func TestSeen(t *testing.T) {
	const word = "BT /F 12 Tf 20 50 Td (1.234,56) Tj ET"
	tiny := strings.Builder{}
	tiny.WriteString("10 40 m ")
	for n := range 200 {
		fmt.Fprintf(&tiny, "%.1f %.1f l ", 10+.4*float64(n+1), 40+.2*float64(n+1))
	}
	for name, c := range map[string]struct {
		content, object, page string
		seen                  bool
	}{
		"plain":                     {content: word, seen: true},
		"invisible":                 {content: "3 Tr " + word},
		"clipping alone":            {content: "7 Tr " + word},
		"stroked":                   {content: "1 Tr " + word, seen: true},
		"stroked in white":          {content: "1 Tr 1 G " + word},
		"white":                     {content: "1 1 1 rg " + word},
		"nearly white":              {content: ".97 g " + word},
		"no ink":                    {content: "0 0 0 0 k " + word},
		"grey":                      {content: ".8 g " + word, seen: true},
		"yellow":                    {content: "1 1 0 rg " + word, seen: true},
		"white on black":            {content: "0 g 0 0 200 100 re f 1 g " + word, seen: true},
		"black on black":            {content: "0 g 0 0 200 100 re f " + word},
		"white on black elsewhere":  {content: "0 g 100 0 100 100 re f 1 g " + word},
		"white on a round box":      {content: "0 g 10 40 m 100 40 l 110 40 110 70 100 70 c 10 70 l h f 1 g " + word, seen: true},
		"white on a picture":        {content: "q 200 0 0 100 0 0 cm /X Do Q 1 g " + word, object: picture(""), seen: true},
		"transparent":               {content: "/Clear gs " + word},
		"faint":                     {content: "/Faint gs " + word},
		"half transparent":          {content: "/Half gs " + word, seen: true},
		"off the page":              {content: "1 0 0 1 300 0 cm " + word},
		"outside the crop box":      {content: word, page: "/CropBox[100 0 200 100]"},
		"inside the crop box":       {content: word, page: "/CropBox[0 0 100 100]", seen: true},
		"clipped away":              {content: "100 0 100 100 re W n " + word},
		"within its clip":           {content: "0 0 100 100 re W n " + word, seen: true},
		"clipped by a triangle":     {content: "0 0 m 5 0 l 0 5 l h W n " + word},
		"clip restored":             {content: "q 100 0 100 100 re W n Q " + word, seen: true},
		"covered":                   {content: word + " 1 g 0 0 200 100 re f"},
		"covered by a round box":    {content: word + " 1 g 10 40 m 100 40 l 110 40 110 70 100 70 c 10 70 l h f"},
		"covered beside":            {content: word + " 1 g 100 0 100 100 re f", seen: true},
		"covered by nothing much":   {content: word + " /Half gs 1 g 0 0 200 100 re f", seen: true},
		"marked":                    {content: word + " /Multiply gs 1 1 0 rg 0 0 200 100 re f", seen: true},
		"struck through":            {content: word + " 0 g 0 54 200 1 re f", seen: true},
		"covered by a slanted band": {content: word + " 1 g -1000 -910 m 1000 1090 l 1000 970 l -1000 -1030 l h f"},
		"beside a slanted band":     {content: word + " 1 g -1000 -1100 m 1000 900 l 1000 800 l -1000 -1200 l h f", seen: true},
		"covered by a line":         {content: word + " 1 G 40 w 0 54 m 200 54 l S"},
		"covered by a scaled line":  {content: word + " 1 G 10 0 0 10 0 0 cm 4 w 0 5.4 m 20 5.4 l S"},
		"covered by a slanted line": {content: word + " 1 G 40 w 0 44 m 100 64 l S"},
		"covered by a curve":        {content: word + " 1 G 40 w 0 54 m 30 56 60 52 100 54 c S"},
		"covered by a frame":        {content: word + " 1 G 40 w 40 54 4 4 re S"},
		"covered by a short frame":  {content: word + " 1 G 40 w 30 50 m 60 50 l 60 58 l 30 58 l s"},
		"covered by a dot":          {content: word + " 1 G 60 w 1 J 43 54 m 43 54 l S"},
		"covered by a square":       {content: word + " 1 G 60 w 2 J 43 54 m 43.1 54 l S"},
		"covered by tiny lines":     {content: word + " 1 G 60 w " + tiny.String() + "S"},
		"covered by filling a line": {content: word + " 1 g 1 G 40 w 0 54 m 200 54 l B"},
		"covered by a state's line": {content: word + " 1 G /Wide gs 0 54 m 200 54 l S"},
		"covered by fine dashes":    {content: word + " 1 G 40 w [.09 .01] 0 d 0 54 m 200 54 l S"},
		"covered by dashes":         {content: word + " 1 G 40 w [60 1] 10 d 0 54 m 200 54 l S"},
		"covered by round dashes":   {content: word + " 1 G 40 w 1 J [0 2] 0 d 0 54 m 200 54 l S"},
		"between dashes":            {content: word + " 1 G 40 w [15 60] 0 d 0 54 m 200 54 l S", seen: true},
		"in a gap before dashes":    {content: word + " 1 G 40 w [60 60] -60 d 20 54 m 200 54 l S", seen: true},
		"covered by a late dash":    {content: word + " 1 G 40 w [60 60] -120 d 20 54 m 200 54 l S"},
		"between many dashes":       {content: word + " 1 G 40 w [15 85] 0 d -900000 54 m 200 54 l S", seen: true},
		"covered by many dashes":    {content: word + " 1 G 40 w [95 5] 0 d -900000 54 m 200 54 l S"},
		"between fine dashes":       {content: word + " 1 G 40 w [.05 .05] 0 d 0 54 m 200 54 l S", seen: true},
		"a short line":              {content: word + " 1 G 40 w 43 54 m 43.1 54 l S", seen: true},
		"beside a line":             {content: word + " 1 G 40 w 0 25 m 200 25 l S", seen: true},
		"beside a slanted line":     {content: word + " 1 G 20 w 0 0 m 200 100 l S", seen: true},
		"between lines":             {content: word + " 0 G 4 w 0 46 m 200 46 l 0 63 m 200 63 l S", seen: true},
		"in a frame":                {content: word + " 0 G 4 w 10 44 100 22 re S", seen: true},
		"struck by a line":          {content: word + " 0 G 1.5 w 0 54 m 200 54 l S", seen: true},
		"marked by a line":          {content: word + " /Multiply gs 1 1 0 RG 40 w 0 54 m 200 54 l S", seen: true},
		"under a line that is off":  {content: word + " /OC /Off BDC 1 G 40 w 0 54 m 200 54 l S EMC", seen: true},
		"a line narrowed":           {content: word + " 1 G .1 0 0 .1 0 0 cm 10 w 0 540 m 2000 540 l S", seen: true},
		"white on a line":           {content: "40 w 0 54 m 200 54 l S 1 g " + word, seen: true},
		"covered by a picture":      {content: word + " q 200 0 0 100 0 0 cm /X Do Q", object: picture("")},
		"a picture with a mask":     {content: word + " q 200 0 0 100 0 0 cm /X Do Q", object: picture("/SMask 9 0 R"), seen: true},
		"covered by a form":         {content: word + " /X Do", object: form("1 g 0 0 200 100 re f", "")},
		"in a form":                 {content: "/X Do", object: form(word, ""), seen: true},
		"in a transparent group":    {content: "/Clear gs /X Do", object: form(word, "/Group<</S/Transparency>>")},
		"in a moved form":           {content: "/X Do", object: form(word, "/Matrix[1 0 0 1 300 0]")},
		"in a layer":                {content: "/OC /On BDC " + word + " EMC", seen: true},
		"in a layer that is off":    {content: "/OC /Off BDC " + word + " EMC"},
		"after a layer":             {content: "/OC /Off BDC EMC " + word, seen: true},
		"a form in a layer":         {content: "/X Do", object: form(word, "/OC 8 0 R")},
		"an expression hides":       {content: "/X Do", object: form(word, "/OC<</Type/OCMD/VE[/Not 7 0 R]>>")},
		"an expression shows":       {content: "/X Do", object: form(word, "/OC<</Type/OCMD/OCGs 8 0 R/VE[/Or 8 0 R[/And 7 0 R[/Not 8 0 R]]]>>"), seen: true},
		"an expression of both":     {content: "/X Do", object: form(word, "/OC<</Type/OCMD/OCGs 7 0 R/VE[/And 7 0 R 8 0 R]>>")},
		"a policy hides":            {content: "/X Do", object: form(word, "/OC<</Type/OCMD/P/AllOff/OCGs[7 0 R 8 0 R]>>")},
		"a policy without groups":   {content: "/X Do", object: form(word, "/OC<</Type/OCMD/P/AnyOff/OCGs[]>>"), seen: true},
		"tiny":                      {content: ".1 0 0 .1 0 0 cm " + word},
		"small":                     {content: ".3 0 0 .3 0 0 cm " + word, seen: true},
		"turned":                    {content: "0 1 -1 0 100 0 cm " + word, seen: true},
		"a turned page":             {content: word, page: "/Rotate 90", seen: true},
		"replacement text":          {content: "/Span<</ActualText(1.234,56)>>BDC BT /F 12 Tf 20 50 Td (9) Tj ET EMC"},
		"an annotation":             {page: "/Annots[<</Type/Annot/Subtype/Stamp/Rect[0 0 200 100]/AP<</N 6 0 R>>>>]", object: form(word, ""), seen: true},
		"a hidden annotation":       {page: "/Annots[<</Type/Annot/Subtype/Stamp/F 2/Rect[0 0 200 100]/AP<</N 6 0 R>>>>]", object: form(word, "")},
		"under an annotation":       {content: word, page: "/Annots[<</Type/Annot/Subtype/Stamp/Rect[0 0 200 100]/AP<</N 6 0 R>>>>]", object: form("1 g 0 0 200 100 re f", "")},
	} {
		object := c.object
		if object == "" {
			object = "null"
		}
		pages, err := Read(sheet(c.content, c.page, helvetica, object, onLayer, offLayer, picture("")))
		if err != nil || len(pages) != 1 {
			t.Errorf("%s: %d pages, %v", name, len(pages), err)
			continue
		}
		if got := strings.TrimSpace(textOf(pages)); (got == "1.234,56") != c.seen || !c.seen && got != "" && got != "9" {
			t.Errorf("%s: read %q, seen should be %v", name, got, c.seen)
		}
	}
}

// Words are separated by their positions, however the strings are split; columns are separate pieces.
func TestPieces(t *testing.T) {
	for content, want := range map[string]string{
		"BT /F 10 Tf 10 50 Td [(To) -300 (tal)] TJ ET":                                  "To tal",
		"BT /F 10 Tf 10 50 Td (To) Tj (tal) Tj ET":                                      "Total",
		"BT /F 10 Tf 10 50 Td (12) Tj 60 0 Td (34) Tj ET":                               "12\n34",
		"BT /F 10 Tf 70 50 Td (34) Tj -60 0 Td (12) Tj ET":                              "12\n34",
		"BT /F 10 Tf 10 50 Td (a) Tj 0 -12 Td (b) Tj ET BT /F 10 Tf 60 51 Td (c) Tj ET": "a\nc\nb",
		"BT /F 10 Tf 10 50 Td (bold) Tj ET BT /F 10 Tf 10.2 50 Td (bold) Tj ET":         "bold",
		"BT /F 10 Tf 12 TL 10 50 Td (a) Tj (b) ' 1 1 (c) \" T* (d) Tj ET":               "a\nb\nc\nd",
		"BT /F 10 Tf 10 50 Td (1\xa0234,56\xa0\x80) Tj ET":                              "1 234,56 €",
	} {
		pages, err := Read(sheet(content, "", helvetica, "null", onLayer, offLayer))
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for line := range strings.Lines(textOf(pages)) {
			lines = append(lines, strings.TrimSpace(line))
		}
		if got := strings.Join(lines, "\n"); got != want {
			t.Errorf("%s: %q instead of %q", content, got, want)
		}
	}
}

// The order of pieces is the same each time.
func TestOrderOfTurnedText(t *testing.T) {
	pdf := sheet("BT 0 1 -1 0 50 20 Tm /F 12 Tf (up) Tj ET BT 0 -1 1 0 150 80 Tm (down) Tj ET", "", helvetica)
	first := readAll(t, pdf).pages
	for range 100 {
		if again := readAll(t, pdf).pages; textOf(again) != textOf(first) {
			t.Fatalf("%q and %q", textOf(first), textOf(again))
		}
	}
}

// Fonts map codes to characters in several ways.
func TestFonts(t *testing.T) {
	cmap := "1 begincodespacerange <00> <FF> endcodespacerange 2 beginbfchar <41> <0031> <42> <00660069> endbfchar 1 beginbfrange <43> <45> <0035> endbfrange 1 beginbfrange <46> <47> [<0061> <0062>] endbfrange"
	for font, want := range map[string]string{
		helvetica: "ABCEG",
		"<</Type/Font/Subtype/Type1/BaseFont/X/ToUnicode 9 0 R>>":                                                                                       "1fi57b",
		"<</Type/Font/Subtype/Type1/BaseFont/X/Encoding<</Differences[65/one/fi/Euro 69/uni0041.alt/zcaron]>>>>":                                        "1fi€AG",
		"<</Type/Font/Subtype/Type3/FontMatrix[.01 0 0 .01 0 0]/FirstChar 65/Widths[60 60 60 60 60 60 60]/Encoding<</Differences[65/a/b/c/d/e/f/g]>>>>": "abceg",
	} {
		pages, err := Read(sheet("BT /F 10 Tf 10 50 Td (ABCEG) Tj ET", "", font, "null", onLayer, offLayer, fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(cmap), cmap)))
		got := strings.ReplaceAll(strings.TrimSpace(textOf(pages)), "ﬁ", "fi")
		if err != nil || got != want {
			t.Errorf("%s: %q instead of %q, %v", font, got, want, err)
		}
	}
}

// Exceeding a bound is an error; no partial page is returned.
func TestBounds(t *testing.T) {
	nested := func(levels int) []byte {
		objects := []string{helvetica, "null", onLayer, offLayer}
		for i := range levels {
			objects = append(objects, strings.Replace(form("/X Do", ""), "/Font<</F 5 0 R>>", fmt.Sprintf("/XObject<</X %d 0 R>>", i+10), 1))
		}
		objects = append(objects, form("BT /F 12 Tf 20 50 Td (deep) Tj ET", ""))
		objects[1] = strings.Replace(form("/X Do", ""), "/Font<</F 5 0 R>>", "/XObject<</X 9 0 R>>", 1)
		return sheet("/X Do", "", objects...)
	}
	if pages, err := Read(nested(maxDepth - 2)); err != nil || strings.TrimSpace(textOf(pages)) != "deep" {
		t.Errorf("forms as deep as they may be: %q, %v", textOf(pages), err)
	}
	if _, err := Read(nested(maxDepth - 1)); !errors.Is(err, ErrLimit) {
		t.Errorf("deeper forms: %v", err)
	}
	loop := strings.Replace(form("/X Do /X Do", ""), "/Font<</F 5 0 R>>", "/XObject<</X 6 0 R>>", 1)
	if _, err := Read(sheet("/X Do", "", helvetica, loop, onLayer, offLayer)); !errors.Is(err, ErrLimit) {
		t.Errorf("a form in itself: %v", err)
	}
	encrypted := bytes.Replace(sheet("", ""), []byte("/Root 1 0 R"), []byte("/Root 1 0 R/Encrypt<<>>"), 1)
	if _, err := Read(encrypted); !errors.Is(err, ErrEncrypted) {
		t.Errorf("encrypted: %v", err)
	}
}

// The painted area of a file is bounded.
func TestPaintedBound(t *testing.T) {
	testkit.Long(t)
	fill := "0 0 200 100 re f "
	most := maxPainted/(200*100) - 1
	if _, err := Read(sheet(strings.Repeat(fill, most), "", helvetica, "null", onLayer, offLayer)); err != nil {
		t.Errorf("%d fills: %v", most, err)
	}
	if _, err := Read(sheet(strings.Repeat(fill, most+2), "", helvetica, "null", onLayer, offLayer)); !errors.Is(err, ErrLimit) {
		t.Errorf("%d fills: %v", most+2, err)
	}
}

// A page may be clipped to the whole of it any number of times, as by producers that close a box twice.
func TestClippedToThePage(t *testing.T) {
	clip := "q 0 0 m 200 0 l 200 100 l 0 100 l 0 0 l 0 0 l h W n Q "
	if _, err := Read(sheet(strings.Repeat(clip, maxPainted/(200*100)+1), "", helvetica, "null", onLayer, offLayer)); err != nil {
		t.Error(err)
	}
}

// FuzzRead reads any input to its end.
func FuzzRead(f *testing.F) {
	f.Add(sheet("q 1 0 0 1 5 5 cm BT /F 12 Tf 20 50 Td [(a) 5 (b)] TJ ET 1 g 0 0 9 9 re W n Q /X Do", "/Rotate 90", helvetica, form("0 0 m 1 1 2 2 3 3 c f", ""), onLayer, offLayer))
	f.Add(sheet("/OC /Off BDC (x) ' EMC", "", "<</Type/Font/Subtype/Type0/Encoding/Identity-V/DescendantFonts[<</W[0[1 2] 5 9 3]>>]>>", picture(""), onLayer, offLayer))
	f.Fuzz(func(t *testing.T, pdf []byte) {
		pages, err := Read(pdf)
		if err != nil && strings.Contains(err.Error(), errBroken.Error()) {
			t.Error(err)
		}
		for _, page := range pages {
			for _, piece := range page.Pieces {
				if len(piece.Words) == 0 {
					t.Error("an empty piece")
				}
			}
		}
	})
}
