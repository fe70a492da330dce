package markup

import (
	"fmt"
	"strings"
)

// Kind is what a token is.
type Kind uint8

// The kinds of tokens. Comments and processing instructions are read, and left out.
const (
	End Kind = iota + 1
	Start
	Text
	Over
)

// Token is a piece of a document.
type Token struct {
	Kind   Kind
	Offset int
	Name   Name
	// Attributes are without namespace declarations; the next token overwrites them.
	Attributes []Attribute
	// Text is character data with its references resolved.
	Text string
	// CData text was written as a CDATA section.
	CData bool
}

// Attribute is an attribute with its value normalised as XML demands.
type Attribute struct {
	Name   Name
	Value  string
	Offset int
}

// open is an element whose end is still to come.
type open struct {
	raw      string
	name     Name
	bindings int
	offset   int
}

// Reader reads a decoded document token by token. Its zero value is not usable.
type Reader struct {
	text     string
	at       int
	opens    []open
	bindings []binding
	attrs    []Attribute
	// closing: the start tag just read was an empty element's.
	closing bool
	rooted  bool
}

// NewReader reads text, which Decode gave.
func NewReader(text string) *Reader { return &Reader{text: text} }

// Depth is how many elements are open.
func (r *Reader) Depth() int { return len(r.opens) }

// Next gives the next token, Over at the end of a whole document. After a fault there
// is nothing more to read.
func (r *Reader) Next() (Token, *Fault) {
	if r.at == 0 {
		if fault := r.declaration(); fault != nil {
			return Token{}, fault
		}
	}
	if r.closing {
		r.closing = false
		return r.close(r.at), nil
	}
	for {
		if r.at >= len(r.text) {
			return r.over()
		}
		if r.text[r.at] != '<' {
			if token, fault := r.characters(); fault != nil || token.Kind != 0 {
				return token, fault
			}
			continue
		}
		if skipped, fault := r.aside(); fault != nil {
			return Token{}, fault
		} else if !skipped {
			return r.tag()
		}
	}
}

func (r *Reader) tag() (Token, *Fault) {
	switch {
	case r.starts("</"):
		return r.endTag()
	case r.starts("<![CDATA["):
		return r.cdata()
	case r.starts("<!DOCTYPE"):
		return Token{}, r.fault("a DOCTYPE", "none: a DOCTYPE is not allowed in an invoice")
	case r.starts("<!"):
		return Token{}, r.fault("a markup declaration", "an element, a comment or text")
	}
	return r.startTag()
}

func (r *Reader) over() (Token, *Fault) {
	if len(r.opens) > 0 {
		last := r.opens[len(r.opens)-1]
		line, _ := Position(r.text, last.offset)
		return Token{}, r.fault("the end of the document", fmt.Sprintf("</%s> for the tag of line %d", Short(last.raw), line))
	}
	if !r.rooted {
		return Token{}, r.fault("a document without an element", "the root element of an invoice")
	}
	return Token{Kind: Over, Offset: r.at}, nil
}

// endTag reads "</name>".
func (r *Reader) endTag() (Token, *Fault) {
	start := r.at
	r.at += 2
	raw := r.name()
	r.space()
	if len(r.opens) == 0 || raw != r.opens[len(r.opens)-1].raw {
		want := "no end tag, as no element is open"
		if len(r.opens) > 0 {
			last := r.opens[len(r.opens)-1]
			line, _ := Position(r.text, last.offset)
			want = fmt.Sprintf("</%s> for the tag of line %d", Short(last.raw), line)
		}
		return Token{}, r.faultAt(start, fmt.Sprintf("</%s>", Short(raw)), want)
	}
	if !r.take(">") {
		return Token{}, r.fault(r.here(), "\">\" to end the tag")
	}
	return r.close(start), nil
}

// close takes the innermost element, and what it declared, from what is open.
func (r *Reader) close(offset int) Token {
	last := r.opens[len(r.opens)-1]
	r.opens = r.opens[:len(r.opens)-1]
	r.bindings = r.bindings[:last.bindings]
	return Token{Kind: End, Offset: offset, Name: last.name}
}

func (r *Reader) starts(prefix string) bool { return strings.HasPrefix(r.text[r.at:], prefix) }

func (r *Reader) take(prefix string) bool {
	if !r.starts(prefix) {
		return false
	}
	r.at += len(prefix)
	return true
}

// space skips white space and tells whether there was any.
func (r *Reader) space() bool {
	start := r.at
	for r.at < len(r.text) && isSpace(r.text[r.at]) {
		r.at++
	}
	return r.at > start
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// here quotes what stands at the reader's place.
func (r *Reader) here() string {
	rest := r.text[r.at:]
	if rest == "" {
		return "the end of the document"
	}
	if end := strings.IndexAny(rest[:min(len(rest), 80)], "\n<>"); end > 0 {
		rest = rest[:end]
	}
	return fmt.Sprintf("%q", Short(rest[:min(len(rest), 240)]))
}

func (r *Reader) fault(found, expected string) *Fault { return r.faultAt(r.at, found, expected) }

func (r *Reader) faultAt(offset int, found, expected string) *Fault {
	return &Fault{offset, found, expected}
}
