package document

import (
	"bytes"
	"fmt"
	"html"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Watermark is a text over every page.
type Watermark struct {
	Text string
	// Color is a CSS colour, whose alpha is honoured, FontSize a CSS length. Both were
	// checked: they go into a style as they are.
	Color, FontSize string
	// Rotation is in degrees, clockwise as in CSS.
	Rotation int
}

// HTML is a document with the text in the middle of an otherwise empty page. Printed
// without margins on the paper of another document, it is what Stamp lays over that:
// the browser knows how to write every script.
func (w Watermark) HTML() string {
	style := `position: fixed; inset: 0; display: flex; align-items: center; justify-content: center`
	text := fmt.Sprintf(`transform: rotate(%sdeg); color: %s; font-size: %s; line-height: 1.2; text-align: center; white-space: pre-wrap; overflow-wrap: anywhere; font-family: sans-serif; font-weight: bold`,
		strconv.Itoa(w.Rotation), html.EscapeString(w.Color), html.EscapeString(w.FontSize))
	return page{body: `<div style="` + style + `"><div style="` + text + `">` + html.EscapeString(w.Text) + `</div></div>`}.html()
}

// Stamp lays the first page of overlay over every page of a PDF, above its content.
func Stamp(pdf, overlay []byte) ([]byte, error) {
	mark, err := api.PDFWatermarkForReadSeeker(bytes.NewReader(overlay), 1, "scalefactor:1 abs, rotation:0, position:c", true, false, types.POINTS)
	if err != nil {
		return nil, fmt.Errorf("read watermark: %w", err)
	}
	var out bytes.Buffer
	if err := api.AddWatermarks(bytes.NewReader(pdf), &out, nil, mark, relaxed()); err != nil {
		return nil, fmt.Errorf("stamp: %w", err)
	}
	return out.Bytes(), nil
}
