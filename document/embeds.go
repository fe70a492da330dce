package document

import (
	"regexp"
	"strings"
)

// embedded matches the src of a picture in a data URI.
var embedded = regexp.MustCompile(` src="[\t\n\f ]*(?i:data:)`)

// Embeds reports whether an HTML document that this package made shows pictures from the
// network. In such a document only images have a src, and quotes in text are escaped.
func Embeds(html string) bool {
	return strings.Count(html, ` src="`) > len(embedded.FindAllStringIndex(html, -1))
}
