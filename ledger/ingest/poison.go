package ingest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"

	"platen.dev/events"
	"platen.dev/events/bus"
	"platen.dev/events/eventlog"
	"platen.dev/events/public"
	"platen.dev/ledger"
)

const (
	// metaTopic and metaOffset say where a poison record came from. The partition is the same.
	metaTopic, metaOffset = "source_topic", "source_offset"
	maxReason             = 1 << 10 // bytes
)

// poison publishes a record with the reason why it cannot be in the ledger, once: its batch is delivered again until the ledger takes it.
func (g *Ingest) poison(ctx context.Context, b bus.Batch, r eventlog.Record, reason error) error {
	what := poison{b.Partition, r.Offset, sha256.Sum256(r.Value)}
	if g.isTold(what) {
		return nil
	}
	if err := g.publishPoison(ctx, b, r, reason); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.told[what] = true
	return nil
}

// poison is a record of the topic of public events. After the topic has lost its end, another one may have its offset.
type poison struct {
	partition int32
	offset    int64
	value     [sha256.Size]byte
}

func (g *Ingest) isTold(what poison) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.told[what]
}

// settled forgets the poison of a batch that the ledger has taken.
func (g *Ingest) settled(b bus.Batch) {
	g.mu.Lock()
	defer g.mu.Unlock()
	maps.DeleteFunc(g.told, func(p poison, _ bool) bool {
		return p.partition == b.Partition && p.offset >= b.Lo && p.offset <= b.Hi
	})
}

func (g *Ingest) publishPoison(ctx context.Context, b bus.Batch, r eventlog.Record, reason error) error {
	var kept []eventlog.Header // only the headers of public events, to leave room for the reason
	for _, h := range r.Headers[:min(len(r.Headers), public.MaxHeaders)] {
		if len(h.Key)+len(h.Value) <= public.MaxHeader {
			kept = append(kept, h)
		}
	}
	r.Headers = kept
	m := bus.NewMessage(b.Partition, r)
	m.Metadata.Set(metaTopic, b.Topic)
	m.Metadata.Set(metaOffset, strconv.FormatInt(r.Offset, 10))
	m.SetContext(ctx)
	text := fmt.Errorf("%s", strings.ToValidUTF8(reason.Error()[:min(len(reason.Error()), maxReason)], "�"))
	if _, err := g.reject(func(*message.Message) ([]*message.Message, error) { return nil, text })(m); err != nil {
		return err
	}
	g.poisoned.Add(1)
	g.logger.Error("the usage ledger skipped a record: platen admin ledger poison list shows it", "topic", b.Topic, "partition", b.Partition, "offset", r.Offset, "reason", text)
	return nil
}

// Moved adapts a poison record whose source topic begins at an offset to a copy of the topic that begins at 0. Records from before that offset stay
// unchanged: the copy lacks their source.
func Moved(r eventlog.Record, start int64) eventlog.Record {
	r.Headers = slices.Clone(r.Headers)
	for i, h := range r.Headers {
		if offset, err := strconv.ParseInt(h.Value, 10, 64); h.Key == metaOffset && err == nil && offset >= start {
			r.Headers[i].Value = strconv.FormatInt(offset-start, 10)
		}
	}
	return r
}

// Poisoned is a record that is not in the ledger.
type Poisoned struct {
	Source ledger.Source
	// At is the offset of its copy in the topic of poison.
	At int64
	// Reason is why, for people.
	Reason string
	// ID, Type and Account are the event's, if it has any.
	ID, Type, Account string
}

// Poison returns the records of a partition that were published as poison and are not in the ledger since, each once, with the latest reason. It
// reads the whole partition of the topic.
func Poison(ctx context.Context, log eventlog.Log, l ledger.Ledger, partition int32) (all []Poisoned, err error) {
	found, err := published(ctx, log, partition)
	if err != nil {
		return nil, err
	}
	for _, poisoned := range found {
		lacks, err := lacks(ctx, l, poisoned.Source)
		if err != nil {
			return nil, err
		}
		if lacks {
			all = append(all, poisoned)
		}
	}
	return all, nil
}

// published returns the records in a partition of the topic, each once.
func published(ctx context.Context, log eventlog.Log, partition int32) (all []Poisoned, err error) {
	start, end, err := log.Bounds(ctx, events.TopicPoison, partition)
	if err != nil {
		return nil, err
	}
	known := map[ledger.Source]int{}
	err = eachPublished(ctx, log, partition, start, end, func(poisoned Poisoned) (bool, error) {
		if i, found := known[poisoned.Source]; found {
			all[i] = poisoned
			return true, nil
		}
		known[poisoned.Source] = len(all)
		all = append(all, poisoned)
		return true, nil
	})
	return all, err
}

// eachPublished visits the records in a partition of the topic, from an offset up to another, while visit wants more. It skips other writers'.
func eachPublished(ctx context.Context, log eventlog.Log, partition int32, from, to int64, visit func(Poisoned) (more bool, err error)) error {
	reader := log.Read(events.TopicPoison, partition, from)
	defer reader.Close()
	for next := from; next < to; {
		records, err := reader.Next(ctx)
		if err != nil {
			return err
		}
		for _, r := range records {
			if r.Offset >= to {
				return nil
			}
			next = r.Offset + 1
			poisoned, err := readPoisoned(partition, r)
			if err != nil {
				continue
			}
			if more, err := visit(poisoned); !more || err != nil {
				return err
			}
		}
	}
	return nil
}

// Forget has Poison list the records of a partition no longer, up to an offset of the topic of poison. It stops at the first record that could be an
// entry but is missing from the ledger, such as one whose id the ledger has already: whoever compares the ledger with the log must know of it.
func Forget(ctx context.Context, log eventlog.Log, l ledger.Ledger, partition int32, upTo int64) error {
	start, end, err := log.Bounds(ctx, events.TopicPoison, partition)
	if err != nil {
		return err
	}
	before := min(upTo+1, end)
	err = eachPublished(ctx, log, partition, start, before, func(poisoned Poisoned) (bool, error) {
		hopeless, err := isHopeless(ctx, log, l, poisoned.Source)
		if !hopeless {
			before = poisoned.At
		}
		return hopeless, err
	})
	if err != nil {
		return err
	}
	return log.Trim(ctx, events.TopicPoison, partition, before)
}

// isHopeless reports whether a record can never be an entry, is one already, or is gone. A newer version may accept usage that this one refuses.
func isHopeless(ctx context.Context, log eventlog.Log, l ledger.Ledger, at ledger.Source) (bool, error) {
	if at.Topic != events.TopicEvents {
		return true, nil
	}
	start, end, err := log.Bounds(ctx, at.Topic, at.Partition)
	if err != nil || at.Offset < start || at.Offset >= end {
		return err == nil, err
	}
	r, err := eventlog.ReadOne(ctx, log, at.Topic, at.Partition, at.Offset)
	if err != nil {
		return false, err
	}
	if event, err := public.Parse(r); err != nil || !public.IsUsage(event.Type) {
		return true, nil
	}
	lacks, err := lacks(ctx, l, at)
	return !lacks, err
}

func readPoisoned(partition int32, r eventlog.Record) (Poisoned, error) {
	m := bus.NewMessage(partition, r)
	offset, err := strconv.ParseInt(m.Metadata.Get(metaOffset), 10, 64)
	if err != nil {
		return Poisoned{}, err
	}
	id, kind := public.Identity(r)
	return Poisoned{
		Source: ledger.Source{Topic: m.Metadata.Get(metaTopic), Partition: partition, Offset: offset}, At: r.Offset,
		Reason: m.Metadata.Get(middleware.ReasonForPoisonedKey), ID: id, Type: kind, Account: string(r.Key),
	}, nil
}

// Retry reads a poison record at its source, and appends its entry to the ledger. The error says why that fails now.
func Retry(ctx context.Context, log eventlog.Log, l ledger.Ledger, at ledger.Source) error {
	r, err := eventlog.ReadOne(ctx, log, at.Topic, at.Partition, at.Offset)
	if err != nil {
		return err
	}
	e, is, err := EntryOf(at.Topic, at.Partition, r)
	switch {
	case err != nil:
		return err
	case !is:
		return errors.New("it is not about usage, so there is nothing to append: drop it")
	}
	return l.Append(ctx, ledger.Batch{Topic: at.Topic, Partition: at.Partition, Lo: at.Offset, Hi: at.Offset, Entries: []ledger.Entry{e}})
}
