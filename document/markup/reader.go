package markup

import (
	"fmt"
	"strings"
)

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens. Comments and processing instructions are skipped.
const (
	EndElement Kind = iota + 1
	StartElement
	Text
	EndDocument
)

// Token is a tag, a piece of text, or the end of the document.
type Token struct {
	Kind   Kind
	Offset int
	Name   Name
	// Attributes do not include namespace declarations. They are valid until the next call
	// of Next.
	Attributes []Attribute
	// Text is character data with its references expanded.
	Text string
	// CData reports whether the text is a CDATA section.
	CData bool
}

// Attribute is an attribute; its value is normalised by the rules of XML.
type Attribute struct {
	Name   Name
	Value  string
	Offset int
}

// openElement is an element whose end tag has not been read.
type openElement struct {
	qname string
	name  Name
	// bindings is the number of namespace declarations that were in scope before it.
	bindings int
	offset   int
}

// Reader reads a decoded document token by token. Use NewReader to make one.
type Reader struct {
	text     string
	pos      int
	stack    []openElement
	bindings []binding
	attrs    []Attribute
	// emptyElement: the last token was an empty-element tag, whose end is still to be returned.
	emptyElement bool
	rootSeen     bool
	version      string
}

// NewReader returns a Reader of a text that Decode returned.
func NewReader(text string) *Reader { return &Reader{text: text, version: "1.0"} }

// Version returns the version of XML that the document declares, 1.0 if it declares none, once Next has returned a token. A document of a later
// 1.x is read as one of 1.0, as the fifth edition of XML 1.0 wants it; other readers refuse it.
func (r *Reader) Version() string { return r.version }

// Next returns the next token; the last is EndDocument. It must not be called again after
// that or after a fault.
func (r *Reader) Next() (Token, *Fault) {
	if r.pos == 0 {
		if fault := r.xmlDeclaration(); fault != nil {
			return Token{}, fault
		}
	}
	if r.emptyElement {
		r.emptyElement = false
		return r.closeElement(r.pos), nil
	}
	for {
		if r.pos >= len(r.text) {
			return r.endDocument()
		}
		if r.text[r.pos] != '<' {
			if token, fault := r.characters(); fault != nil || token.Kind != 0 {
				return token, fault
			}
			continue
		}
		if skipped, fault := r.commentOrInstruction(); fault != nil {
			return Token{}, fault
		} else if !skipped {
			return r.tag()
		}
	}
}

func (r *Reader) tag() (Token, *Fault) {
	switch {
	case r.hasPrefix("</"):
		return r.endTag()
	case r.hasPrefix("<![CDATA["):
		return r.cdata()
	case r.hasPrefix("<!DOCTYPE"):
		return Token{}, r.fault("a DOCTYPE", "none: a DOCTYPE is not allowed in an invoice")
	case r.hasPrefix("<!"):
		return Token{}, r.fault("a markup declaration", "an element, a comment or text")
	}
	return r.startTag()
}

func (r *Reader) endDocument() (Token, *Fault) {
	if len(r.stack) > 0 {
		return Token{}, r.fault("the end of the document", r.expectedEnd(r.stack[len(r.stack)-1]))
	}
	if !r.rootSeen {
		return Token{}, r.fault("no root element", "the root element of an invoice")
	}
	return Token{Kind: EndDocument, Offset: r.pos}, nil
}

func (r *Reader) expectedEnd(e openElement) string {
	line, _ := Position(r.text, e.offset)
	return fmt.Sprintf("</%s> to close the element opened on line %d", Excerpt(e.qname), line)
}

// endTag reads "</name>".
func (r *Reader) endTag() (Token, *Fault) {
	start := r.pos
	r.pos += 2
	qname := r.readName()
	r.skipSpace()
	if len(r.stack) == 0 || qname != r.stack[len(r.stack)-1].qname {
		want := "no end tag, as no element is open"
		if len(r.stack) > 0 {
			want = r.expectedEnd(r.stack[len(r.stack)-1])
		}
		return Token{}, r.faultAt(start, fmt.Sprintf("</%s>", Excerpt(qname)), want)
	}
	if !r.accept(">") {
		return Token{}, r.fault(r.quoteNext(), "\">\" to end the tag")
	}
	return r.closeElement(start), nil
}

// closeElement pops the innermost element and its namespace declarations.
func (r *Reader) closeElement(offset int) Token {
	last := r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
	r.bindings = r.bindings[:last.bindings]
	return Token{Kind: EndElement, Offset: offset, Name: last.name}
}

func (r *Reader) hasPrefix(prefix string) bool { return strings.HasPrefix(r.text[r.pos:], prefix) }

func (r *Reader) accept(prefix string) bool {
	if !r.hasPrefix(prefix) {
		return false
	}
	r.pos += len(prefix)
	return true
}

// skipSpace skips white space and reports whether there was any.
func (r *Reader) skipSpace() bool {
	start := r.pos
	for r.pos < len(r.text) && isSpace(r.text[r.pos]) {
		r.pos++
	}
	return r.pos > start
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// quoteNext quotes the text at the current position.
func (r *Reader) quoteNext() string {
	rest := r.text[r.pos:]
	if rest == "" {
		return "the end of the document"
	}
	if end := strings.IndexAny(rest[:min(len(rest), 80)], "\n<>"); end > 0 {
		rest = rest[:end]
	}
	return fmt.Sprintf("%q", Excerpt(rest[:min(len(rest), 240)]))
}

func (r *Reader) fault(found, expected string) *Fault { return r.faultAt(r.pos, found, expected) }

func (r *Reader) faultAt(offset int, found, expected string) *Fault {
	return &Fault{offset, found, expected}
}
