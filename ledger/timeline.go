package ledger

import (
	"context"
	"slices"
	"strings"
)

// WithTopicIDs returns a ledger that keeps its positions by the ids of topics as well as by their names. id returns a topic's id: a re-created or
// restored topic has another, so the ledger begins with it at 0. Entries that it holds from the former topic are recognised by their ids, and count
// once. A topic without an id keeps its name.
//
// Names that already have an id, as returned by Topics and in the sources of entries, are used unchanged.
func WithTopicIDs(l Ledger, id func(topic string) string) Ledger { return identified{l, id} }

// idMark separates the name of a topic from its id. No topic of Kafka has it in its name.
const idMark = "@"

type identified struct {
	Ledger
	id func(topic string) string
}

// StoredTopic returns the name that a ledger with topic ids uses for a topic with an id, which may be empty.
func StoredTopic(topic, id string) string {
	if id == "" || strings.Contains(topic, idMark) {
		return topic
	}
	return topic + idMark + id
}

func (l identified) stored(topic string) string { return StoredTopic(topic, l.id(topic)) }

// shown replaces the stored topic names of some entries by the caller's: those of another timeline keep the name with the id.
func (l identified) shown(entries []Entry, topic string) []Entry {
	stored := l.stored(topic)
	for i := range entries {
		if entries[i].Source.Topic == stored {
			entries[i].Source.Topic = topic
		}
	}
	return entries
}

func (l identified) Next(ctx context.Context, topic string, partition int32) (int64, error) {
	return l.Ledger.Next(ctx, l.stored(topic), partition)
}

func (l identified) Append(ctx context.Context, b Batch) error {
	if stored := l.stored(b.Topic); stored != b.Topic {
		b.Entries = slices.Clone(b.Entries) // they are the caller's
		for i := range b.Entries {
			if b.Entries[i].Source.Topic == b.Topic {
				b.Entries[i].Source.Topic = stored
			}
		}
		b.Topic = stored
	}
	return l.Ledger.Append(ctx, b)
}

func (l identified) Markers(ctx context.Context, topic string, partition int32, from int64) ([]Marker, error) {
	return l.Ledger.Markers(ctx, l.stored(topic), partition, from)
}

func (l identified) RowsOf(ctx context.Context, topic string, partition int32, lo, hi int64) (Figures, error) {
	return l.Ledger.RowsOf(ctx, l.stored(topic), partition, lo, hi)
}

func (l identified) Sourced(ctx context.Context, topic string, partition int32, lo, hi int64) ([]Entry, error) {
	entries, err := l.Ledger.Sourced(ctx, l.stored(topic), partition, lo, hi)
	return l.shown(entries, topic), err
}

func (l identified) Held(ctx context.Context, entries []Entry) ([]Entry, error) {
	held, err := l.Ledger.Held(ctx, entries)
	asked := map[string]bool{}
	for _, e := range entries {
		asked[e.Source.Topic] = true
	}
	delete(asked, "")
	for topic := range asked {
		held = l.shown(held, topic)
	}
	return held, err
}
