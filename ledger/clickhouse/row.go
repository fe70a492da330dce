package clickhouse

import (
	"time"

	"platen.dev/ledger"
)

var (
	entryColumns = []string{
		"account", "entry_id", "job_id", "kind", "key_id", "operation", "tag_k", "tag_v", "occurred_at", "window_start",
		"render_units", "bytes", "ref_entry", "reason", "schema_v", "src_topic", "src_part", "src_offset", "row_hash", "ingested_at",
	}
	idColumns     = []string{"entry_id", "row_hash"}
	markerColumns = []string{"src_topic", "src_part", "lo", "hi", "entries", "render_units", "bytes", "xor_hash", "inserted_at"}
)

func entryValues(entries []ledger.Hashed) [][]any {
	rows, now := make([][]any, 0, len(entries)), time.Now()
	for _, e := range entries {
		names, values := splitTags(e.Tags)
		rows = append(rows, []any{
			e.Account, e.ID, e.Job, e.Kind.String(), e.Key, e.Operation, names, values, e.Occurred, e.Window,
			e.Units, e.Bytes, e.Ref, e.Reason, uint16(ledger.SchemaVersion), e.Source.Topic, e.Source.Partition, e.Source.Offset, e.Hash, now,
		})
	}
	return rows
}

func idValues(entries []ledger.Hashed) [][]any {
	rows := make([][]any, 0, len(entries))
	for _, e := range entries {
		rows = append(rows, []any{e.ID, e.Hash})
	}
	return rows
}

func splitTags(tags []ledger.Tag) (names, values []string) {
	names, values = make([]string, len(tags)), make([]string, len(tags))
	for i, tag := range tags {
		names[i], values[i] = tag.Name, tag.Value
	}
	return names, values
}

func joinTags(names, values []string) (tags []ledger.Tag) {
	for i := range min(len(names), len(values)) {
		tags = append(tags, ledger.Tag{Name: names[i], Value: values[i]})
	}
	return tags
}
