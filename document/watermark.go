package document

import (
	"fmt"
	"html"
	"strconv"
	"strings"
)

// Watermark is a text that is laid over every page of a PDF.
type Watermark struct {
	Text string
	// Color is a CSS colour, which may have an alpha value; FontSize is a CSS length. The
	// caller must have validated both, as they become part of a style.
	Color, FontSize string
	// Rotation is in degrees, clockwise as in CSS.
	Rotation int
}

// HTML returns a document with the text in the middle of an otherwise empty page. Printed
// without margins, on paper of the same size, it becomes Finishing.Overlay. The browser
// prints it because it can lay out every script.
func (w Watermark) HTML() string {
	return htmlDocument{body: w.within(`position: fixed; inset: 0`)}.html()
}

// HTMLFor returns a document of empty pages of these sizes with the text in the middle of each. Printed on the paper that its page
// rules ask for, it becomes Finishing.Overlay.
func (w Watermark) HTMLFor(sizes []PageSize) string {
	const slack = 0.5 // points, so that no page overflows
	var rules, body strings.Builder
	for i, size := range sizes {
		fmt.Fprintf(&rules, "@page s%d { size: %.2fpt %.2fpt; margin: 0 } ", i, size.Width, size.Height)
		body.WriteString(w.within(fmt.Sprintf(`page: s%d; height: %.2fpt; overflow: hidden`, i, size.Height-slack)))
	}
	return htmlDocument{style: rules.String(), bodyStyle: "margin: 0", body: body.String()}.html()
}

// within is the text in the middle of a box.
func (w Watermark) within(box string) string {
	style := box + `; display: flex; align-items: center; justify-content: center`
	text := fmt.Sprintf(`transform: rotate(%sdeg); color: %s; font-size: %s; line-height: 1.2; text-align: center; `+
		`white-space: pre-wrap; overflow-wrap: anywhere; font-family: sans-serif; font-weight: bold`,
		strconv.Itoa(w.Rotation), html.EscapeString(w.Color), html.EscapeString(w.FontSize))
	return `<div style="` + style + `"><div style="` + text + `">` + html.EscapeString(w.Text) + `</div></div>`
}
