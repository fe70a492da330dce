package pdfa

import (
	"slices"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// repairTable keeps rows to cells and tables to rows (7.2), and leaves out what says only what is so without it.
func (s *structure) repairTable(t *tag) {
	switch t.kind() {
	case "TR":
		t.kids = s.grouped(t, "TD", false, "TH", "TD")
	case "Table":
		s.fillRows(t)
		s.repairCells(t)
	}
}

// repairCells writes the attributes of a table's cells in little space. If readers find the headers of each cell
// by their scope, no list of them is needed.
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
		if len(a) == 1 { // its owner
			delete(cell.dict, "A")
		}
	}
}

// joinAttributes makes one dictionary of those that a cell has, without spans of one. It reports false if there
// are others than a table's.
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

// forgetIDs removes the tree of elements by their names if no element has a name any more.
func (s *structure) forgetIDs() {
	named := false
	s.each(s.top, func(t *tag) { named = named || t.dict["ID"] != nil })
	if !named {
		delete(s.root, "IDTree")
	}
}

// Bounds of what fillRows does for a table: the columns that are counted, and the cells that are added.
const (
	maxColumns = 10_000
	maxFilled  = 100_000
)

// fillRows gives the rows of a table the same number of columns, with empty cells at their ends (7.2).
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
		return // Check refuses the table
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
