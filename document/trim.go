package document

import (
	"errors"
	"math"
	"strings"

	"golang.org/x/net/html"
)

// ErrTooLarge refuses HTML that would be larger than allowed once sanitised, or that would
// cost out of all proportion to what it shows.
var ErrTooLarge = errors.New("the HTML is too large")

const (
	// shortestTag is how many bytes of the sanitised document a tag or declaration takes at least.
	shortestTag = 3
	// maxOddStyles bounds the styles, in bytes, that only the sanitiser can read.
	maxOddStyles = 64 << 10
)

// boundary is what the trimmer leaves where it takes something out, so that what was before and
// after it does not become one token.
const boundary = "<!---->"

// trimmer takes out of a document what the sanitiser removes anyway, as far as that is cheaper:
// comments, unknown elements, most of what is removed with its content, and most unsafe styles. On
// its way it finds documents that are bound to be too large. What the sanitiser makes of the result
// is what it makes of the source.
type trimmer struct {
	limit   int
	allowed map[string]bool // the elements that the sanitiser keeps
	source  source
	tokens  *html.Tokenizer
	out     strings.Builder
	// least is how many bytes the sanitised body has at least, odd how many bytes of styles only the
	// sanitiser can read.
	least, odd int
	// tags counts tags, comments and declarations.
	tags int
	// parted is set if the last that was written is a boundary.
	parted bool
	// raw is the element of whose start tag the present token is the raw text; "" for none.
	raw string
	// skipping and depth follow the sanitiser through elements that it removes with their content.
	skipping bool
	depth    int
}

// trim returns a trimmed document of which the elements allowed are to be kept. It returns
// ErrTooLarge if the sanitised body would have more bytes than limit.
func trim(text string, limit int, allowed map[string]bool) (string, error) {
	return newTrimmer(text, limit, allowed).run()
}

func newTrimmer(text string, limit int, allowed map[string]bool) *trimmer {
	t := &trimmer{limit: limit, allowed: allowed, source: source{text: text}}
	t.tokens = html.NewTokenizer(&t.source)
	return t
}

func (t *trimmer) run() (string, error) {
	for {
		t.source.begin(t.raw != "", t.mostText())
		kind := t.tokens.Next()
		raw := t.tokens.Raw()
		t.source.pass(len(raw))
		if kind == html.ErrorToken {
			t.out.Write(raw)
			return t.out.String(), t.tooLarge()
		}
		t.take(kind, raw)
		if err := t.tooLarge(); err != nil {
			return "", err
		}
	}
}

// mostText is how many bytes a text may have that is to be shown: a reference is up to eleven times as long as
// what it stands for.
func (t *trimmer) mostText() int {
	if t.skipping {
		return math.MaxInt
	}
	return 12*t.limit + longestReference
}

func (t *trimmer) tooLarge() error {
	if t.source.refused || t.least > t.limit || t.tags*shortestTag > t.limit+t.limit/4 || t.odd > maxOddStyles {
		return ErrTooLarge
	}
	return nil
}

// take writes what is left of a token.
func (t *trimmer) take(kind html.TokenType, raw []byte) {
	within := t.raw
	t.raw = ""
	switch kind {
	case html.CommentToken, html.DoctypeToken:
		t.tags++
		t.part()
	case html.TextToken:
		switch {
		case within == "title": // it is the document's
			t.write(raw)
		case within == "script" || within == "style" || t.skipping:
			t.part()
		default:
			t.write(raw)
			t.text(raw, within != "")
		}
	default:
		t.tags++
		t.tag(kind, raw)
	}
}

func (t *trimmer) write(raw []byte) {
	t.out.Write(raw)
	t.parted = false
}

// part writes a boundary.
func (t *trimmer) part() {
	if !t.parted {
		t.out.WriteString(boundary)
	}
	t.parted = true
}

// tag writes a tag.
func (t *trimmer) tag(kind html.TokenType, raw []byte) {
	name, attributes := t.tokens.TagName()
	element := string(name)
	isRaw := rawText[element]
	if kind != html.EndTagToken && isRaw {
		t.raw = element
	}
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
		if attributes && kind != html.EndTagToken {
			t.attributes(element, raw, kind)
			return
		}
	case element == "body" && attributes && kind == html.StartTagToken:
		t.attributes(element, raw, kind)
		return
	case skippedElements[element]:
		t.follow(kind)
	case isRaw || documentElements[element]:
	default:
		t.part()
		return
	}
	t.write(raw)
}

// follow does as the sanitiser does with elements that it removes with their content.
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

// documentElements are removed, and what they say about the document is kept.
var documentElements = map[string]bool{"html": true, "head": true, "body": true}

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
