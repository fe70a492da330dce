package document

import (
	"html"
	"strings"
)

// securityPolicy repeats in the browser's own terms what the allow-list grants,
// so that a gap in one is closed by the other.
const securityPolicy = "default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

// page is a whole HTML document around a body that is safe already.
type page struct {
	lang, dir, title string
	bodyStyle        string // inline CSS, safe already
	style            string // a style sheet of ours
	body             string
}

// html writes the document.
func (p page) html() string {
	var b strings.Builder
	b.Grow(len(p.body) + len(p.style) + 512)
	b.WriteString("<!doctype html>\n<html")
	attribute(&b, "lang", p.lang)
	attribute(&b, "dir", p.dir)
	b.WriteString("><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"" + securityPolicy + "\"><title>")
	b.WriteString(html.EscapeString(p.title))
	b.WriteString("</title>")
	if p.style != "" {
		b.WriteString("<style>" + p.style + "</style>")
	}
	b.WriteString("</head><body")
	attribute(&b, "style", p.bodyStyle)
	b.WriteString(">")
	b.WriteString(p.body)
	b.WriteString("</body></html>\n")
	return b.String()
}

func attribute(b *strings.Builder, name, value string) {
	if value != "" {
		b.WriteString(" " + name + "=\"" + html.EscapeString(value) + "\"")
	}
}
