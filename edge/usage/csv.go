package usage

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strconv"

	"platen.dev/ledger"
)

// CSV writes a report's rows according to RFC 4180, after a header line: start, end, one column for each dimension in
// the order of group_by (key_id, operation, tag:NAME), render_units, bytes, entries.
func (r Report) CSV() []byte {
	columns := []string{"start", "end"}
	for _, d := range r.GroupBy {
		columns = append(columns, Column(d))
	}
	lines := [][]string{append(columns, "render_units", "bytes", "entries")}
	for _, row := range r.Rows {
		line := []string{row.Start, row.End}
		for _, d := range r.GroupBy {
			line = append(line, guarded(row.Group(d)))
		}
		lines = append(lines, append(line, number(row.Units), number(row.Bytes), number(row.Entries)))
	}
	return write(lines)
}

// Column is the name of a dimension's column: that of its field in JSON, or tag:NAME.
func Column(d ledger.Dimension) string {
	if d == ledger.ByKey {
		return keyParam
	}
	return string(d)
}

var entryColumns = []string{
	"entry_id", "kind", "job_id", "key_id", "operation", "tags", "occurred_at", "window_start",
	"render_units", "bytes", "ref_entry", "reason", "source_topic", "source_partition", "source_offset",
}

// CSV writes a page of entries as Report.CSV writes rows. The tags are a JSON object.
func (all Entries) CSV() []byte {
	lines := [][]string{entryColumns}
	for _, e := range all.Entries {
		tags := ""
		if len(e.Tags) > 0 {
			b, _ := json.Marshal(e.Tags) // texts can always be marshalled
			tags = guardedJSON(string(b))
		}
		lines = append(lines, []string{
			guarded(e.ID), e.Kind, guarded(e.Job), guarded(e.Key), guarded(e.Operation), tags, e.Occurred, e.Window,
			number(e.Units), number(e.Bytes), guarded(e.Ref), guarded(e.Reason), guarded(e.Source.Topic), number(int64(e.Source.Partition)), number(e.Source.Offset),
		})
	}
	return write(lines)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

func write(lines [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	_ = w.WriteAll(lines) // a buffer never fails
	return b.Bytes()
}
