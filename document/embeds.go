package document

import "strings"

// Embeds reports whether an HTML document that this package made shows pictures from the
// network. In such a document only images have a src, and quotes in text are escaped.
func Embeds(html string) bool {
	return strings.Count(html, ` src="`) > strings.Count(html, ` src="data:`)
}
