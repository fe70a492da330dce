package document

import (
	"errors"
	"strings"
)

// ErrComplex refuses Markdown whose structure takes time or space out of all
// proportion to its length. Nothing that was written to be read comes near.
var ErrComplex = errors.New("markdown is nested or repeated too much to be rendered")

const (
	// maxDepth is how many quotes and lists one line may open. Each level costs a pass over the rest.
	maxDepth = 50
	// maxLinkWork bounds link openings times characters, per paragraph: an unclosed
	// link is looked for until the paragraph's end.
	maxLinkWork = 200_000_000
	// maxCells bounds table cells: every row is filled up to the header's width.
	maxCells = 50_000
)

// checkComplexity reads the source once, line by line.
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
		if links*paragraph > maxLinkWork || cells > maxCells || containers(line) > maxDepth {
			return ErrComplex
		}
	}
	return nil
}

// delimiterColumns is the number of columns if the line may be the one below a table's header, else 0.
func delimiterColumns(line string) int {
	if strings.Trim(line, " \t\r\n|:->") != "" || !strings.Contains(line, "-") {
		return 0
	}
	return strings.Count(strings.Trim(line, "> \t\r\n|"), "|") + 1
}

// containers counts the quotes and list items that a line opens or continues. A
// thematic break opens none.
func containers(line string) (depth int) {
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

// markerWidth is the length of the quote or list marker at the beginning, or 0.
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
