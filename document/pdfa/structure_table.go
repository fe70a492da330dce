package pdfa

import (
	"slices"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// repairTable makes rows contain only cells, and tables regular rows (7.2), and drops redundant attributes.
func (s *structure) repairTable(t *tag) {
	switch t.kind() {
	case "TR":
		t.kids = s.grouped(t, "TD", false, "TH", "TD")
	case "Table":
		s.fillRows(t)
		s.repairCells(t)
	}
}

// repairCells writes the attributes of a table's cells compactly. If readers can find the headers of each cell by
// scope, lists of headers are dropped.
func (s *structure) repairCells(table *tag) {
	var cells []*tag
	scoped := true
	for _, row := range table.rows() {
		for _, cell := range row.kids {
			if cell.tag == nil { // lines and colours of the row
				continue
			}
			if !s.c.joinAttributes(cell.tag) {
				return
			}
			a, _ := cell.tag.dict["A"].(types.Dict)
			if cell.tag.kind() == "TH" && (a["Scope"] == nil || a["RowSpan"] != nil || a["ColSpan"] != nil) {
				scoped = false
			}
			cells = append(cells, cell.tag)
		}
	}
	if !scoped {
		return
	}
	for _, cell := range cells {
		a, _ := cell.dict["A"].(types.Dict)
		delete(a, "Headers")
		delete(cell.dict, "ID")
		if len(a) == 1 { // only its owner is left
			delete(cell.dict, "A")
		}
	}
}

// joinAttributes merges the attribute dictionaries of a cell, without spans of one. It reports false if it has other than table attributes.
func (c *conversion) joinAttributes(t *tag) bool {
	if t.dict["A"] == nil {
		return true
	}
	entries := c.array(t.dict["A"])
	if entries == nil {
		entries = types.Array{t.dict["A"]}
	}
	all := types.Dict{}
	for _, entry := range entries {
		d := c.dict(entry)
		if c.nameOf(d["O"]) != "Table" {
			return false
		}
		for key, value := range d {
			if !strings.HasSuffix(key, "Span") || c.value(value) != types.Integer(1) {
				all[key] = value
			}
		}
	}
	t.dict["A"] = all
	return true
}

// rows are the rows of a table, those of its parts included.
func (t *tag) rows() (all []*tag) {
	for _, k := range t.kids {
		switch {
		case k.tag == nil:
		case k.tag.kind() == "TR":
			all = append(all, k.tag)
		case slices.Contains([]string{"THead", "TBody", "TFoot"}, k.tag.kind()):
			all = append(all, k.tag.rows()...)
		}
	}
	return all
}

// forgetIDs removes the ID tree if no element has an ID any more.
func (s *structure) forgetIDs() {
	named := false
	s.each(s.top, func(t *tag) { named = named || t.dict["ID"] != nil })
	if !named {
		delete(s.root, "IDTree")
	}
}

// Bounds of fillRows for one table: the columns that it counts, and the cells that it adds.
const (
	maxColumns = 10_000
	maxFilled  = 100_000
)

// fillRows appends empty cells to the rows of a table, so that all have the same number of columns (7.2).
func (s *structure) fillRows(table *tag) {
	rows := table.rows()
	widths := make([]int, len(rows))
	var open []int // rows that a cell above still takes, by column
	for n, row := range rows {
		at := 0
		for _, k := range row.kids {
			if k.tag == nil {
				continue
			}
			across, down := s.c.spans(k.tag)
			for at < len(open) && open[at] > 0 {
				at++
			}
			for range min(across, maxColumns) {
				if at == len(open) {
					open = append(open, 0)
				}
				open[at] = down
				at++
			}
		}
		widths[n] = at
		for column := range open {
			if open[column] > 0 {
				widths[n] = max(widths[n], column+1)
				open[column]--
			}
		}
	}
	if len(rows) == 0 {
		return
	}
	most, missing := min(slices.Max(widths), maxColumns), 0
	for _, width := range widths {
		missing += max(0, most-width)
	}
	if missing > maxFilled {
		return // Check will refuse the table
	}
	for n, row := range rows {
		for range most - widths[n] {
			row.kids = append(row.kids, s.wrap(row, "TD", nil))
		}
	}
}

// spans are how many columns and rows a cell takes.
func (c *conversion) spans(cell *tag) (across, down int) {
	across, down = 1, 1
	entries := c.array(cell.dict["A"])
	if entries == nil {
		entries = types.Array{cell.dict["A"]}
	}
	for _, entry := range entries {
		d := c.dict(entry)
		across, down = max(across, c.intOf(d["ColSpan"])), max(down, c.intOf(d["RowSpan"]))
	}
	return across, down
}
