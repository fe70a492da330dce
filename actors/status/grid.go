package status

import (
	"strings"
	"unicode/utf8"

	"platen.dev/events/contract"
)

// cell is one text of a grid. One that needs attention is coloured.
type cell struct {
	text string
	bad  bool
}

// grid is rows of equal length, the header first.
type grid [][]cell

const (
	gap = "  "
	// narrowest is the minimum width of a shrunk column, in characters.
	narrowest = 6
	red       = "\x1b[31m"
	plain     = "\x1b[0m"
)

// widths returns the widths of the columns, shrinking the widest so that lines have at most width
// characters, if possible.
func (g grid) widths(width int) []int {
	all := make([]int, len(g[0]))
	total := (len(all) - 1) * len(gap)
	for col := range all {
		for _, row := range g {
			all[col] = max(all[col], utf8.RuneCountInString(row[col].text))
		}
		total += all[col]
	}
	for ; total > width; total-- {
		widest := 0
		for col := range all {
			if all[col] > all[widest] {
				widest = col
			}
		}
		if all[widest] <= narrowest {
			break
		}
		all[widest]--
	}
	return all
}

// write writes the grid in lines of at most width characters.
func (g grid) write(b *strings.Builder, width int, colour bool) {
	widths := g.widths(width)
	for _, row := range g {
		var line strings.Builder
		for col, c := range row {
			text := cut(c.text, widths[col])
			pad := strings.Repeat(" ", widths[col]-utf8.RuneCountInString(text))
			line.WriteString(paint(text, c.bad && colour) + pad + gap)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// cut shortens a text to width characters, escaping terminal control characters.
func cut(text string, width int) string {
	text = contract.Plain(text)
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:max(0, width-1)]) + "…"
}

func paint(text string, bad bool) string {
	if !bad || text == "" {
		return text
	}
	return red + text + plain
}
