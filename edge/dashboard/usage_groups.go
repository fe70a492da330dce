package dashboard

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/usage"
	"platen.dev/ledger"
)

// other is the name of the group that joins all small groups, on the page and in its file.
const other = "(other)"

// dimension returns the dimension that divides a report; "" for none.
func dimension(r usage.Report) ledger.Dimension {
	if len(r.GroupBy) == 0 {
		return ""
	}
	return r.GroupBy[0]
}

// folded returns the rows of a report with all but the largest groups joined. Entries without a value in the dimension,
// such as corrections, stay a group of their own.
func folded(r usage.Report) (rows []usage.Row, err error) {
	by := dimension(r)
	kept := largest(r, by)
	if kept == nil {
		return r.Rows, nil
	}
	for day := range days(r.Rows) {
		var rest []usage.Row
		for _, row := range day {
			if slices.Contains(kept, row.Group(by)) {
				rows = append(rows, row)
			} else {
				rest = append(rest, row)
			}
		}
		if len(rest) > 0 {
			one, err := joined(rest)
			if err != nil {
				return nil, err
			}
			rows = append(rows, renamed(one, by))
		}
	}
	return rows, nil
}

// largest returns the groups to keep; nil for all.
func largest(r usage.Report, by ledger.Dimension) []string {
	entries := map[string]int64{}
	for _, row := range r.Rows {
		if name := row.Group(by); name != "" {
			entries[name] += row.Entries
		}
	}
	if len(entries) <= page.MostGroups {
		return nil
	}
	names := slices.SortedFunc(maps.Keys(entries), func(a, b string) int {
		return cmp.Or(cmp.Compare(entries[b], entries[a]), cmp.Compare(a, b))
	})
	return append(names[:page.MostGroups:page.MostGroups], "")
}

// days are the rows day by day.
func days(rows []usage.Row) func(yield func([]usage.Row) bool) {
	return func(yield func([]usage.Row) bool) {
		for len(rows) > 0 {
			n := slices.IndexFunc(rows, func(r usage.Row) bool { return r.Start != rows[0].Start })
			if n < 0 {
				n = len(rows)
			}
			if !yield(rows[:n]) {
				return
			}
			rows = rows[n:]
		}
	}
}

// joined sums up rows of a day, or returns ledger.ErrOverflow.
func joined(rows []usage.Row) (one usage.Row, err error) {
	var units, bytes, entries ledger.Sum
	for _, r := range rows {
		units.Add(r.Units)
		bytes.Add(r.Bytes)
		entries.Add(r.Entries)
	}
	one = usage.Row{Start: rows[0].Start, End: rows[0].End}
	if one.Units, err = units.Int64(); err != nil {
		return one, err
	}
	if one.Bytes, err = bytes.Int64(); err != nil {
		return one, err
	}
	one.Entries, err = entries.Int64()
	return one, err
}

// renamed is a row of the group other.
func renamed(r usage.Row, by ledger.Dimension) usage.Row {
	name := other
	switch tag, isTag := by.Tag(); {
	case isTag:
		r.Tags = map[string]string{tag: name}
	case by == ledger.ByKey:
		r.Key = &name
	default:
		r.Operation = &name
	}
	return r
}

// corrections returns the corrections of each day, from a report by operation: only corrections have none.
func corrections(byOperation usage.Report) map[string]page.UsageFigures {
	all := map[string]page.UsageFigures{}
	for _, row := range byOperation.Rows {
		if row.Group(ledger.ByOperation) == "" {
			all[row.Start] = figures(row.Figures)
		}
	}
	return all
}

// divided are the groups and rows of a report. keyName is the name of a key; "" if it has none.
func divided(r usage.Report, corrected map[string]page.UsageFigures, keyName func(id string) string) (groups []page.UsageGroup, rows []page.UsageRow) {
	by, places := dimension(r), map[string]int{}
	for _, value := range values(r, by) {
		places[value] = len(groups)
		groups = append(groups, group(by, value, keyName))
	}
	for _, row := range r.Rows {
		start, _ := time.Parse(time.RFC3339, row.Start)
		shown := page.UsageRow{Day: start, Group: places[row.Group(by)], UsageFigures: figures(row.Figures)}
		kind := groups[shown.Group].Kind
		if f, ok := corrected[row.Start]; ok && (kind == page.GroupAll || kind == page.GroupUntagged) {
			shown.Corrections = &f
		}
		rows = append(rows, shown)
	}
	return groups, rows
}

// values are those of a dimension, the special ones last.
func values(r usage.Report, by ledger.Dimension) (all []string) {
	for _, row := range r.Rows {
		all = append(all, row.Group(by))
	}
	rank := func(value string) int { return slices.Index([]string{other, ""}, value) }
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) })
	return slices.Compact(all)
}

func group(by ledger.Dimension, value string, keyName func(id string) string) page.UsageGroup {
	_, isTag := by.Tag()
	g := page.UsageGroup{Kind: page.GroupKind(by), Parameter: usage.Column(by), Value: value}
	switch {
	case by == "":
		g.Kind = page.GroupAll
	case value == other:
		return page.UsageGroup{Kind: page.GroupOther}
	case value == "" && isTag:
		g.Kind = page.GroupUntagged
	case value == "":
		g.Kind = page.GroupCorrections
	case isTag:
		g.Kind = page.GroupTag
	case by == ledger.ByKey:
		g.Name = keyName(value)
	}
	return g
}

func figures(f usage.Figures) page.UsageFigures {
	return page.UsageFigures{Jobs: f.Units, Bytes: f.Bytes, Entries: f.Entries}
}
