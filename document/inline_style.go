package document

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxStyleValue bounds one CSS value, in bytes.
const maxStyleValue = 1000

// styleProperties are the CSS properties that inline styles may set. They style text,
// boxes, tables and page breaks, and with the values that safeStyleValue allows they load
// nothing.
var styleProperties = []string{
	"align-content", "align-items", "align-self", "aspect-ratio", "background-clip", "background-color",
	"background-origin", "background-position", "background-repeat", "background-size", "block-size", "border", "border-block",
	"border-block-end", "border-block-start", "border-bottom", "border-bottom-color", "border-bottom-left-radius", "border-bottom-right-radius",
	"border-bottom-style", "border-bottom-width", "border-collapse", "border-color", "border-inline", "border-inline-end",
	"border-inline-start", "border-left", "border-left-color", "border-left-style", "border-left-width", "border-radius", "border-right",
	"border-right-color", "border-right-style", "border-right-width", "border-spacing", "border-style", "border-top", "border-top-color",
	"border-top-left-radius", "border-top-right-radius", "border-top-style", "border-top-width", "border-width", "bottom",
	"box-decoration-break", "box-shadow", "box-sizing", "break-after", "break-before", "break-inside", "caption-side", "clear", "color",
	"column-count", "column-fill", "column-gap", "column-rule", "column-span", "column-width", "columns", "direction", "display", "empty-cells",
	"flex", "flex-basis", "flex-direction", "flex-flow", "flex-grow", "flex-shrink", "flex-wrap", "float", "font", "font-family",
	"font-feature-settings", "font-kerning", "font-size", "font-stretch", "font-style", "font-variant", "font-variant-numeric", "font-weight",
	"gap", "grid", "grid-area", "grid-auto-columns", "grid-auto-flow", "grid-auto-rows", "grid-column", "grid-column-gap", "grid-gap",
	"grid-row", "grid-row-gap", "grid-template", "grid-template-areas", "grid-template-columns", "grid-template-rows", "height", "hyphens",
	"inline-size", "inset", "inset-block", "inset-inline", "justify-content", "justify-items", "justify-self", "left", "letter-spacing",
	"line-height", "list-style-position", "list-style-type", "margin", "margin-block", "margin-block-end", "margin-block-start",
	"margin-bottom", "margin-inline", "margin-inline-end", "margin-inline-start", "margin-left", "margin-right", "margin-top", "max-height",
	"max-width", "min-height", "min-width", "object-fit", "object-position", "opacity", "order", "orphans", "outline", "outline-color",
	"outline-offset", "outline-style", "outline-width", "overflow", "overflow-wrap", "overflow-x", "overflow-y", "padding", "padding-block",
	"padding-block-end", "padding-block-start", "padding-bottom", "padding-inline", "padding-inline-end", "padding-inline-start",
	"padding-left", "padding-right", "padding-top", "page-break-after", "page-break-before", "page-break-inside", "place-content",
	"place-items", "position", "print-color-adjust", "quotes", "right", "row-gap", "tab-size", "table-layout", "text-align", "text-align-last",
	"text-decoration", "text-decoration-color", "text-decoration-line", "text-decoration-style", "text-decoration-thickness", "text-indent",
	"text-justify", "text-overflow", "text-shadow", "text-transform", "text-underline-offset", "top", "transform", "transform-origin",
	"unicode-bidi", "vertical-align", "visibility", "white-space", "widows", "width", "word-break", "word-spacing", "word-wrap", "writing-mode",
	"z-index", "-webkit-print-color-adjust",
}

// styleFunctions are the CSS functions that values may call. None of them loads anything.
var styleFunctions = map[string]bool{
	"rgb": true, "rgba": true, "hsl": true, "hsla": true, "hwb": true, "lab": true, "lch": true, "oklab": true, "oklch": true,
	"calc": true, "min": true, "max": true, "clamp": true, "minmax": true, "repeat": true, "fit-content": true,
	"linear-gradient": true, "radial-gradient": true, "conic-gradient": true,
	"repeating-linear-gradient": true, "repeating-radial-gradient": true,
	"matrix": true, "rotate": true, "scale": true, "scalex": true, "scaley": true,
	"skew": true, "skewx": true, "skewy": true, "translate": true, "translatex": true, "translatey": true,
}

// pictureProperties are those of inline styles that may show pictures as well.
var pictureProperties = []string{"background", "background-image", "list-style", "list-style-image"}

// styleNames and pictureNames are styleProperties and pictureProperties as sets.
var styleNames, pictureNames = setOf(styleProperties), setOf(pictureProperties)

// styleCharacters are the characters of values other than letters, marks and numbers. They do not include backslashes,
// which could hide names, or braces, semicolons, angle brackets and @.
const styleCharacters = " \t\r\n#%.,()+-*/'\"!_:[]"

// callStart are the characters that cannot be in the name of a function.
const callStart = " \t\r\n\f,(/*+"

// safeStyleValue reports whether a CSS value in lower case can neither load nor run anything, nor
// end its declaration. It refuses url() and all other functions that are not listed.
func safeStyleValue(value string) bool { return isSafe(value, false) }

// safePictureValue is safeStyleValue for values that may have pictures, in the form in which keptPicture writes them.
func safePictureValue(value string) bool { return isSafe(value, true) }

// isSafe refuses the empty value too: the sanitiser makes one of escapes that it cannot read. The addresses of pictures may be of any length.
func isSafe(value string, pictured bool) bool {
	for left, rest := maxStyleValue, value; ; {
		before, after, found := strings.Cut(rest, "(")
		if left -= len(before); left < 0 || strings.Contains(before, "/*") || strings.ContainsFunc(before, isForbidden) {
			return false
		}
		if !found {
			return value != ""
		}
		left-- // the bracket
		name := before[strings.LastIndexAny(before, callStart)+1:]
		switch {
		case pictured && name == "url":
			var safe bool
			if after, safe = afterAddress(after); !safe {
				return false
			}
		case name != "" && !styleFunctions[strings.TrimLeft(name, "-")]:
			return false
		}
		rest = after
	}
}

// isForbidden reports whether a character may not be in a CSS value.
func isForbidden(r rune) bool {
	if r < utf8.RuneSelf {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || strings.ContainsRune(styleCharacters, r))
	}
	return r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.M, unicode.N)
}

// fallback matches a call of var() with a fallback, and that as a group. The fallback always holds, as custom properties are not kept.
var fallback = regexp.MustCompile(`(?i)\bvar\(\s*--[\w-]{1,100}\s*,\s*([^()"']*(?:\((?:[^()"']*|"[^"]*")\)[^()"']*)*)\)`)

const (
	// maxCalls is how many brackets a style may have for its fallbacks to be put in, as that takes time.
	maxCalls = 1000
	// maxFallbacks is how deep fallbacks may be nested.
	maxFallbacks = 3
)

// repairStyle returns a style without what browsers skip but the sanitiser stumbles over, so that it would drop all of the style: comments, and
// declarations that are empty, have no colon, or have a block. A picture becomes what show makes of its address, so that its declaration keeps the rest, and
// a custom property the value that stands in for it.
func repairStyle(style string, show func(address string) string) string {
	if calls := strings.Count(style, "("); calls > 0 {
		style = replacePictures(withoutEscapes(style), show) // first: there may be "/*" in a URL
		for range min(maxFallbacks, strings.Count(style, "--")) {
			if calls <= maxCalls {
				style = fallback.ReplaceAllString(style, "$1")
			}
		}
	}
	if strings.Contains(style, "/*") {
		style = withoutComments(style)
	}
	declarations, whole := declarationsOf(style)
	all := len(declarations)
	if !whole {
		return style
	}
	declarations = slices.DeleteFunc(declarations, func(d string) bool { return lastColon(d) < 0 || strings.ContainsAny(d, "{}") })
	if len(declarations) == all {
		return style
	}
	return strings.Join(declarations, ";")
}

// pictureNamed matches the names of pictureProperties.
var pictureNamed = regexp.MustCompile(`(?i)(?:background|list-style)(?:-image)?[^\w-]`)

// withoutEscapes leaves out the declarations that have escapes, if the style may have pictures: the sanitiser checks escapes as the characters that they
// stand for, and lets them pass as they are, so that what ends an address for the one would not for the other.
func withoutEscapes(style string) string {
	if !strings.Contains(style, `\`) || !pictureNamed.MatchString(style) {
		return style
	}
	declarations, whole := declarationsOf(style)
	if !whole {
		return ""
	}
	return strings.Join(slices.DeleteFunc(declarations, func(d string) bool { return strings.Contains(d, `\`) }), ";")
}

// withoutComments replaces the comments of a style by spaces, except in quotes.
func withoutComments(style string) string {
	var out strings.Builder
	quote := byte(0)
	for i := 0; i < len(style); i++ {
		c := style[i]
		switch {
		case c == '\\' && i+1 < len(style):
			out.WriteByte(c)
			i++
			c = style[i]
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.HasPrefix(style[i:], "/*"):
			end := strings.Index(style[i+len("/*"):], "*/")
			if end < 0 {
				return out.String()
			}
			i += len("/*") + end + len("*/") - 1
			c = ' '
		}
		out.WriteByte(c)
	}
	return out.String()
}

// declarationsOf splits a style at the semicolons outside of quotes and brackets. whole is false if these are not closed.
func declarationsOf(style string) (all []string, whole bool) {
	quote, start, depth := byte(0), 0, 0
	for i := 0; i < len(style); i++ {
		switch c := style[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == ';' && depth == 0:
			all = append(all, style[start:i])
			start = i + 1
		}
	}
	if start < len(style) {
		all = append(all, style[start:])
	}
	return all, quote == 0 && depth == 0
}
