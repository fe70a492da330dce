package pdfa

import (
	"slices"
	"strings"

	"platen.dev/document/pdfa/cos"
)

// parentsOf maps an element type to its allowed parents, and the rule (7.2).
var parentsOf = map[string]struct{ rule, parents string }{
	"TR": {"7.2-4", "Table THead TBody TFoot"}, "THead": {"7.2-5", "Table"}, "TBody": {"7.2-6", "Table"}, "TFoot": {"7.2-7", "Table"},
	"TH": {"7.2-8", "TR"}, "TD": {"7.2-9", "TR"}, "LI": {"7.2-17", "L"}, "LBody": {"7.2-18", "LI"}, "TOCI": {"7.2-26", "TOC"},
}

// kidsAllowed maps an element type to its allowed kids, and the rule (7.2).
var kidsAllowed = map[string]struct{ rule, kids string }{
	"Table": {"7.2-3", "TR THead TBody TFoot Caption"}, "TR": {"7.2-10", "TH TD"}, "L": {"7.2-19", "L LI Caption"}, "LI": {"7.2-20", "Lbl LBody"},
	"TOC": {"7.2-27", "TOC TOCI Caption"}, "THead": {"7.2-36", "TR"}, "TBody": {"7.2-37", "TR"}, "TFoot": {"7.2-38", "TR"},
}

// nesting checks the types of an element's parent and kids.
func (a *access) nesting(kind, parent string, kids []string) {
	if r, ok := parentsOf[kind]; ok {
		a.addIf(!slices.Contains(strings.Fields(r.parents), parent), r.rule, "an element of type %s is in one of type %s", kind, parent)
	}
	r, ok := kidsAllowed[kind]
	captions := 0
	for n, k := range kids {
		a.addIf(ok && !slices.Contains(strings.Fields(r.kids), k), r.rule, "an element of type %s is in one of type %s", k, kind)
		if k == "Caption" {
			captions++
			a.addIf(kind == "L" && n > 0, "7.2-40", "the caption of a list is not its first element")
			a.addIf(kind == "Table" && n > 0 && n < len(kids)-1, "7.2-16", "the caption of a table is neither its first nor its last element")
		}
	}
	a.addIf(kind == "Table" && captions > 1, "7.2-39", "a table has %d captions", captions)
}

// table checks that the rows of a table have the same number of columns (7.2), and that headers have a scope or
// cells name theirs (7.5).
func (a *access) table(d cos.Dict) {
	var open []int64 // rows that a cell above still takes, by column
	columns := 0
	unscoped, unnamed := false, false
	for n, row := range a.rows(d, 0) {
		at := 0
		for _, value := range a.kidsOf(row) {
			cell := a.file.Dict(value)
			kind := a.name(cell["S"])
			if kind != "TH" && kind != "TD" {
				continue
			}
			attributes := a.attributes(cell)
			unscoped = unscoped || kind == "TH" && attributes["Scope"] == nil
			unnamed = unnamed || kind == "TD" && attributes["Headers"] == nil
			for at < len(open) && open[at] > 0 {
				at++
			}
			for range min(a.file.Int(attributes["ColSpan"], 1), 10_000) {
				for len(open) <= at {
					open = append(open, 0)
				}
				a.addIf(open[at] > 0, "7.2-15", "cells of a table overlap")
				open[at] = a.file.Int(attributes["RowSpan"], 1)
				at++
			}
		}
		width := at
		for i, rows := range open {
			if rows > 0 {
				width = max(width, i+1)
				open[i]--
			}
		}
		if n == 0 {
			columns = width
		}
		a.addIf(width != columns, "7.2-42", "row %d of a table has %d columns, the first has %d", n+1, width, columns)
	}
	for _, rows := range open {
		a.addIf(rows > 0, "7.2-41", "a cell of a table spans more rows than there are")
	}
	a.addIf(unscoped && unnamed, "7.5-1", "a table has headers without scope, and cells that do not name theirs")
}

// rows are the rows of a table, those of its parts included.
func (a *access) rows(d cos.Dict, depth int) (all []cos.Dict) {
	for _, value := range a.kidsOf(d) {
		kid := a.file.Dict(value)
		switch kind := a.name(kid["S"]); kind {
		case "TR":
			all = append(all, kid)
		case "THead", "TBody", "TFoot":
			if depth == 0 {
				all = append(all, a.rows(kid, 1)...)
			}
		}
	}
	return all
}

// attributes returns the table attributes of a cell.
func (a *access) attributes(cell cos.Dict) cos.Dict {
	entries := a.file.Array(cell["A"])
	if entries == nil {
		entries = cos.Array{cell["A"]}
	}
	all := cos.Dict{}
	for _, entry := range entries {
		if d := a.file.Dict(entry); a.name(d["O"]) == "Table" {
			for key, value := range d {
				all[key] = value
			}
		}
	}
	return all
}
