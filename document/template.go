package document

import (
	"regexp"

	"github.com/microcosm-cc/bluemonday"
)

// templateClass are the classes whose elements Chromium fills in.
var templateClass = regexp.MustCompile(`^(pageNumber|totalPages|date|title|url)$`)

// templateList is the policy of header and footer templates (decisions.md,
// Rendering): text-level elements and safe inline styles, nothing that loads.
var templateList = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("abbr", "b", "bdi", "bdo", "br", "code", "div", "em", "i", "mark", "p", "q", "s", "small", "span", "strong", "sub", "sup", "u", "wbr")
	p.AllowNoAttrs().OnElements("abbr", "bdo", "span")
	p.SkipElementsContent(embedding...)
	p.AllowAttrs("class").Matching(templateClass).Globally()
	p.AllowAttrs("lang").Matching(language).Globally()
	p.AllowAttrs("dir").Matching(direction).Globally()
	p.AllowStyles(styleProperties...).MatchingHandler(safeStyleValue).Globally()
	return p
}()

// Template makes a safe header or footer template of a caller's HTML. Whoever prints
// it gives it a size and margins, as Chromium's own are zero.
func Template(source string) string { return templateList.Sanitize(source) }
