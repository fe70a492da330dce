package cos

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// ErrSyntax means that the syntax of the file is wrong.
var ErrSyntax = errors.New("invalid PDF syntax")

// errEnd means that the data ends too early.
var errEnd = fmt.Errorf("%w: unexpected end", ErrSyntax)

// Deviations are the deviations from the syntax of PDF/A that the parser tolerates.
type Deviations struct {
	OddHex     bool // a hexadecimal string with an odd number of digits
	BadHex     bool // a hexadecimal string with other characters than digits
	LongString bool // a string of more than 32767 bytes
	LongName   bool // a name of more than 127 bytes
	BigInteger bool // an integer of more than 32 bits
	LargeReal  bool // a number that overflows single precision
	SmallReal  bool // one that underflows it
	LooseXRef  bool // the keyword xref is not on a line of its own
	LooseEnd   int  // the number of an object whose keyword endobj is not; 0 for none
}

// lexer splits bytes into tokens.
type lexer struct {
	data       []byte
	pos        int
	deviations *Deviations
}

// delimiter is a token that begins or ends an array or a dictionary.
type delimiter string

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

func isRegular(c byte) bool { return !isSpace(c) && !isDelimiter(c) }

func (l *lexer) skipSpace() {
	for l.pos < len(l.data) {
		switch c := l.data[l.pos]; {
		case isSpace(c):
			l.pos++
		case c == '%':
			for l.pos < len(l.data) && l.data[l.pos] != '\n' && l.data[l.pos] != '\r' {
				l.pos++
			}
		default:
			return
		}
	}
}

// token returns the next token: a simple object, a delimiter or an Operator.
func (l *lexer) token() (any, error) {
	l.skipSpace()
	if l.pos >= len(l.data) {
		return nil, errEnd
	}
	switch c := l.data[l.pos]; c {
	case '/':
		l.pos++
		return l.name(), nil
	case '(':
		return l.literalString()
	case '<':
		if l.hasPrefix("<<") {
			l.pos += 2
			return delimiter("<<"), nil
		}
		return l.hexString()
	case '>':
		if l.hasPrefix(">>") {
			l.pos += 2
			return delimiter(">>"), nil
		}
		return nil, fmt.Errorf("%w: unexpected > at byte %d", ErrSyntax, l.pos)
	case '[', ']', '{', '}':
		l.pos++
		return delimiter(c), nil
	case ')':
		return nil, fmt.Errorf("%w: unexpected ) at byte %d", ErrSyntax, l.pos)
	}
	return l.numberOrKeyword(), nil
}

func (l *lexer) hasPrefix(s string) bool {
	return len(l.data)-l.pos >= len(s) && string(l.data[l.pos:l.pos+len(s)]) == s
}

// numberOrKeyword reads a number, a boolean, null or an operator.
func (l *lexer) numberOrKeyword() any {
	start := l.pos
	for l.pos < len(l.data) && isRegular(l.data[l.pos]) {
		l.pos++
	}
	text := l.data[start:l.pos]
	switch string(text) {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	if c := text[0]; c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' {
		if number, ok := l.number(string(text)); ok {
			return number
		}
	}
	return Operator(text)
}

// The largest and smallest absolute values of a number (ISO 19005-3, 6.1.13).
const (
	maxReal = 3.403e38
	minReal = 1.175e-38
)

func (l *lexer) number(text string) (any, bool) {
	whole := true
	for i := range len(text) { // ParseFloat accepts more than PDF: exponents, hexadecimals, infinity
		switch c := text[i]; {
		case c == '.':
			whole = false
		case (c < '0' || c > '9') && c != '-' && c != '+':
			return nil, false
		}
	}
	if whole {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			if n > math.MaxInt32 || n < math.MinInt32 {
				l.deviations.BigInteger = true
			}
			return n, true
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, false
	}
	size := math.Abs(f)
	l.deviations.BigInteger = l.deviations.BigInteger || whole
	l.deviations.LargeReal = l.deviations.LargeReal || !whole && size > maxReal
	l.deviations.SmallReal = l.deviations.SmallReal || size != 0 && size < minReal
	return f, true
}

func (l *lexer) name() Name {
	var name []byte
	for l.pos < len(l.data) && isRegular(l.data[l.pos]) {
		c := l.data[l.pos]
		if c == '#' && l.pos+2 < len(l.data) {
			high, ok1 := hexDigit(l.data[l.pos+1])
			low, ok2 := hexDigit(l.data[l.pos+2])
			if ok1 && ok2 {
				c = high<<4 | low
				l.pos += 2
			}
		}
		name = append(name, c)
		l.pos++
	}
	if len(name) > 127 {
		l.deviations.LongName = true
	}
	return Name(name)
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

func (l *lexer) hexString() (any, error) {
	l.pos++
	var out []byte
	var half byte
	odd := false
	for ; ; l.pos++ {
		if l.pos >= len(l.data) {
			return nil, errEnd
		}
		c := l.data[l.pos]
		if c == '>' {
			break
		}
		if isSpace(c) {
			continue
		}
		value, ok := hexDigit(c)
		if !ok {
			l.deviations.BadHex = true
			continue
		}
		if odd {
			out = append(out, half|value)
		}
		half, odd = value<<4, !odd
	}
	l.pos++
	if odd {
		l.deviations.OddHex = true
		out = append(out, half)
	}
	return l.newString(out), nil
}

func (l *lexer) newString(s []byte) String {
	if len(s) > 32767 { // ISO 19005-3, 6.1.13-3
		l.deviations.LongString = true
	}
	return String(s)
}

func (l *lexer) literalString() (any, error) {
	l.pos++
	var out []byte
	for depth := 1; ; l.pos++ {
		if l.pos >= len(l.data) {
			return nil, errEnd
		}
		c := l.data[l.pos]
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.pos++
				return l.newString(out), nil
			}
		case '\\':
			out = l.escape(out)
			continue
		}
		out = append(out, c)
	}
}

// escape reads an escape sequence and stops at its last byte.
func (l *lexer) escape(out []byte) []byte {
	l.pos++
	if l.pos >= len(l.data) {
		return out
	}
	c := l.data[l.pos]
	switch c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\r':
		if l.pos+1 < len(l.data) && l.data[l.pos+1] == '\n' {
			l.pos++
		}
		return out
	case '\n':
		return out
	}
	if c < '0' || c > '7' {
		return append(out, c)
	}
	value := c - '0'
	for range 2 {
		if l.pos+1 >= len(l.data) || l.data[l.pos+1] < '0' || l.data[l.pos+1] > '7' {
			break
		}
		l.pos++
		value = value<<3 | (l.data[l.pos] - '0')
	}
	return append(out, value)
}
