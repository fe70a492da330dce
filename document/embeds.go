package document

import (
	"regexp"
	"strings"
)

var (
	// embedded matches the address of an element's picture in a data URI, embeddedInStyle one in a style, or one that
	// the sanitiser has refused.
	embedded        = regexp.MustCompile(` (?:src|background)="[\t\n\f ]*(?i:data:)`)
	embeddedInStyle = regexp.MustCompile(`url\(&#34;(?:(?i:data:)|&#34;)`)
	// pictured matches a style with pictures.
	pictured = regexp.MustCompile(` style="[^"]*url\(&#34;[^"]*"`)
)

// Embeds reports whether an HTML document that this package made shows pictures from the
// network. In such a document only pictures have a src or a background, and quotes in text are escaped.
func Embeds(html string) bool {
	if strings.Count(html, ` src="`)+strings.Count(html, ` background="`) > len(embedded.FindAllStringIndex(html, -1)) {
		return true
	}
	if !strings.Contains(html, "url(") {
		return false
	}
	for _, style := range pictured.FindAllString(html, -1) {
		if strings.Count(style, "url(&#34;") > len(embeddedInStyle.FindAllStringIndex(style, -1)) {
			return true
		}
	}
	return false
}
