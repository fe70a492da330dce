package admin

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"platen.dev/edge/usage"
	"platen.dev/events/contract"
)

// This file shows usage on a terminal, as plain text.

// showReport shows an account's charges: a table, and a chart that fits into a width.
func showReport(account string, r usage.Report, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage of account %s in the ledger, which is what is billed. It is some seconds behind;\n", account)
	fmt.Fprintf(&b, "the live quota is shown by: platen admin account usage %s\n\n", account)
	by := "by " + r.Bucket
	if r.Bucket == "total" {
		by = "in total"
	}
	fmt.Fprintf(&b, "%s to %s, %s, %s\n\n", r.From, r.To, by, r.TimeZone)
	t, labels := reportTable(r)
	b.WriteString(t.text(true))
	if len(r.Rows) > 0 {
		fmt.Fprintf(&b, "\nrender units\n%s", chart(labels, unitsOf(r), width))
	}
	return b.String()
}

// reportTable returns the table of a report, with the total as its last line, and the labels of the
// rows in a chart.
func reportTable(r usage.Report) (t table, labels []string) {
	t = table{numbers: 3, head: []string{"UNITS", "BYTES", "ENTRIES"}}
	buckets := r.Bucket != "total" || len(r.GroupBy) == 0 // otherwise all rows have the same one
	if buckets {
		t.head = append(t.head, strings.ToUpper(r.Bucket))
	}
	for _, d := range r.GroupBy {
		name := usage.Column(d)
		if _, isTag := d.Tag(); !isTag { // the names of tags are the caller's
			name = strings.ToUpper(name)
		}
		t.head = append(t.head, name)
	}
	for _, row := range r.Rows {
		var names []string
		if buckets {
			names = append(names, bucketName(r.Bucket, row))
		}
		for _, d := range r.GroupBy {
			names = append(names, dash(row.Group(d)))
		}
		t.add(append(figures(row.Figures), names...)...)
		labels = append(labels, strings.Join(names, " "))
	}
	t.add(append(figures(r.Total), "total")...)
	return t, labels
}

func figures(f usage.Figures) []string {
	return []string{grouped(f.Units), grouped(f.Bytes), grouped(f.Entries)}
}

func unitsOf(r usage.Report) (units []int64) {
	for _, row := range r.Rows {
		units = append(units, row.Units)
	}
	return units
}

// bucketName names a bucket as briefly as its kind allows.
func bucketName(bucket string, row usage.Row) string {
	switch bucket {
	case "day":
		return row.Start[:len("2026-01-31")]
	case "month":
		return row.Start[:len("2026-01")]
	}
	return row.Start
}

// chart draws a bar for each value, the longest as long as the width allows. Negative values have lighter bars.
func chart(labels []string, values []int64, width int) string {
	longest, most, digits := 0, 1.0, 0
	for i, v := range values {
		longest = max(longest, utf8.RuneCountInString(contract.Plain(labels[i])))
		most = max(most, magnitude(v))
		digits = max(digits, len(grouped(v)))
	}
	longest = min(longest, max(10, width/2))
	room := max(5, width-longest-digits-len("    "))
	var b strings.Builder
	for i, v := range values {
		label, block := cut(contract.Plain(labels[i]), longest), "█"
		if v < 0 {
			block = "░"
		}
		length := int(magnitude(v)/most*float64(room) + 0.5)
		if v != 0 {
			length = max(1, length)
		}
		fmt.Fprintf(&b, "%s%s  %*s  %s\n", label, strings.Repeat(" ", longest-utf8.RuneCountInString(label)), digits, grouped(v), strings.Repeat(block, length))
	}
	return strings.ReplaceAll(b.String(), "  \n", "\n")
}

// magnitude returns the absolute value, as a float because the smallest integer has no positive
// counterpart.
func magnitude(v int64) float64 { return max(float64(v), -float64(v)) }

func cut(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

// dash returns s, or a dash if it is empty.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// grouped formats a number with its digits in groups of three.
func grouped(n int64) string {
	text := fmt.Sprint(n)
	sign := ""
	if n < 0 {
		sign, text = "-", text[1:]
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return sign + text
}

// table is a table of text. Its first columns are numbers, which are right-aligned.
type table struct {
	numbers int
	head    []string
	rows    [][]string
}

func (t *table) add(cells ...string) {
	for i := range cells {
		cells[i] = contract.Plain(cells[i])
	}
	t.rows = append(t.rows, cells)
}

// text formats the table, with or without its header.
func (t *table) text(head bool) string {
	rows := append([][]string{t.head}, t.rows...)
	widths := make([]int, len(t.head))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	if !head {
		rows = rows[1:]
	}
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(strings.TrimRight(t.line(row, widths), " ") + "\n")
	}
	return b.String()
}

func (t *table) line(row []string, widths []int) string {
	var b strings.Builder
	for i, cell := range row {
		space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i < t.numbers {
			cell, space = space+cell, ""
		}
		b.WriteString(cell + space + "  ")
	}
	return b.String()
}
