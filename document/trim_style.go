package document

import (
	"strings"
	"unicode/utf8"
)

// maxEscapes bounds the escapes of a style, because the sanitiser takes time quadratic in
// them. Names of fonts have a few.
const maxEscapes = 200

// maxProperty exceeds the length of any property's name, in bytes, and of "!important" with spaces.
const maxProperty = 500

// trimmedStyle is an inline style without what the sanitiser is certain to remove.
type trimmedStyle struct {
	text string
	// least is a lower bound of its remaining bytes.
	least int
	// odd is the number of bytes that only the sanitiser can read.
	odd int
}

// trimStyle trims a style that has been repaired. One with comments, escapes or blocks, with brackets and quotes that are
// not closed, or with a URL where a property belongs, is left to the sanitiser, if that is quick enough.
func trimStyle(style string) trimmedStyle {
	declarations, plain := splitStyle(style)
	switch {
	case !plain && strings.Count(style, `\`) > maxEscapes:
		return trimmedStyle{odd: maxOddStyles + 1}
	case !plain:
		return trimmedStyle{text: style, odd: len(style)}
	}
	trimmed := trimmedStyle{text: style}
	kept := make([]string, 0, len(declarations))
	for _, d := range declarations {
		if hidesColon(d) {
			return trimmedStyle{text: style, odd: len(style)}
		}
		property, value := splitDeclaration(d)
		if property == "" {
			return trimmedStyle{} // the sanitiser drops such a style
		}
		if least, safe := checkDeclaration(property, value); safe {
			kept = append(kept, d)
			trimmed.least += least
		}
	}
	if len(kept) < len(declarations) {
		trimmed.text = strings.Join(kept, ";")
	}
	return trimmed
}

// splitDeclaration splits as the sanitiser does: the value follows the last colon, and the property the one before it.
// property is "" if there is none.
func splitDeclaration(declaration string) (property, value string) {
	colon := lastColon(declaration)
	if colon < 0 {
		return "", ""
	}
	property = declaration[:colon]
	return strings.TrimSpace(property[lastColon(property)+1:]), strings.TrimSpace(declaration[colon+1:])
}

// hidesColon reports whether the first colon of a declaration may be in a URL without quotes, which the sanitiser reads as
// one word.
func hidesColon(declaration string) bool {
	bracket := strings.IndexByte(declaration, '(')
	return bracket >= 0 && lastColon(declaration[:bracket]) < 0 && strings.Contains(strings.ToLower(declaration), "url(")
}

// checkDeclaration reports whether the sanitiser keeps a declaration, and a lower bound of its bytes.
func checkDeclaration(property, value string) (least int, safe bool) {
	if len(property) > maxProperty {
		return 0, false
	}
	name := strings.ToLower(property)
	for _, prefix := range vendors {
		name = strings.TrimPrefix(name, prefix)
	}
	pictured := pictureNames[name]
	if !pictured && (len(value) > maxStyleValue+maxProperty || !styleNames[name]) {
		return 0, false
	}
	if mark := strings.LastIndexByte(value, '!'); mark >= 0 && strings.EqualFold(value[mark+1:], "important") {
		value = strings.TrimSpace(value[:mark])
	}
	return len(property) + len(": ") + len(value), isSafe(strings.ToLower(value), pictured)
}

// vendors are the prefixes of properties that the sanitiser ignores, in its order.
var vendors = []string{
	"-webkit-", "-moz-", "-ms-", "-o-", "mso-", "-xv-", "-atsc-", "-wap-", "-khtml-", "prince-", "-ah-", "-hp-", "-ro-", "-rim-", "-tc-",
}

// lastColon is the offset of the last colon outside of quotes, -1 for none.
func lastColon(declaration string) int {
	if strings.IndexByte(declaration, '"') < 0 && strings.IndexByte(declaration, '\'') < 0 {
		return strings.LastIndexByte(declaration, ':')
	}
	last, quote := -1, byte(0)
	for i, c := range []byte(declaration) {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == ':':
			last = i
		}
	}
	return last
}

// oddInStyles are the bytes that take a parser to read.
const oddInStyles = "\\{}@<>\x00\f\x7f"

// maxBrackets is the maximum nesting of brackets that is followed.
const maxBrackets = 100

// partsStyle has the bytes that are more than a part of a value.
var partsStyle = func() (all [256]bool) {
	for _, c := range []byte(oddInStyles + `"'();`) {
		all[c] = true
	}
	for control := range ' ' {
		all[control] = true
	}
	return all
}()

// splitStyle splits a style into its declarations. plain is false if it takes a parser to do so.
func splitStyle(style string) (declarations []string, plain bool) {
	style = strings.TrimRight(style, " ")
	if !utf8.ValidString(style) || strings.Contains(style, "\ufeff") || strings.Contains(style, "/*") {
		return nil, false
	}
	quote, start, depth := byte(0), 0, 0
	for i := range len(style) {
		c := style[i]
		if !partsStyle[c] {
			continue
		}
		switch {
		case c == '@' && quote != 0: // as in the address of a picture
		case strings.IndexByte(oddInStyles, c) >= 0:
			return nil, false
		case quote != 0:
			if c == quote {
				quote = 0
			} else if c < ' ' {
				return nil, false
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' && depth == maxBrackets:
			return nil, false
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ';' && depth != 0: // as in a data URI, or a premature end
			return nil, false
		case c == ';':
			declarations = append(declarations, style[start:i])
			start = i + 1
		}
	}
	if start < len(style) {
		declarations = append(declarations, style[start:])
	}
	return declarations, quote == 0 && depth == 0
}
