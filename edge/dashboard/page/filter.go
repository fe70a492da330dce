package page

import (
	"fmt"
	"time"

	"platen.dev/events"
)

// choice is a field of the filter with the values that it may have. Label is the key of its text.
type choice struct {
	Name, Label, Chosen string
	Options             []option
}

type option struct{ Value, Text string }

// filtered counts the fields that a filter sets.
func filtered(f Filter) (n int) {
	for _, value := range []string{f.Status, f.Operation, f.Key, f.Error, f.Test, f.From, f.To} {
		if value != "" {
			n++
		}
	}
	if f.TagName != "" || f.TagValue != "" {
		n++ // both are one condition
	}
	return n
}

// date returns the value for a date field: a date, or "".
func date(typed string) string {
	if _, err := time.Parse(time.DateOnly, typed); err != nil {
		return ""
	}
	return typed
}

// choices are the fields of the filter that are chosen from a list.
func choices(j Jobs) []choice {
	var keys []option
	for _, k := range j.Keys {
		keys = append(keys, option{string(k.ID), keyName(k)})
	}
	return []choice{
		{"status", "status", j.Filter.Status, options("status", statuses)},
		{"operation", "operation", j.Filter.Operation, options("operation", events.Operations())},
		{"key_id", "key", j.Filter.Key, keys},
		{"error_code", "error", j.Filter.Error, options("error", events.ErrorCodes())},
		{"test", "mode", j.Filter.Test, []option{{"false", word("jobs", "live")}, {"true", word("jobs", "test")}}},
	}
}

func options[V any](section string, values []V) (all []option) {
	for _, v := range values {
		all = append(all, option{fmt.Sprint(v), word(section, v)})
	}
	return all
}

var statuses = []events.Status{
	events.StatusQueued, events.StatusRendering, events.StatusUploading, events.StatusDone, events.StatusFailed,
}
