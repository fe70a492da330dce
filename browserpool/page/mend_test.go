package page

import (
	"image"
	"strings"
	"testing"
	"time"

	"platen.dev/browserpool/pagetest"
	documents "platen.dev/document"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// First lines that hang out of the page, or of their cell, because sanitising has taken the style sheet that kept room for them, are shown; what is moved far
// away to be hidden is not, and what has room stays where it is.
func TestHangingLines(t *testing.T) {
	t.Parallel()
	const number = `<span style="background: #00f; color: #00f; padding: 0 8px; line-height: 16px; font-size: 10px">1</span>&nbsp; TEXT`
	slot := openSlot(t)
	shown := func(source string) image.Rectangle {
		return blueIn(pagetest.PictureOf(t, mustPrint(t, slot, Print{HTML: documents.Sanitize(source).HTML(), Options: contract.Paper{MarginLeft: "2cm"}}).PDF, 1))
	}
	whole := shown(`<p>` + number)
	for name, source := range map[string]string{
		"Word's":        `<p style="text-indent:-18.0pt;mso-list:l0 level1 lfo1">` + number,
		"inherited":     `<div style="text-indent: -24px"><p>` + number + `</div>`,
		"within":        `<div style="text-indent: -24px">TEXT<div>TEXT</div><p>` + number + `</div>`,
		"in a block":    `<p style="text-indent: -24px"><span style="display: inline-block">` + number + `</span>`,
		"in a list":     `<ul style="padding: 0"><li style="list-style: none; text-indent: -24px">` + number + `</ul>`,
		"without space": `<body style="margin: 8px 0 0 8px"><p style="padding: 0; text-indent: -30pt">` + number,
	} {
		if got := shown(source); got.Min.X != whole.Min.X || got.Dx() != whole.Dx() {
			t.Errorf("%s: it is shown from %d to %d, expected %d to %d", name, got.Min.X, got.Max.X, whole.Min.X, whole.Max.X)
		}
	}
	for name, source := range map[string]string{
		"in a cell":          `<table cellpadding="0" cellspacing="0"><tr><td width="200">TEXT<td width="300"><p style="text-indent: *">` + number + `</table>`,
		"from right to left": `<p dir="rtl" style="text-indent: *">` + number,
	} {
		with, without := shown(strings.Replace(source, "*", "-24px", 1)), shown(strings.Replace(source, "*", "0", 1))
		if with.Min.X != without.Min.X || with.Max.X != without.Max.X {
			t.Errorf("%s: it is shown from %d to %d, expected %d to %d", name, with.Min.X, with.Max.X, without.Min.X, without.Max.X)
		}
	}
	for name, source := range map[string]string{
		"with its margin":   `<p style="margin-left: 60px; text-indent: -24px">` + number,
		"in a body's space": `<body style="padding-left: 60px"><p style="text-indent: -24px">` + number,
	} {
		if got, want := shown(source), shown(`<p style="margin-left: 36px">`+number); got.Min.X != want.Min.X {
			t.Errorf("%s: it begins at %d, expected %d", name, got.Min.X, want.Min.X)
		}
	}
	for _, style := range []string{"text-indent: -9999px", "text-indent: -401px", "text-indent: -100px; overflow: hidden"} {
		source := `<p style="` + style + `">` + number
		if got := shown(source); !got.Empty() {
			t.Errorf("%s is shown", source)
		}
	}
}

// blueIn returns what holds all that is blue.
func blueIn(picture *image.RGBA) (box image.Rectangle) {
	for y := picture.Rect.Min.Y; y < picture.Rect.Max.Y; y++ {
		for x := picture.Rect.Min.X; x < picture.Rect.Max.X; x++ {
			if picture.RGBAAt(x, y) == blue {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return box
}

// What Word writes in its fonts of symbols is shown as characters of Unicode, in every kind of HTML; a font that the document brings along keeps its text.
func TestFontsOfSymbols(t *testing.T) {
	slot := openSlot(t)
	source := `<p><span style="font-family:Wingdings">ü§Ø&#xf0fc;&nbsp;ÿ</span> <font face="Symbol">aW·&#xf0b7;</font> ` +
		`<span style="font: 12px 'wingdings', serif">l<b>n</b><span style="font-family:Arial">ü</span></span> ü§ Symbol Wingdings`
	const want = "✓▪➢✓ ÿ αΩ•• ●■ü ü§ Symbol Wingdings"
	plain := func(text string) string {
		return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "\u00a0", " ")
	}
	if got := plain(printed(t, slot, Print{HTML: documents.Sanitize(source).HTML()})); got != want {
		t.Errorf("sanitised: got %q, want %q", got, want)
	}
	if got := plain(printed(t, slot, Print{HTML: "<!doctype html>" + source, Full: true})); got != want {
		t.Errorf("full: got %q, want %q", got, want)
	}
	sheet := `<style>@font-face { font-family: Wingdings; panose-1: 5 0 0 0 0 0 0 0 0 0 } p.a { font-family: Wingdings } </style><p class="a">ü</p>`
	testkit.Contains(t, printed(t, slot, Print{HTML: sheet, Full: true}), "✓")
	own := `<style>@font-face { font-family: Wingdings; src: local("DejaVu Sans") } p { font-family: Wingdings }</style><p>ü`
	testkit.Contains(t, printed(t, slot, Print{HTML: own, Full: true}), "ü")
}

// Documents run a script only if they need it.
func TestMenders(t *testing.T) {
	for html, want := range map[string]int{
		`<p style="text-indent: 2em">Symbol Wingdings text-indent: x</p>`:                                 0,
		`<style>p { font-family: Symbols, Symbol }</style><p title="Symbol: Wingdings">x</p>`:             0,
		`<p style="text-indent: -18pt">x</p>`:                                                             1,
		`<p style="TEXT-INDENT:-1em; font-family: Symbol">x</p>`:                                          2,
		`<font face="Wingdings">x</font>`:                                                                 1,
		`<p style="font: 12px &#34;Symbol&#34;">x</p>`:                                                    1,
		`<p style="color: red; font-family: Arial">x</p><p>Wingdings</p><p style="width: 1px">Symbol</p>`: 0,
	} {
		if got := len(menders(html, false)); got != want {
			t.Errorf("%s: %d scripts, want %d", html, got, want)
		}
	}
	if got := menders(`<style>p { text-indent: -1em; font-family: Arial, Symbol }</style>`, true); len(got) != 1 {
		t.Errorf("%d scripts for a full document, expected the one for fonts", len(got))
	}
}

// A font of symbols counts if at most 200 characters lie between its name and the name of the property, on one declaration; quotes in HTML are one each.
func TestNamesFontOfSymbols(t *testing.T) {
	for css, want := range map[string]bool{
		"font:symbol": true, "FONT-FAMILY \n:Wingdings": true, "face = symbol": true, "x font:symbol": true, "font:" + strings.Repeat("x", 199) + " symbol": true,
		"font:" + strings.Repeat("x", 200) + " symbol": false, "font:" + strings.Repeat("&#34;", 200) + "symbol": true, "font:" + strings.Repeat("&#39;", 201) + "symbol": false,
		"font:" + strings.Repeat("ü", 199) + " symbol": true, "font" + strings.Repeat(" ", 300) + ":symbol": true, "font:font:symbol": true, "font:symbols symbol": true,
		"xfont:symbol": false, "font:xsymbol": false, "font:symbol_": false, "font-family2:symbol": false, "-font:symbol": true, "font:a;symbol": false, "font:a}symbol": false,
		"font:&#35;symbol": false, "font:&quot;symbol": false, "typeface=symbol": false, "font=symbol": false, "face:symbol": false, "symbol font:": false, "font:symbo": false,
		"font:\xff symbol": true, ":symbol": false, "symbol": false, "font-:symbol": false, "family:symbol": false,
	} {
		if got := namesSymbolFont(css); got != want {
			t.Errorf("%.60q: %t", css, got)
		}
	}
}

// The time for that grows with the document, not with how often it names a property that has no such font.
func TestManyFonts(t *testing.T) {
	for name, html := range map[string]string{
		"properties": "symbo" + strings.Repeat("font:", 16<<20/5) + "; wingdings-", "names": strings.Repeat("wingdings ", 16<<20/10),
		"names far away": strings.Repeat("symbol:", 16<<20/7), "spaces": "font" + strings.Repeat(" ", 16<<20) + "=" + strings.Repeat(" symbol", 20),
	} {
		before := testkit.ProcessorTime(t)
		if got := menders(html, true); len(got) > 0 {
			t.Errorf("%s: %d scripts", name, len(got))
		}
		if took := testkit.ProcessorTime(t) - before; took > 8*time.Second { // 100 ms; with a bounded repetition, 20 s
			t.Errorf("%s took %v", name, took)
		}
	}
}
