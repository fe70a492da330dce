package document

import (
	"regexp"
	"slices"

	"github.com/microcosm-cc/bluemonday"
)

// templateClass matches the classes of the elements that Chromium fills in.
var templateClass = regexp.MustCompile(`^(pageNumber|totalPages|date|title|url)$`)

// templateAllowList is the policy of header and footer templates (docs/API.md, PDF
// options): text-level elements and safe inline styles, but nothing that loads.
var templateAllowList = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("abbr", "b", "bdi", "bdo", "br", "code", "div", "em", "i", "mark", "p", "q", "s", "small", "span", "strong", "sub", "sup", "u", "wbr")
	p.AllowNoAttrs().OnElements("abbr", "bdo", "span")
	p.SkipElementsContent(activeElements...)
	p.AllowAttrs("class").Matching(templateClass).Globally()
	p.AllowAttrs("lang").Matching(language).Globally()
	p.AllowAttrs("dir").Matching(direction).Globally()
	p.AllowStyles(slices.Concat(styleProperties, pictureProperties)...).MatchingHandler(safeStyleValue).Globally()
	return p
}()

// SanitizeTemplate reduces a caller's header or footer template to safe markup. Printing
// must set its font size and margins, because they are zero in Chromium.
func SanitizeTemplate(source string) string {
	return templateAllowList.Sanitize(repairStyles(source, noPicture))
}
