package document

import (
	"html"
	"strings"
)

// securityPolicy is a Content-Security-Policy with what the allow-list permits, so that
// each closes gaps in the other.
const securityPolicy = "default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

// htmlDocument is a complete HTML document. Its style sheet and the content of its body must be safe. The root has no
// direction, because the browser cuts a root off that is written from right to left if it prints it at a scale.
type htmlDocument struct {
	lang, title string
	style       string // style sheet
	// bodyLang, bodyDir and bodyStyle are attributes of the body element, body is its content.
	bodyLang, bodyDir, bodyStyle, body string
}

func (d htmlDocument) html() string {
	var b strings.Builder
	b.Grow(len(d.body) + len(d.style) + 512)
	b.WriteString("<!doctype html>\n<html")
	attribute(&b, "lang", d.lang)
	b.WriteString("><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"" + securityPolicy + "\"><title>")
	b.WriteString(html.EscapeString(d.title))
	b.WriteString("</title>")
	if d.style != "" {
		b.WriteString("<style>" + d.style + "</style>")
	}
	b.WriteString("</head><body")
	attribute(&b, "lang", d.bodyLang)
	attribute(&b, "dir", d.bodyDir)
	attribute(&b, "style", d.bodyStyle)
	b.WriteString(">")
	b.WriteString(d.body)
	b.WriteString("</body></html>\n")
	return b.String()
}

func attribute(b *strings.Builder, name, value string) {
	if value != "" {
		b.WriteString(" " + name + "=\"" + html.EscapeString(value) + "\"")
	}
}
