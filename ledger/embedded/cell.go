package embedded

import (
	"cmp"
	"slices"

	"platen.dev/ledger"
)

// sizes are the spans that cells have, in seconds: a UTC day, an hour, a quarter.
var sizes = []int64{86400, 3600, ledger.Quarter}

// undivided is the dimension of cells that are divided by nothing.
const undivided ledger.Dimension = ""

// cell names a sum.
type cell struct {
	account          string
	dimension        ledger.Dimension
	span, at, window int64
	value            string
}

func (c cell) compare(other cell) int {
	return cmp.Or(
		cmp.Compare(c.account, other.account), cmp.Compare(c.dimension, other.dimension), cmp.Compare(c.span, other.span),
		cmp.Compare(c.at, other.at), cmp.Compare(c.window, other.window), cmp.Compare(c.value, other.value),
	)
}

// amounts are what a cell sums up, in halves that do not overflow within 2³¹ entries.
type amounts struct{ unitsHigh, unitsLow, bytesHigh, bytesLow, entries int64 }

const half = 1 << 32

func amountsOf(units, bytes int64) amounts {
	return amounts{units / half, units % half, bytes / half, bytes % half, 1}
}

func (a *amounts) add(b amounts) {
	a.unitsHigh += b.unitsHigh
	a.unitsLow += b.unitsLow
	a.bytesHigh += b.bytesHigh
	a.bytesLow += b.bytesLow
	a.entries += b.entries
}

func (a amounts) negative() amounts {
	return amounts{-a.unitsHigh, -a.unitsLow, -a.bytesHigh, -a.bytesLow, -a.entries}
}

func (a amounts) part(at int64, groups []string) ledger.Part {
	p := ledger.Part{At: at, Groups: groups, Units: ledger.Halves(a.unitsHigh, a.unitsLow), Bytes: ledger.Halves(a.bytesHigh, a.bytesLow)}
	p.Entries.Add(a.entries)
	return p
}

// line is what the sums need of an entry.
type line struct {
	account          string
	occurred, window int64
	key, operation   string
	tags             []ledger.Tag
	units, bytes     int64
}

// cells sum up entries.
type cells map[cell]amounts

// add counts an entry in its quarter, in every dimension that it has.
func (all cells) add(e line) {
	c := cell{account: e.account, span: ledger.Quarter, at: e.occurred - e.occurred%ledger.Quarter, window: e.window}
	count := func(d ledger.Dimension, value string) {
		c.dimension, c.value = d, value
		sum := all[c]
		sum.add(amountsOf(e.units, e.bytes))
		all[c] = sum
	}
	count(undivided, "")
	count(ledger.ByKey, e.key)
	count(ledger.ByOperation, e.operation)
	for _, tag := range e.tags {
		count(ledger.ByTag(tag.Name), tag.Value)
	}
}

// accountDimension names all cells that an account has in a dimension.
type accountDimension struct {
	account   string
	dimension ledger.Dimension
}

// wide returns the tags that have more than most values.
func (all cells) wide(most int) (wide []accountDimension) {
	values := map[accountDimension]map[string]bool{}
	for c := range all {
		of := accountDimension{c.account, c.dimension}
		if _, isTag := c.dimension.Tag(); !isTag {
			continue
		}
		if values[of] == nil {
			values[of] = map[string]bool{}
		}
		values[of][c.value] = true
	}
	for of, distinct := range values {
		if len(distinct) > most {
			wide = append(wide, of)
		}
	}
	return wide
}

// summedCell is a cell with its sums.
type summedCell struct {
	cell
	amounts
}

// spans returns the cells of all sizes, in the order of the table.
func (all cells) spans() (list []summedCell) {
	larger := cells{}
	for c, sum := range all {
		list = append(list, summedCell{c, sum})
		for _, size := range sizes[:len(sizes)-1] {
			wider := c
			wider.span, wider.at = size, c.at-c.at%size
			total := larger[wider]
			total.add(sum)
			larger[wider] = total
		}
	}
	for c, sum := range larger {
		list = append(list, summedCell{c, sum})
	}
	slices.SortFunc(list, func(a, b summedCell) int { return a.compare(b.cell) })
	return list
}
