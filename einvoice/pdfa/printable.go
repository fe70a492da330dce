package pdfa

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// ErrFonts tells that it cannot be known which characters this machine can print.
var ErrFonts = errors.New("fonts of this machine cannot be listed")

// Coverage is the characters for which fonts have glyphs. It is safe for concurrent use.
type Coverage struct{ ranges []span }

// span is a range of characters, both ends included.
type span struct{ from, to rune }

var machine struct {
	sync.Mutex
	coverage *Coverage
}

// MachineCoverage is what the fonts cover that fontconfig knows, from which the browser
// takes its glyphs. It is read once, by fc-list of Debian's fontconfig (about 40 ms); a
// failure is not kept.
func MachineCoverage(ctx context.Context) (*Coverage, error) {
	machine.Lock()
	defer machine.Unlock()
	if machine.coverage != nil {
		return machine.coverage, nil
	}
	out, err := exec.CommandContext(ctx, "fc-list", "--format", "%{fontformat} %{charset}\n").Output()
	if err != nil {
		return nil, fmt.Errorf("%w: fc-list: %w", ErrFonts, err)
	}
	coverage := parseCoverage(string(out))
	if len(coverage.ranges) == 0 {
		return nil, fmt.Errorf("%w: fc-list knows none", ErrFonts)
	}
	machine.coverage = coverage
	return coverage, nil
}

// Printable replaces, in a text that is about to be printed, what would come out as
// .notdef on this machine; see Coverage.Printable. Text in ASCII asks nobody.
func Printable(ctx context.Context, text string) (string, []rune, error) {
	if plainASCII(text) {
		return text, nil, nil
	}
	coverage, err := MachineCoverage(ctx)
	if err != nil {
		return "", nil, err
	}
	text, replaced := coverage.Printable(text)
	return text, replaced, nil
}

func plainASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7F || c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// parseCoverage unites the lines that fc-list gives: a font's format, and its
// characters as hexadecimal ranges. The browser takes TrueType and CFF outlines only.
func parseCoverage(list string) *Coverage {
	var all []span
	for line := range strings.Lines(list) {
		format, ranges, _ := strings.Cut(strings.TrimSpace(line), " ")
		if format != "TrueType" && format != "CFF" {
			continue
		}
		for _, text := range strings.Fields(ranges) {
			low, high, isRange := strings.Cut(text, "-")
			from, err1 := strconv.ParseInt(low, 16, 32)
			to, err2 := from, error(nil)
			if isRange {
				to, err2 = strconv.ParseInt(high, 16, 32)
			}
			if err1 == nil && err2 == nil {
				all = append(all, span{rune(from), rune(to)})
			}
		}
	}
	return &Coverage{united(all)}
}

// united sorts spans and joins those that touch.
func united(all []span) (out []span) {
	slices.SortFunc(all, func(a, b span) int { return int(a.from) - int(b.from) })
	for _, s := range all {
		if n := len(out); n > 0 && s.from <= out[n-1].to+1 {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// Printable replaces characters without a glyph by U+FFFD, or by a question mark if
// that has none, and gives those that it replaced, each once, in order.
func (c *Coverage) Printable(text string) (string, []rune) {
	if plainASCII(text) {
		return text, nil
	}
	substitute := unicode.ReplacementChar
	if !c.has(substitute) {
		substitute = '?'
	}
	var replaced []rune
	text = strings.Map(func(r rune) rune {
		if c.prints(r) {
			return r
		}
		if !slices.Contains(replaced, r) {
			replaced = append(replaced, r)
		}
		return substitute
	}, text)
	return text, replaced
}

// prints tells whether a character comes out as itself, or as nothing by design.
func (c *Coverage) prints(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return true
	case r < 0x7F:
		return r >= ' '
	case unicode.IsControl(r), unicode.Is(unicode.Co, r): // no browser looks for a font for these
		return false
	case invisible(r):
		return true
	}
	return c.has(r)
}

// invisible characters steer others; shaping leaves no glyph of them
// (Default_Ignorable_Code_Point of Unicode, as far as it is assigned).
func invisible(r rune) bool {
	switch {
	case r == 0xAD, r == 0x34F, r == 0x61C, r >= 0x180B && r <= 0x180E, r >= 0x200B && r <= 0x200F,
		r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x2064, r >= 0x2066 && r <= 0x206F, r == 0xFEFF,
		r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF, r >= 0xE0020 && r <= 0xE007F:
		return true
	}
	return false
}

func (c *Coverage) has(r rune) bool {
	_, found := slices.BinarySearchFunc(c.ranges, r, func(s span, r rune) int {
		switch {
		case s.to < r:
			return -1
		case s.from > r:
			return 1
		}
		return 0
	})
	return found
}
