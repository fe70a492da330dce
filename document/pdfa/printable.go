package pdfa

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// ErrFonts means that the fonts, and so the characters that can be printed, are unknown.
var ErrFonts = errors.New("the installed fonts cannot be listed")

var installed struct {
	sync.Mutex
	coverage *glyphCoverage
	digest   [sha256.Size]byte
}

// installedCoverage is the coverage of the fonts that fontconfig lists, which are those
// that the browser uses, in the order in which it asks them. It is read once, with fc-match (about 40 ms), and again after a
// failure.
func installedCoverage(ctx context.Context) (*glyphCoverage, error) {
	installed.Lock()
	defer installed.Unlock()
	if installed.coverage != nil {
		return installed.coverage, nil
	}
	out, err := exec.CommandContext(ctx, "fc-match", "--all", "--format", "%{fontformat} %{color} %{charset}\t%{family}\t%{style}\t%{fontversion}\n", ":scalable=true").Output()
	if err != nil {
		return nil, fmt.Errorf("%w: fc-match: %w", ErrFonts, err)
	}
	coverage := parseCoverage(string(out))
	if len(coverage.parts) == 0 {
		return nil, fmt.Errorf("%w: fc-match lists none", ErrFonts)
	}
	installed.coverage, installed.digest = coverage, digestOf(string(out))
	return coverage, nil
}

// FontsDigest is the SHA-256 of what fontconfig lists: name, style, version and characters of each font, in any order.
func FontsDigest(ctx context.Context) (digest [sha256.Size]byte, err error) {
	if _, err := installedCoverage(ctx); err != nil {
		return digest, err
	}
	installed.Lock()
	defer installed.Unlock()
	return installed.digest, nil
}

func digestOf(list string) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.Join(slices.Sorted(strings.Lines(list)), "")))
}

// Printable replaces the characters of a text that no installed font has a glyph for, and marks that the
// font lacks which the browser uses for the character that they are on. Each
// becomes U+FFFD or, if no font has that, a question mark. It also returns the characters
// that it replaced, each once, in their order. ErrFonts is returned only for text that is
// not plain ASCII.
func Printable(ctx context.Context, text string) (string, []rune, error) {
	if isPlainASCII(text) {
		return text, nil, nil
	}
	coverage, err := installedCoverage(ctx)
	if err != nil {
		return "", nil, err
	}
	text, replaced := coverage.printable(text)
	return text, replaced, nil
}

func isPlainASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7F || c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// printable is Printable for this coverage.
func (c *glyphCoverage) printable(text string) (string, []rune) {
	if isPlainASCII(text) {
		return text, nil
	}
	substitute := unicode.ReplacementChar
	if !c.has(substitute) {
		substitute = '?'
	}
	var replaced []rune
	here := cluster{coverage: c}
	text = strings.Map(func(r rune) rune {
		if c.printsProperly(r) && here.takes(r) {
			return r
		}
		if !slices.Contains(replaced, r) {
			replaced = append(replaced, r)
		}
		here.begin(substitute)
		return substitute
	}, text)
	return text, replaced
}

// printsProperly reports whether a character by itself is printed with its own glyph or, like a line
// break, needs none.
func (c *glyphCoverage) printsProperly(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return true
	case r < 0x7F:
		return r >= ' '
	case unicode.IsControl(r), unicode.Is(unicode.Co, r): // the browser does not search fonts for these
		return false
	case isIgnorable(r):
		return true
	}
	return c.has(r)
}

// isIgnorable reports whether text shaping leaves no glyph for a character: the assigned
// characters with Unicode's property Default_Ignorable_Code_Point.
func isIgnorable(r rune) bool {
	switch {
	case r == 0xAD, r == 0x34F, r == 0x61C, r >= 0x180B && r <= 0x180E, r >= 0x200B && r <= 0x200F,
		r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x2064, r >= 0x2066 && r <= 0x206F, r == 0xFEFF,
		r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF, r >= 0xE0020 && r <= 0xE007F:
		return true
	}
	return false
}
