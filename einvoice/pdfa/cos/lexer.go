package cos

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// ErrSyntax is at the root of every error about what is no PDF object.
var ErrSyntax = errors.New("PDF syntax")

// errEnd says that nothing is left to read.
var errEnd = fmt.Errorf("%w: unexpected end", ErrSyntax)

// Faults are deviations that readers forgive and PDF/A does not.
type Faults struct {
	OddHex, BadHex bool
	LongString     bool // longer than 32767 bytes
	LongName       bool // longer than 127 bytes
	BigInteger     bool // beyond 32 bits
	BadReal        bool // beyond or below what a single-precision number holds
}

// lexer cuts bytes into objects and keywords.
type lexer struct {
	data   []byte
	at     int
	faults *Faults
}

// closing marks of arrays and dictionaries, as next returns them.
type mark string

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
	for l.at < len(l.data) {
		switch c := l.data[l.at]; {
		case isSpace(c):
			l.at++
		case c == '%':
			for l.at < len(l.data) && l.data[l.at] != '\n' && l.data[l.at] != '\r' {
				l.at++
			}
		default:
			return
		}
	}
}

// next is the next simple object, mark or operator; arrays and dictionaries come as marks.
func (l *lexer) next() (any, error) {
	l.skipSpace()
	if l.at >= len(l.data) {
		return nil, errEnd
	}
	switch c := l.data[l.at]; c {
	case '/':
		l.at++
		return l.name(), nil
	case '(':
		return l.literal()
	case '<':
		if l.starts("<<") {
			l.at += 2
			return mark("<<"), nil
		}
		return l.hex()
	case '>':
		if l.starts(">>") {
			l.at += 2
			return mark(">>"), nil
		}
		return nil, fmt.Errorf("%w: stray > at %d", ErrSyntax, l.at)
	case '[', ']', '{', '}':
		l.at++
		return mark(c), nil
	case ')':
		return nil, fmt.Errorf("%w: stray ) at %d", ErrSyntax, l.at)
	}
	return l.word(), nil
}

func (l *lexer) starts(s string) bool {
	return len(l.data)-l.at >= len(s) && string(l.data[l.at:l.at+len(s)]) == s
}

// word is a number or a keyword.
func (l *lexer) word() any {
	start := l.at
	for l.at < len(l.data) && isRegular(l.data[l.at]) {
		l.at++
	}
	text := string(l.data[start:l.at])
	switch text {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	if c := text[0]; c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' {
		if number, ok := l.number(text); ok {
			return number
		}
	}
	return Operator(text)
}

func (l *lexer) number(text string) (any, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		if n > math.MaxInt32 || n < math.MinInt32 {
			l.faults.BigInteger = true
		}
		return n, true
	}
	for i := range len(text) { // ParseFloat knows more than PDF: exponents, hexadecimals, infinity
		if c := text[i]; (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' {
			return nil, false
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, false
	}
	// 6.1.13-2 and 6.1.13-5
	if size := math.Abs(f); size > 3.403e38 || size != 0 && size < 1.175e-38 {
		l.faults.BadReal = true
	}
	return f, true
}

func (l *lexer) name() Name {
	var name []byte
	for l.at < len(l.data) && isRegular(l.data[l.at]) {
		c := l.data[l.at]
		if c == '#' && l.at+2 < len(l.data) {
			high, ok1 := digit(l.data[l.at+1])
			low, ok2 := digit(l.data[l.at+2])
			if ok1 && ok2 {
				c = high<<4 | low
				l.at += 2
			}
		}
		name = append(name, c)
		l.at++
	}
	if len(name) > 127 {
		l.faults.LongName = true
	}
	return Name(name)
}

func digit(c byte) (byte, bool) {
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

func (l *lexer) hex() (any, error) {
	l.at++
	var out []byte
	var half byte
	odd := false
	for ; ; l.at++ {
		if l.at >= len(l.data) {
			return nil, errEnd
		}
		c := l.data[l.at]
		if c == '>' {
			break
		}
		if isSpace(c) {
			continue
		}
		value, ok := digit(c)
		if !ok {
			l.faults.BadHex = true
			continue
		}
		if odd {
			out = append(out, half|value)
		}
		half, odd = value<<4, !odd
	}
	l.at++
	if odd {
		l.faults.OddHex = true
		out = append(out, half)
	}
	return l.measured(out), nil
}

func (l *lexer) measured(s []byte) String {
	if len(s) > 32767 { // 6.1.13-3
		l.faults.LongString = true
	}
	return String(s)
}

func (l *lexer) literal() (any, error) {
	l.at++
	var out []byte
	for depth := 1; ; l.at++ {
		if l.at >= len(l.data) {
			return nil, errEnd
		}
		c := l.data[l.at]
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.at++
				return l.measured(out), nil
			}
		case '\\':
			out = l.escape(out)
			continue
		}
		out = append(out, c)
	}
}

// escape reads what follows a backslash and stays on its last byte.
func (l *lexer) escape(out []byte) []byte {
	l.at++
	if l.at >= len(l.data) {
		return out
	}
	c := l.data[l.at]
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
		if l.at+1 < len(l.data) && l.data[l.at+1] == '\n' {
			l.at++
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
		if l.at+1 >= len(l.data) || l.data[l.at+1] < '0' || l.data[l.at+1] > '7' {
			break
		}
		l.at++
		value = value<<3 | (l.data[l.at] - '0')
	}
	return append(out, value)
}
