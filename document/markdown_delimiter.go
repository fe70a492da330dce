package document

import (
	"fmt"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// maxDelimiterWork bounds how many runs of *, _ and ~ the parser compares, in all paragraphs: a run that may end emphasis is compared with those
// before it in its paragraph until its partner is found, and one without a partner with all of them.
const maxDelimiterWork = 50_000_000

// delimiterGuard counts these comparisons before the parser makes them. It is an inline parser that takes nothing, unless there are too many: then
// it takes the runs as text, and complexityOf has the error.
type delimiterGuard struct{}

func (delimiterGuard) Trigger() []byte { return []byte("*_~[!]") }

func (delimiterGuard) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	p := pc.ComputeIfAbsent(delimiterKey, func() any { return &delimiters{} }).(*delimiters)
	line, segment := block.PeekLine()
	switch line[0] {
	case '[':
		p.open()
		return nil
	case '!':
		if len(line) > 1 && line[1] == '[' {
			p.open()
		}
		return nil
	case ']':
		p.close()
		return nil
	}
	found := parser.ScanDelimiter(line, block.PrecendingCharacter(), 1, anyDelimiter{})
	if found.Char == '~' && found.OriginalLength > 2 || p.err != nil { // text; the parser would try each ~
		block.Advance(found.OriginalLength)
		return ast.NewTextSegment(segment.WithStop(segment.Start + found.OriginalLength))
	}
	p.add(delimiter{found.Char, found.OriginalLength, found.OriginalLength, found.CanOpen, found.CanClose})
	return nil
}

// CloseBlock forgets the runs of a paragraph.
func (delimiterGuard) CloseBlock(_ ast.Node, _ text.Reader, pc parser.Context) {
	if p, ok := pc.Get(delimiterKey).(*delimiters); ok {
		p.runs, p.brackets = p.runs[:0], p.brackets[:0]
	}
}

var delimiterKey = parser.NewContextKey()

// complexityOf is the error of a document that has been parsed, or nil.
func complexityOf(pc parser.Context) error {
	if p, ok := pc.Get(delimiterKey).(*delimiters); ok {
		return p.err
	}
	return nil
}

// anyDelimiter has ScanDelimiter scan each kind of run.
type anyDelimiter struct{}

func (anyDelimiter) IsDelimiter(b byte) bool { return b == '*' || b == '_' || b == '~' }

func (anyDelimiter) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}
func (anyDelimiter) OnMatch(int) ast.Node { return nil }

// delimiter is a run of *, _ or ~.
type delimiter struct {
	char              byte
	length, original  int // length is what no partner has consumed
	canOpen, canClose bool
}

// delimiters are the runs of a paragraph that wait for a partner.
type delimiters struct {
	runs []delimiter
	// brackets are the numbers of runs before each bracket that is open: what it contains may become a link, in which no run has a partner outside.
	brackets []int
	work     int
	err      error
}

func (p *delimiters) open() { p.brackets = append(p.brackets, len(p.runs)) }

func (p *delimiters) close() {
	if n := len(p.brackets); n > 0 {
		p.brackets = p.brackets[:n-1]
	}
}

// add finds the partners of a run as the parser does (CommonMark, "process emphasis").
func (p *delimiters) add(d delimiter) {
	maybe := false // a run is a partner of this one, but for its length
	for d.canClose && d.length > 0 {
		at := p.partner(d, &maybe)
		if p.work > maxDelimiterWork {
			p.err = fmt.Errorf("%w: too many runs of *, _ and ~ find no partner in their paragraphs; write those that are text with a backslash", ErrComplex)
			return
		}
		if at < 0 {
			break
		}
		opener := &p.runs[at]
		taken := min(opener.length, d.length, 2)
		opener.length -= taken
		d.length -= taken
		if p.runs = p.runs[:at+1]; opener.length == 0 {
			p.runs = p.runs[:at]
		}
	}
	if d.length > 0 && (!d.canClose || d.canOpen || maybe) {
		p.runs = append(p.runs, d)
	}
}

// partner is the index of the run that a closing one ends, or -1.
func (p *delimiters) partner(d delimiter, maybe *bool) int {
	first := 0
	if n := len(p.brackets); n > 0 {
		first = min(p.brackets[n-1], len(p.runs))
	}
	for at := len(p.runs) - 1; at >= first; at-- {
		p.work++
		o := &p.runs[at]
		if !o.canOpen || o.char != d.char {
			continue
		}
		*maybe = true
		if (!o.canClose && !d.canOpen) || (o.original+d.original)%3 != 0 || d.original%3 == 0 {
			return at
		}
	}
	p.work += first
	*maybe = *maybe || first > 0
	return -1
}
