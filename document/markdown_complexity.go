package document

import (
	"errors"
	"strings"
)

// ErrComplex refuses Markdown whose structure takes time or memory out of all proportion
// to its length. Documents that people write stay far below these limits.
var ErrComplex = errors.New("markdown is nested too deeply, or too repetitive, to be rendered")

const (
	// maxDepth is how many block quotes and list items one line may be in. Each level
	// costs a pass over the rest of the line.
	maxDepth = 50
	// maxLinkWork bounds, per paragraph, the number of links times bytes, because the
	// parser searches for the end of each link up to the end of the paragraph.
	maxLinkWork = 200_000_000
	// maxCells bounds table cells, because every row is padded to the width of the header.
	maxCells = 50_000
)

// checkComplexity returns ErrComplex or nil. It reads the source once, line by line.
func checkComplexity(source string) error {
	var paragraph, links, columns, cells int
	for line := range strings.Lines(source) {
		if strings.TrimSpace(line) == "" {
			paragraph, links, columns = 0, 0, 0
			continue
		}
		if n := delimiterColumns(line); n > 0 {
			columns = n
		}
		paragraph += len(line)
		links += strings.Count(line, "](")
		cells += columns
		if links*paragraph > maxLinkWork || cells > maxCells || containerDepth(line) > maxDepth {
			return ErrComplex
		}
	}
	return nil
}

// delimiterColumns is the number of columns if the line may be the delimiter row of a
// table, and otherwise 0.
func delimiterColumns(line string) int {
	if strings.Trim(line, " \t\r\n|:->") != "" || !strings.Contains(line, "-") {
		return 0
	}
	return strings.Count(strings.Trim(line, "> \t\r\n|"), "|") + 1
}

// containerDepth counts the markers of block quotes and list items that a line begins
// with. A thematic break has none.
func containerDepth(line string) (depth int) {
	rest := strings.TrimSpace(line)
	if strings.Trim(rest, "* \t") == "" || strings.Trim(rest, "- \t") == "" {
		return 0
	}
	for {
		rest = strings.TrimLeft(rest, " \t")
		width := markerWidth(rest)
		if width == 0 {
			return depth
		}
		depth++
		rest = rest[width:]
	}
}

// markerWidth is the length of the block quote or list marker at the beginning, or 0.
func markerWidth(text string) int {
	if strings.HasPrefix(text, ">") {
		return 1
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits > 9 || len(text) < digits+2 || text[digits+1] != ' ' && text[digits+1] != '\t' {
		return 0
	}
	marks := "-+*"
	if digits > 0 {
		marks = ".)"
	}
	if !strings.Contains(marks, text[digits:digits+1]) {
		return 0
	}
	return digits + 1
}
