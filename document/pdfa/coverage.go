package pdfa

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// glyphCoverage maps characters to the fonts that have a glyph for them. It is safe for concurrent use.
type glyphCoverage struct {
	parts []covered // in order, without overlap
	color fontSet   // emoji fonts
}

// covered is an inclusive range of characters that the same fonts have.
type covered struct {
	from, to rune
	fonts    fontSet
}

// fontSet is a set of fonts, by their numbers.
type fontSet []uint64

func (s fontSet) toggle(font int) { s[font/64] ^= 1 << (font % 64) }

func (s fontSet) has(font int) bool {
	return font >= 0 && font/64 < len(s) && s[font/64]&(1<<(font%64)) != 0
}

// first returns the lowest number in a set, -1 if it is empty.
func (s fontSet) first() int {
	for i, word := range s {
		if word != 0 {
			return 64*i + bits.TrailingZeros64(word)
		}
	}
	return -1
}

// keep intersects a set with another.
func (s fontSet) keep(other fontSet) {
	for i := range s {
		if i < len(other) {
			s[i] &= other[i]
		} else {
			s[i] = 0
		}
	}
}

// without returns a set without the members of another of the same length.
func (s fontSet) without(other fontSet) fontSet {
	left := slices.Clone(s)
	for i := range left {
		left[i] &^= other[i]
	}
	return left
}

// boundary is a character at which a range of a font's characters begins, or has ended.
type boundary struct {
	at   rune
	font int
}

// parseCoverage reads the lines of fc-match, which are a font's format, whether it has colors, and its characters
// as hexadecimal ranges. Fonts are numbered in the order in which the browser asks them. It uses only fonts with TrueType and CFF outlines.
func parseCoverage(list string) *glyphCoverage {
	numbers := map[string]int{} // by the rest of a font's line: within a family, lines are mostly identical
	var all []boundary
	var color []int
	for line := range strings.Lines(list) {
		line, _, _ = strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		format, rest, _ := strings.Cut(line, " ")
		if _, known := numbers[rest]; known || format != "TrueType" && format != "CFF" {
			continue
		}
		font := len(numbers)
		numbers[rest] = font
		colored, ranges, _ := strings.Cut(rest, " ")
		if colored == "True" {
			color = append(color, font)
		}
		all = append(all, boundariesOf(ranges, font)...)
	}
	words := (len(numbers) + 63) / 64
	c := &glyphCoverage{parts: partsOf(all, words), color: make(fontSet, words)}
	for _, font := range color {
		c.color.toggle(font)
	}
	return c
}

func boundariesOf(ranges string, font int) (all []boundary) {
	for text := range strings.FieldsSeq(ranges) {
		low, high, isRange := strings.Cut(text, "-")
		from, err1 := strconv.ParseInt(low, 16, 32)
		to, err2 := from, error(nil)
		if isRange {
			to, err2 = strconv.ParseInt(high, 16, 32)
		}
		if err1 == nil && err2 == nil {
			all = append(all, boundary{rune(from), font}, boundary{rune(to) + 1, font})
		}
	}
	return all
}

// partsOf returns the ranges between boundaries that at least one font has. words is the length of the sets.
func partsOf(all []boundary, words int) (parts []covered) {
	slices.SortFunc(all, func(a, b boundary) int { return int(a.at) - int(b.at) })
	fonts := make(fontSet, words)
	for i, b := range all {
		fonts.toggle(b.font)
		if i+1 < len(all) && all[i+1].at > b.at && fonts.first() >= 0 {
			parts = append(parts, covered{b.at, all[i+1].at - 1, slices.Clone(fonts)})
		}
	}
	return parts
}

// fontsWith are the fonts that have a character, nil for none.
func (c *glyphCoverage) fontsWith(r rune) fontSet {
	i, found := slices.BinarySearchFunc(c.parts, r, func(p covered, r rune) int {
		switch {
		case p.to < r:
			return -1
		case p.from > r:
			return 1
		}
		return 0
	})
	if !found {
		return nil
	}
	return c.parts[i].fonts
}

func (c *glyphCoverage) has(r rune) bool { return c.fontsWith(r) != nil }
