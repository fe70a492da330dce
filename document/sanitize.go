package document

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
)

// Sanitized is a caller's HTML reduced to the allow-list.
type Sanitized struct {
	// Lang, Dir and Title are those of the caller's document; each is empty if it has none.
	Lang, Dir, Title string
	// BodyLang and BodyDir are those of the body element; BodyStyle is the safe part of its inline style.
	BodyLang, BodyDir, BodyStyle string
	// Body is safe as the content of a body element.
	Body string
}

// Sanitize keeps the usual markup of documents: text, headings, lists, tables, formulas, fields of forms with their values, images and backgrounds from http
// and https URLs and in data URIs of any image type, links to http, https and mailto URLs, and inline styles
// of safe properties and values. Elements that run, load or embed something (script, style,
// iframe, object, svg, template and the like) are removed with their content; of other
// elements that are not allowed, the content is kept. Sanitize is for sources of known cost.
func Sanitize(source string) Sanitized {
	source = repairStyles(strings.TrimPrefix(source, byteOrderMark), keptPicture)
	s := documentProperties(source)
	s.Body = allowList.Sanitize(source)
	return s
}

// repairStyles applies repairStyle to the styles of a document.
func repairStyles(source string, show func(address string) string) string {
	var out strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(source))
	for {
		kind := tokens.Next()
		raw := string(tokens.Raw())
		if kind == html.StartTagToken || kind == html.SelfClosingTagToken {
			token, repaired := tokens.Token(), false
			for i, a := range token.Attr {
				if a.Key == "style" {
					token.Attr[i].Val = repairStyle(a.Val, show)
					repaired = repaired || token.Attr[i].Val != a.Val
				}
			}
			if repaired {
				raw = token.String()
			}
		}
		out.WriteString(raw)
		if kind == html.ErrorToken {
			return out.String()
		}
	}
}

// SanitizeWithin returns what Sanitize does, in time linear in the length of the source, and nothing of a source
// that is bound to be empty. If the body with its style, or the title, would have more bytes than limit, it returns ErrTooLarge, as a rule
// before it has read much more than that; also if the source has more tags than fit in limit bytes, or has
// styles or tags that nobody writes and that take long to read.
func SanitizeWithin(source string, limit int) (Sanitized, error) {
	source = strings.TrimPrefix(source, byteOrderMark)
	trimmed, err := trim(source, limit, allowedElements)
	if err != nil || trimmed == "" {
		return Sanitized{}, err
	}
	s := documentProperties(trimmed)
	body := bounded{limit: limit - len(s.BodyStyle)}
	if err := allowList.SanitizeReaderToWriter(strings.NewReader(trimmed), &body); err != nil {
		return Sanitized{}, ErrTooLarge
	}
	s.Body = body.String()
	return s, nil
}

// byteOrderMark may precede a text: it would hide the first heading of Markdown, and make a line of its own in HTML.
const byteOrderMark = "\ufeff"

// bounded takes a text of up to limit bytes and refuses more.
type bounded struct {
	strings.Builder
	limit int
}

func (b *bounded) Write(text []byte) (int, error) { return b.WriteString(string(text)) }

func (b *bounded) WriteString(text string) (int, error) {
	if b.Len()+len(text) > b.limit {
		return 0, ErrTooLarge
	}
	return b.Builder.WriteString(text)
}

// HTML returns a complete document, which declares its encoding, UTF-8. The direction of the document is its body's.
func (s Sanitized) HTML() string {
	return htmlDocument{
		lang: s.Lang, title: s.Title, bodyLang: s.BodyLang, bodyDir: cmp.Or(s.BodyDir, s.Dir), bodyStyle: s.BodyStyle, body: s.Body,
	}.html()
}

// shownElements are those that can be seen without text.
var shownElements = setOf([]string{"hr", "img", "input", "meter", "progress", "select", "textarea"})

// Empty reports whether there is nothing to print: no visible character, no image, no field and no
// horizontal rule. Boxes that have only a background or a border do not count.
func (s Sanitized) Empty() bool {
	tokens := html.NewTokenizer(strings.NewReader(s.Body))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return true
		case html.TextToken:
			if strings.ContainsFunc(string(tokens.Text()), isVisible) {
				return false
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			if token := tokens.Token(); shownElements[token.Data] && !strings.EqualFold(attributeOf(token, "type"), "hidden") {
				return false
			}
		}
	}
}

func isVisible(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r != '\x7f'
	}
	return !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) && !unicode.IsControl(r)
}

var (
	language  = regexp.MustCompile(`^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8}){0,6}$`)
	direction = regexp.MustCompile(`^(?i)(ltr|rtl|auto)$`)
	elementID = regexp.MustCompile(`^[\p{L}\p{M}\p{N}\p{Pc}.:-]{1,128}$`)
	// elementIDs matches the value of a cell's headers.
	elementIDs = regexp.MustCompile(`^[\p{L}\p{M}\p{N}\p{Pc}.: -]{1,512}$`)
	truth      = regexp.MustCompile(`^(true|false)$`)

	count     = regexp.MustCompile(`^[0-9]{1,4}$`)
	number    = regexp.MustCompile(`^[+-]?[0-9]{0,12}(\.[0-9]{1,12})?$`)
	integer   = regexp.MustCompile(`^-?[0-9]{1,9}$`)
	dimension = regexp.MustCompile(`^[0-9]{1,5}(\.[0-9]{1,4})?(%|px)?;?$`)
	pixels    = regexp.MustCompile(`^([0-9]{1,4}(px)?)?$`)
	fontSize  = regexp.MustCompile(`^[+-]?[0-9]{1,2}$`)
	fontFace  = regexp.MustCompile(`^[\p{L}\p{N} ,.'"_-]{1,200}$`)
	lines     = regexp.MustCompile(`^(?i)(none|groups|rows|cols|all|void|above|below|hsides|vsides|lhs|rhs|box|border)$`)
	clearing  = regexp.MustCompile(`^(?i)(left|right|all|both|none)$`)
	alignment = regexp.MustCompile(`^(?i)(left|right|center|justify|char|top|middle|bottom|baseline)$`)
	listType  = regexp.MustCompile(`^(1|a|A|i|I|disc|circle|square)$`)
	scope     = regexp.MustCompile(`^(?i)(row|col|rowgroup|colgroup)$`)
	color     = regexp.MustCompile(`^(#?[0-9A-Fa-f]{3,8}|[A-Za-z]{1,32})$`)
	// inputType matches the types of fields and of buttons, but not those that load or open something.
	inputType = regexp.MustCompile(`^(?i)(text|checkbox|radio|hidden|email|number|tel|url|search|password|range|color|date|time|month|week|datetime-local|submit|reset|button)$`)
	datetime  = regexp.MustCompile(`^[0-9TZWP:.,+\- ]{1,64}$`)
)

// elements are the elements that are kept.
var elements = append([]string{
	"a", "abbr", "acronym", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote", "br", "caption", "center",
	"cite", "code", "col", "colgroup", "dd", "del", "details", "dfn", "dialog", "dir", "div", "dl", "dt", "em", "fieldset", "figcaption",
	"figure", "font", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "i", "img", "input", "ins",
	"kbd", "label", "legend", "li", "main", "mark", "menu", "meter", "nav", "nobr", "ol", "optgroup", "option", "p", "pre", "progress", "q",
	"rp", "rt", "ruby", "s", "samp", "section", "select",
	"small", "span", "strike", "strong", "sub", "summary", "sup", "table", "tbody", "td", "textarea", "tfoot", "th", "thead",
	"time", "tr", "tt", "u", "ul", "var", "wbr",
}, mathElements...)

// allowedElements and skippedElements are elements and activeElements as sets.
var allowedElements, skippedElements = setOf(elements), setOf(activeElements)

// allowList is the policy of documents. It is safe for concurrent use.
var allowList = newAllowList()

func newAllowList() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(elements...)
	// Without this, bluemonday removes these elements if they have no attributes.
	p.AllowNoAttrs().OnElements(mathElements...)
	p.AllowNoAttrs().OnElements("a", "abbr", "acronym", "bdo", "big", "col", "colgroup", "dfn", "dialog", "dir", "font", "form", "img", "input", "label",
		"legend", "main", "menu", "meter", "nobr", "optgroup", "option", "progress", "select", "span", "textarea", "time")
	p.AllowElementsContent("frame") // it has none
	p.SkipElementsContent(activeElements...)
	for _, rule := range attributeRules {
		rule.allow(p)
	}
	p.AllowStyles(styleProperties...).MatchingHandler(safeStyleValue).Globally()
	p.AllowStyles(pictureProperties...).MatchingHandler(safePictureValue).Globally()
	return p
}

// activeElements are removed with their content: elements that run, load or embed
// something, and elements whose content is not meant to be shown.
var activeElements = []string{
	"annotation", "annotation-xml", "applet", "audio", "canvas", "datalist", "frameset", "iframe", "noembed", "noframes",
	"noscript", "object", "script", "style", "svg", "template", "title", "video", "xml",
}

// attributeRule allows attributes with values that match a pattern, nil for any, on elements, "" for all.
type attributeRule struct {
	names    string
	values   *regexp.Regexp
	elements string
}

var attributeRules = append([]attributeRule{
	{"lang", language, ""},
	{"dir", direction, ""},
	{"id", elementID, ""},
	{"title", nil, ""},
	{"alt", nil, "img"},
	{"width height", dimension, "img table tr td th col colgroup hr"},
	{"align", alignment, "p div h1 h2 h3 h4 h5 h6 img table thead tbody tfoot tr td th col colgroup hr caption"},
	{"valign", alignment, "thead tbody tfoot tr td th col colgroup"},
	{"bgcolor", color, "table thead tbody tfoot tr td th"},
	{"background", pictureURL, "table thead tbody tfoot tr td th col colgroup"},
	{"bordercolor", color, "table tr td th"},
	{"color", color, "font hr"},
	{"size", fontSize, "font"},
	{"face", fontFace, "font"},
	{"size", pixels, "hr"},
	{"noshade", nil, "hr"},
	{"nowrap", nil, "td th"},
	{"rules frame", lines, "table"},
	{"clear", clearing, "br"},
	{"hspace vspace border", pixels, "img"},
	{"colspan rowspan", count, "td th"},
	{"scope", scope, "th"},
	{"headers", elementIDs, "td th"},
	{"aria-label", nil, ""},
	{"aria-hidden", truth, ""},
	{"span", count, "col colgroup"},
	{"border cellpadding cellspacing", pixels, "table"},
	{"start", integer, "ol"},
	{"value", integer, "li"},
	{"type", listType, "ol ul li"},
	{"reversed", nil, "ol"},
	{"open", nil, "details dialog"},
	{"hidden", nil, ""},
	{"datetime", datetime, "time ins del"},
	{"href", linkURL, "a"},
	{"src", pictureURL, "img"},
	{"type", inputType, "input"},
	{"value", nil, "input"},
	{"placeholder", nil, "input"},
	{"checked disabled", nil, "input"},
	{"size", count, "input select"},
	{"rows cols", count, "textarea"},
	{"selected", nil, "option"},
	{"multiple", nil, "select"},
	{"label", nil, "optgroup option"},
	{"value min max low high optimum", number, "meter progress"},
}, mathRules...)

func (r attributeRule) allow(p *bluemonday.Policy) {
	builder := p.AllowAttrs(strings.Fields(r.names)...)
	if r.values != nil {
		builder = builder.Matching(r.values)
	}
	if r.elements == "" {
		builder.Globally()
		return
	}
	builder.OnElements(strings.Fields(r.elements)...)
}

// allowedAttribute is one that an element may keep, with the pattern of its values, nil for any.
type allowedAttribute struct {
	name   string
	values *regexp.Regexp
}

// is reports whether it is an attribute of a name, in letters of any case. Letters that fold to ASCII have more bytes.
func (a allowedAttribute) is(name string) bool {
	return len(a.name) == len(name) && strings.EqualFold(a.name, name)
}

// allowedAttributes are the allowed attributes of each element.
var allowedAttributes = attributesByElement()

func attributesByElement() map[string][]allowedAttribute {
	// documentProperties reads those of html and body.
	all := map[string][]allowedAttribute{
		"html": {{"lang", language}, {"dir", direction}},
		"body": {{"lang", language}, {"dir", direction}, {"bgcolor", color}, {"text", color}, {"background", pictureURL}, {"style", nil}},
	}
	for _, element := range elements {
		all[element] = []allowedAttribute{{"style", nil}}
	}
	for _, r := range attributeRules {
		on := strings.Fields(r.elements)
		if r.elements == "" {
			on = elements
		}
		for _, element := range on {
			for _, name := range strings.Fields(r.names) {
				all[element] = append(all[element], allowedAttribute{name, r.values})
			}
		}
	}
	return all
}

// documentProperties reads the language, direction and title of a document, and those properties of its body element.
func documentProperties(source string) Sanitized {
	var s Sanitized
	tokens := html.NewTokenizer(strings.NewReader(source))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return s
		case html.StartTagToken:
			token := tokens.Token()
			switch token.Data {
			case "html":
				s.Lang, s.Dir = languageAndDirection(token)
			case "title":
				s.Title = titleText(tokens)
			case "body":
				s.BodyLang, s.BodyDir = languageAndDirection(token)
				s.BodyStyle = safeStyle(oldBodyStyle(token) + attributeOf(token, "style"))
			}
			if propertiesEnd[token.Data] {
				return s
			}
		}
	}
}

// oldBodyStyle returns the attributes of a body element that HTML had before styles as a style.
func oldBodyStyle(token html.Token) (style string) {
	for _, old := range []struct{ attribute, property string }{{"bgcolor", "background-color"}, {"text", "color"}} {
		value := matching(color, attributeOf(token, old.attribute))
		if hex := strings.TrimLeft(value, "0123456789abcdefABCDEF"); hex == "" && (len(value) == 3 || len(value) == 6) {
			value = "#" + value
		}
		if value != "" {
			style += old.property + ": " + value + "; "
		}
	}
	if address := matching(pictureURL, attributeOf(token, "background")); address != "" {
		style += "background-image: " + keptPicture(address) + "; "
	}
	return style
}

func languageAndDirection(token html.Token) (lang, dir string) {
	return matching(language, attributeOf(token, "lang")), matching(direction, attributeOf(token, "dir"))
}

// propertiesEnd are the elements that end the document's properties: the body, and content without a body element.
var propertiesEnd = map[string]bool{"body": true, "div": true, "p": true, "table": true, "h1": true, "span": true}

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

// safeStyle returns the safe part of an inline style. It applies the policy to an element
// with that style.
func safeStyle(style string) string {
	if style = repairStyle(style, keptPicture); style == "" {
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
