package document

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
)

// Sanitized is a caller's HTML after everything outside the allow-list is gone.
type Sanitized struct {
	// Lang, Dir and Title are those of the caller's document, empty where it had none.
	Lang, Dir, Title string
	// BodyStyle is the safe part of the body element's inline style.
	BodyStyle string
	// Body is the content, safe to stand inside a body element.
	Body string
}

// Sanitize keeps the usual markup of documents: text, headings, lists, tables,
// images from http, https and data:image URIs, links to http, https and mailto,
// and inline styles made of safe properties and values. Elements that run, load
// or embed (script, style, iframe, object, svg, template and their like) go with
// their content; other unknown elements go and leave their content. It takes
// time linear in the source.
func Sanitize(source string) Sanitized {
	s := preamble(source)
	s.Body = allowList.Sanitize(source)
	return s
}

// HTML returns a whole document, in UTF-8 and said to be.
func (s Sanitized) HTML() string {
	return page{lang: s.Lang, dir: s.Dir, title: s.Title, bodyStyle: s.BodyStyle, body: s.Body}.html()
}

// Empty tells that there is nothing to print: no visible character, no image and
// no rule. Boxes that only have a background or a border count as nothing.
func (s Sanitized) Empty() bool {
	tokens := html.NewTokenizer(strings.NewReader(s.Body))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return true
		case html.TextToken:
			if strings.ContainsFunc(string(tokens.Text()), visible) {
				return false
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			if name, _ := tokens.TagName(); string(name) == "img" || string(name) == "hr" {
				return false
			}
		}
	}
}

func visible(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) && !unicode.IsControl(r)
}

var (
	language  = regexp.MustCompile(`^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8}){0,6}$`)
	direction = regexp.MustCompile(`^(?i)(ltr|rtl|auto)$`)
	anchor    = regexp.MustCompile(`^[\p{L}\p{N}_.:-]{1,128}$`)
	count     = regexp.MustCompile(`^[0-9]{1,4}$`)
	signed    = regexp.MustCompile(`^-?[0-9]{1,9}$`)
	extent    = regexp.MustCompile(`^[0-9]{1,5}(\.[0-9]{1,4})?(%|px)?$`)
	alignment = regexp.MustCompile(`^(?i)(left|right|center|justify|char|top|middle|bottom|baseline)$`)
	listType  = regexp.MustCompile(`^(1|a|A|i|I|disc|circle|square)$`)
	scope     = regexp.MustCompile(`^(?i)(row|col|rowgroup|colgroup)$`)
	color     = regexp.MustCompile(`^(#[0-9A-Fa-f]{3,8}|[A-Za-z]{1,32})$`)
	moment    = regexp.MustCompile(`^[0-9TZWP:.,+\- ]{1,64}$`)
)

// allowList is the whole policy; it may be used from any goroutine.
var allowList = newAllowList()

func newAllowList() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(
		"a", "abbr", "address", "article", "aside", "b", "bdi", "bdo", "blockquote", "br", "caption", "center",
		"cite", "code", "col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "figcaption",
		"figure", "font", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "i", "img", "ins",
		"kbd", "li", "main", "mark", "nav", "ol", "p", "pre", "q", "rp", "rt", "ruby", "s", "samp", "section",
		"small", "span", "strike", "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead",
		"time", "tr", "tt", "u", "ul", "var", "wbr",
	)
	// Elements that allow nothing else in them still mean something by themselves.
	p.AllowNoAttrs().OnElements("a", "abbr", "bdo", "col", "colgroup", "dfn", "font", "img", "span", "time")
	p.SkipElementsContent(embedding...)
	allowAttributes(p)
	allowAddresses(p)
	p.AllowStyles(styleProperties...).MatchingHandler(safeStyleValue).Globally()
	return p
}

// embedding are the elements that run, load or embed: they go with their content.
var embedding = []string{
	"applet", "audio", "canvas", "datalist", "frame", "frameset", "iframe", "map", "math", "noembed", "noframes",
	"noscript", "object", "script", "select", "style", "svg", "template", "textarea", "title", "video", "xml",
}

func allowAttributes(p *bluemonday.Policy) {
	p.AllowAttrs("lang").Matching(language).Globally()
	p.AllowAttrs("dir").Matching(direction).Globally()
	p.AllowAttrs("id").Matching(anchor).Globally()
	p.AllowAttrs("title").Globally()
	p.AllowAttrs("alt").OnElements("img")
	p.AllowAttrs("width", "height").Matching(extent).OnElements("img", "table", "td", "th", "col", "colgroup", "hr")
	p.AllowAttrs("align").Matching(alignment).OnElements(
		"p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "img", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "col", "colgroup", "hr", "caption")
	p.AllowAttrs("valign").Matching(alignment).OnElements("thead", "tbody", "tfoot", "tr", "td", "th", "col", "colgroup")
	p.AllowAttrs("bgcolor").Matching(color).OnElements("table", "tr", "td", "th")
	p.AllowAttrs("color").Matching(color).OnElements("font")
	p.AllowAttrs("colspan", "rowspan").Matching(count).OnElements("td", "th")
	p.AllowAttrs("scope").Matching(scope).OnElements("th")
	p.AllowAttrs("span").Matching(count).OnElements("col", "colgroup")
	p.AllowAttrs("border", "cellpadding", "cellspacing").Matching(count).OnElements("table")
	p.AllowAttrs("start").Matching(signed).OnElements("ol")
	p.AllowAttrs("value").Matching(signed).OnElements("li")
	p.AllowAttrs("type").Matching(listType).OnElements("ol", "ul", "li")
	p.AllowAttrs("reversed").OnElements("ol")
	p.AllowAttrs("open").OnElements("details")
	p.AllowAttrs("datetime").Matching(moment).OnElements("time", "ins", "del")
}

// allowAddresses admits what may be linked and embedded. A relative address
// leads nowhere but to an anchor, as the document itself has no address.
func allowAddresses(p *bluemonday.Policy) {
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("src").OnElements("img")
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(true)
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowDataURIImages()
}

// preamble reads what the caller's html, title and body elements say.
func preamble(source string) Sanitized {
	var s Sanitized
	tokens := html.NewTokenizer(strings.NewReader(source))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return s
		case html.StartTagToken:
			switch token := tokens.Token(); token.Data {
			case "html":
				s.Lang = matching(language, attributeOf(token, "lang"))
				s.Dir = matching(direction, attributeOf(token, "dir"))
			case "title":
				s.Title = titleText(tokens)
			case "body":
				s.BodyStyle = safeStyle(attributeOf(token, "style"))
				return s
			case "div", "p", "table", "h1", "span":
				return s // the content began without a body element
			}
		}
	}
}

func titleText(tokens *html.Tokenizer) string {
	if tokens.Next() != html.TextToken {
		return ""
	}
	return strings.Join(strings.Fields(string(tokens.Text())), " ")
}

func attributeOf(token html.Token, name string) string {
	for _, a := range token.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func matching(pattern *regexp.Regexp, value string) string {
	if pattern.MatchString(value) {
		return value
	}
	return ""
}

// safeStyle keeps the safe part of an inline style by way of the policy itself.
func safeStyle(style string) string {
	if style == "" {
		return ""
	}
	const tag = "div"
	clean := allowList.Sanitize("<" + tag + " style=\"" + html.EscapeString(style) + "\"></" + tag + ">")
	tokens := html.NewTokenizer(strings.NewReader(clean))
	if tokens.Next() != html.StartTagToken {
		return ""
	}
	return attributeOf(tokens.Token(), "style")
}
