package usage

import (
	"time"

	"platen.dev/ledger"
)

// Entries is a page of entries. Next is nil if it is the last one.
type Entries struct {
	Source  string  `json:"source"`
	Entries []Entry `json:"entries"`
	Next    *string `json:"next_cursor"`
}

// Entry is an entry of the ledger, with the field names of the public events.
type Entry struct {
	ID        string            `json:"entry_id"`
	Kind      string            `json:"kind"`
	Job       string            `json:"job_id,omitempty"`
	Key       string            `json:"key_id,omitempty"`
	Operation string            `json:"operation,omitempty"`
	Tags      map[string]string `json:"tags,omitempty"`
	Occurred  string            `json:"occurred_at"`
	Window    string            `json:"window_start"`
	Units     int64             `json:"render_units"`
	Bytes     int64             `json:"bytes"`
	Ref       string            `json:"ref_entry,omitempty"`
	Reason    string            `json:"reason,omitempty"`
	Source    Place             `json:"source"`
}

// Place is the position in the log of an entry's public event.
type Place struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
}

func newEntries(page ledger.Page) Entries {
	all := Entries{Source: Source, Entries: make([]Entry, len(page.Entries))}
	for i, e := range page.Entries {
		all.Entries[i] = newEntry(e)
	}
	if page.Next != "" {
		all.Next = &page.Next
	}
	return all
}

func newEntry(e ledger.Entry) Entry {
	shown := Entry{
		ID: e.ID, Kind: e.Kind.String(), Job: e.Job, Key: e.Key, Operation: e.Operation,
		Occurred: e.Occurred.UTC().Format(time.RFC3339), Window: e.Window.UTC().Format(time.RFC3339),
		Units: e.Units, Bytes: e.Bytes, Ref: e.Ref, Reason: e.Reason, Source: Place(e.Source),
	}
	for i, tag := range e.Tags {
		if i == 0 {
			shown.Tags = map[string]string{}
		}
		shown.Tags[tag.Name] = tag.Value
	}
	return shown
}
