package pdfa

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxComposed is the length in characters up to which a cluster is normalised.
const maxComposed = 8

// emojiStyle asks for the emoji of the character before it.
const emojiStyle = 0xFE0F

// cluster is a character with the marks on it, which the browser prints in one font: that of the style or, if that lacks any, the first
// of all that has the character. The style is not known here. Styles name fonts for a script, so those are believed to have its marks.
type cluster struct {
	coverage *glyphCoverage
	text     []rune
	fonts    fontSet // that have all its characters
	usual    int     // the first font that has the character
	emoji    bool    // the emoji form is requested
	free     bool    // the marks have no base character
	scripts  map[rune]*unicode.RangeTable
}

// begin begins a cluster with a character.
func (c *cluster) begin(r rune) { c.text, c.emoji = append(c.text[:0], r), false }

// mark determines the fonts of the base character, before its first mark. Marks after a tag have no base character, or the one before the tag.
func (c *cluster) mark() {
	r := c.text[0]
	fonts := c.coverage.fontsWith(r)
	c.free = fonts == nil || r == '>'
	c.fonts = append(c.fonts[:0], fonts...)
	c.usual = fonts.without(c.coverage.color).first()
	if c.usual < 0 {
		c.usual = fonts.first()
	}
}

// takes reports whether a character that some font has can be printed at its place.
func (c *cluster) takes(r rune) bool {
	switch {
	case isIgnorable(r):
		c.emoji = c.emoji || r == emojiStyle
		return true
	case !unicode.Is(unicode.M, r):
		c.begin(r)
		return true
	case len(c.text) == 0:
		return true
	case len(c.text) == 1:
		c.mark()
	}
	if c.free {
		return true
	}
	c.text = append(c.text, r)
	c.fonts.keep(c.coverage.fontsWith(r))
	return c.printedBy(c.fonts) || len(c.text) <= maxComposed && (c.printedBy(c.fontsOf(norm.NFC)) || c.printedBy(c.fontsOf(norm.NFD)))
}

// fontsOf are the fonts that have all of the cluster in a normal form.
func (c *cluster) fontsOf(form norm.Form) (fonts fontSet) {
	for i, r := range []rune(form.String(string(c.text))) {
		if i == 0 {
			fonts = append(fonts, c.coverage.fontsWith(r)...)
		}
		fonts.keep(c.coverage.fontsWith(r))
	}
	return fonts
}

// printedBy reports whether the browser prints the cluster in one of the fonts that have all of it.
func (c *cluster) printedBy(fonts fontSet) bool {
	if fonts.has(c.usual) {
		return true
	}
	plain := fonts.without(c.coverage.color)
	if c.emoji && fonts.without(plain).first() >= 0 {
		return true
	}
	return plain.first() >= 0 && c.oneScript()
}

// oneScript reports whether the character and the last mark on it are of the same script.
func (c *cluster) oneScript() bool {
	last := c.text[len(c.text)-1]
	script, known := c.scripts[last]
	if !known {
		script = scriptOf(last)
		if c.scripts == nil {
			c.scripts = map[rune]*unicode.RangeTable{}
		}
		c.scripts[last] = script
	}
	return script != nil && unicode.Is(script, c.text[0])
}

// scriptOf returns the script of a character, nil if several share it.
func scriptOf(r rune) *unicode.RangeTable {
	for _, script := range unicode.Scripts {
		if unicode.Is(script, r) && script != unicode.Inherited && script != unicode.Common {
			return script
		}
	}
	return nil
}
