package document

import (
	"errors"
	"strings"

	"golang.org/x/net/html"
)

// ErrTooLarge refuses HTML that would be larger than allowed once sanitised, or that would
// cost out of all proportion to what it shows.
var ErrTooLarge = errors.New("the HTML is too large")

const (
	// shortestTag is the least number of bytes that a tag or declaration takes in the sanitised document.
	shortestTag = 3
	// shortestPicture is the number of bytes of a picture in a style besides its address.
	shortestPicture = len(`url("")`)
	// maxOddStyles bounds the styles, in bytes, that only the sanitiser can read.
	maxOddStyles = 64 << 10
	// maxRemoved bounds the attributes of a document that are removed because of their values.
	maxRemoved = 250_000
)

// boundary is left by the trimmer where it takes something out, so that the text before and
// after it does not become one token.
const boundary = "<!---->"

// trimmer cheaply drops what the sanitiser would remove: comments, unknown elements and attributes, most of what is
// removed with its content, and most unsafe styles. On its way it finds documents that are bound to be too large, or
// empty. The sanitiser makes the same of the result as of the source.
type trimmer struct {
	limit    int
	allowed  map[string]bool // the elements that the sanitiser keeps
	lexer    lexer
	resolver resolver
	out      strings.Builder
	// least is a lower bound of the sanitised body's bytes, title one of the title's; odd is the number of bytes in styles
	// that only the sanitiser can read.
	least, title, odd int
	// pictures is the number of bytes that the pictures of styles take if they are kept.
	pictures int
	// tags counts tags, comments and declarations; references those in
	// styles and other attributes that have to be resolved.
	tags, references int
	// removed counts the attributes whose values are not allowed.
	removed int
	// visible is set if anything will be shown.
	visible bool
	// begun is set once the document's properties have ended.
	begun bool
	// parted is set if a boundary was written last.
	parted bool
	// raw is the element whose raw text the current token is; "" for none.
	raw string
	// skipping and depth follow the sanitiser through elements that it removes with their content.
	skipping bool
	depth    int
}

// trim returns a document without the elements that are not allowed, "" if nothing of it can be seen.
// It returns ErrTooLarge if the sanitised body or the title would have more bytes than limit.
func trim(text string, limit int, allowed map[string]bool) (string, error) {
	t := newTrimmer(text, limit, allowed)
	trimmed, err := t.run()
	if !t.visible {
		return "", err
	}
	return trimmed, err
}

func newTrimmer(text string, limit int, allowed map[string]bool) *trimmer {
	return &trimmer{limit: limit, allowed: allowed, lexer: lexer{text: text}}
}

func (t *trimmer) run() (string, error) {
	for {
		kind := t.lexer.next()
		if kind == html.ErrorToken {
			t.out.WriteString(t.lexer.token)
			if t.visible && t.title > t.limit {
				return "", ErrTooLarge
			}
			return t.out.String(), t.tooLarge()
		}
		t.take(kind)
		if err := t.tooLarge(); err != nil {
			return "", err
		}
	}
}

func (t *trimmer) tooLarge() error {
	if t.lexer.refused || t.least > t.limit || max(t.tags*shortestTag, t.references, t.pictures) > t.limit+t.limit/4 || t.odd > maxOddStyles || t.removed > maxRemoved {
		return ErrTooLarge
	}
	return nil
}

// take writes what remains of a token.
func (t *trimmer) take(kind html.TokenType) {
	within := t.raw
	t.raw = ""
	switch kind {
	case html.CommentToken:
		t.tags++
		t.part()
	case html.TextToken:
		t.text(within)
	default:
		t.tags++
		t.tag(kind)
	}
}

// text writes a text, or the raw text within an element.
func (t *trimmer) text(within string) {
	text := t.lexer.token
	switch {
	case within == "title" && !t.begun: // the document's title
		t.title = shownTitle(text, t.limit)
	case within == "title" || within == "script" || within == "style" || t.skipping:
		t.part()
		return
	case within == "":
		t.visible = t.visible || seen(text)
		t.count(text, true)
	default:
		t.visible = true
		if within == "xmp" || within == "plaintext" { // other raw text may be removed
			t.count(text, false)
		}
	}
	t.write(text)
}

func (t *trimmer) write(text string) {
	t.out.Grow(len(text)) // doubles the capacity: WriteString would copy more often
	t.out.WriteString(text)
	t.parted = false
}

// part writes a boundary.
func (t *trimmer) part() {
	if !t.parted {
		t.out.WriteString(boundary)
	}
	t.parted = true
}

// tag writes a tag, or drops it.
func (t *trimmer) tag(kind html.TokenType) {
	element, starts := t.lexer.name, kind != html.EndTagToken
	t.raw = t.lexer.raw
	switch {
	case (element == "script" || element == "style") && kind == html.StartTagToken:
		t.part()
		return
	case element == "script" || element == "style":
		if t.raw != "" {
			t.raw = "xmp" // the sanitiser shows what follows a self-closing tag
		}
	case t.allowed[element] && !t.skipping:
		t.least += len("<>") + len(element)
		if !starts {
			t.least += len("/")
		}
		t.visible = t.visible || starts && shownElements[element]
	case skippedElements[element]:
		t.follow(kind)
	case rawText[element]:
	case (element == "html" || element == "body") && starts: // removed; its attributes describe the document and are kept
	default:
		t.part()
		return
	}
	if !starts {
		t.write("</" + element + ">")
		return
	}
	t.begun = t.begun || propertiesEnd[element] && kind == html.StartTagToken
	t.attributes(element, kind)
}

// follow tracks elements that are removed with their content, as the sanitiser does.
func (t *trimmer) follow(kind html.TokenType) {
	switch kind {
	case html.StartTagToken:
		t.skipping = true
		t.depth++
	case html.EndTagToken:
		if t.depth--; t.depth == 0 {
			t.skipping = false
		}
	}
}

// rawText are the elements whose content the tokenizer reads as text.
var rawText = setOf([]string{
	"iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp",
})

func setOf(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}
