package document

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
)

// Watermark is a text or a picture that is laid over pages of a PDF, or under what they show.
type Watermark struct {
	Text string
	// Picture is in place of Text: a data URI as contract.ParsePicture returns it. It has its own size, at most that of the page.
	Picture string
	// Color is a CSS colour, which may have an alpha value; FontSize is a CSS length. The
	// caller must have validated both, as they become part of a style.
	Color, FontSize string
	// Rotation is in degrees, clockwise as in CSS.
	Rotation int
	// Position is an edge or a corner of the page, such as top or bottom-right; empty means its middle.
	Position string
	// Opacity is from 0 to 1; nil means 1.
	Opacity *float64
	// Behind lays it under the pages' content.
	Behind bool
	// On reports whether a page of the file, from 1, has it; nil means all.
	On func(page int) bool
}

// Layers are the layers over and under the pages of a PDF.
type Layers struct {
	// HTML is a document with a page for each of them. Printed on the paper that its page rules ask for, it becomes Finishing.Overlay.
	// The browser prints it because it can lay out every script.
	HTML string
	// Over and Under have for each page of the PDF the page of that document, from 1; 0 means none.
	Over, Under []int
}

// None reports whether no page has a watermark.
func (l Layers) None() bool {
	has := func(layer int) bool { return layer > 0 }
	return !slices.ContainsFunc(l.Over, has) && !slices.ContainsFunc(l.Under, has)
}

// LayOut makes the layers of a PDF whose pages have these sizes; ofPage gives, for each page, the index of its size, from 1. Watermarks
// on the same page share its layer, stacked in their order.
func LayOut(marks []Watermark, sizes []PageSize, ofPage []int) Layers {
	l := layout{marks: marks, sizes: sizes, places: map[string]int{}}
	over, under := make([]int, len(ofPage)), make([]int, len(ofPage))
	for i, size := range ofPage {
		over[i], under[i] = l.layer(i+1, size, false), l.layer(i+1, size, true)
	}
	return Layers{l.html(), over, under}
}

// layout makes each combination of watermarks once per size of page.
type layout struct {
	marks  []Watermark
	sizes  []PageSize
	body   strings.Builder
	places map[string]int // by size and watermarks
}

// layer returns the place of the layer with the watermarks of a page, 0 if it has none.
func (l *layout) layer(page, size int, behind bool) int {
	var shown strings.Builder
	key := strconv.Itoa(size)
	for i, m := range l.marks {
		if m.Behind == behind && (m.On == nil || m.On(page)) {
			key += " " + strconv.Itoa(i)
			shown.WriteString(m.box(i))
		}
	}
	if shown.Len() == 0 {
		return 0
	}
	if l.places[key] == 0 {
		const slack = 0.5 // points, so that no page overflows
		l.places[key] = len(l.places) + 1
		fmt.Fprintf(&l.body, `<div style="page: s%d; break-before: page; height: %.2fpt; position: relative; overflow: hidden">%s</div>`, size, l.sizes[size-1].Height-slack, shown.String())
	}
	return l.places[key]
}

func (l *layout) html() string {
	var style strings.Builder
	for i, size := range l.sizes {
		fmt.Fprintf(&style, "@page s%d { size: %.2fpt %.2fpt; margin: 0 } ", i+1, size.Width, size.Height)
	}
	for i, m := range l.marks {
		if m.Picture != "" { // once, however many pages show it
			fmt.Fprintf(&style, ".p%d { content: url(%s) } ", i, m.Picture)
		}
	}
	return htmlDocument{style: style.String(), bodyStyle: "margin: 0", body: l.body.String()}.html()
}

// box returns the watermark at its place in a box of the size of the page.
func (m Watermark) box(place int) string {
	align, justify, text := "center", "center", "center"
	for _, side := range strings.Split(m.Position, "-") {
		switch side {
		case "top":
			align = "start"
		case "bottom":
			align = "end"
		case "left", "right":
			justify, text = sides[side], side
		}
	}
	box := `position: absolute; inset: 0; box-sizing: border-box; display: flex; align-items: ` + align + `; justify-content: ` + justify
	if align != "center" || justify != "center" {
		box += `; padding: 10mm`
	}
	if m.Opacity != nil {
		box += `; opacity: ` + strconv.FormatFloat(*m.Opacity, 'f', -1, 64)
	}
	return `<div style="` + box + `">` + m.content(place, text) + `</div>`
}

// sides are the ends of a row of text from left to right.
var sides = map[string]string{"left": "start", "right": "end"}

func (m Watermark) content(place int, align string) string {
	turned := fmt.Sprintf(`transform: rotate(%ddeg)`, m.Rotation)
	if m.Picture != "" {
		return fmt.Sprintf(`<div class="p%d" style="%s; max-width: 100%%; max-height: 100%%; object-fit: contain"></div>`, place, turned)
	}
	text := fmt.Sprintf(`%s; color: %s; font-size: %s; line-height: 1.2; text-align: %s; `+
		`white-space: pre-wrap; overflow-wrap: anywhere; font-family: sans-serif; font-weight: bold`,
		turned, html.EscapeString(m.Color), html.EscapeString(m.FontSize), align)
	return `<div style="` + text + `">` + html.EscapeString(m.Text) + `</div>`
}
