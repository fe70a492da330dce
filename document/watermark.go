package document

import (
	"fmt"
	"html"
	"strconv"
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
	style := `position: fixed; inset: 0; display: flex; align-items: center; justify-content: center`
	text := fmt.Sprintf(`transform: rotate(%sdeg); color: %s; font-size: %s; line-height: 1.2; text-align: center; `+
		`white-space: pre-wrap; overflow-wrap: anywhere; font-family: sans-serif; font-weight: bold`,
		strconv.Itoa(w.Rotation), html.EscapeString(w.Color), html.EscapeString(w.FontSize))
	return htmlDocument{body: `<div style="` + style + `"><div style="` + text + `">` + html.EscapeString(w.Text) + `</div></div>`}.html()
}
