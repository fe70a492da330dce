package logtest

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

// model is one partition as a slice: what the log should hold.
type model struct {
	start   int
	records []eventlog.Record
}

// machine applies random operations to a log and to models of its partitions.
type machine struct {
	t       *testing.T
	storage Storage
	log     eventlog.Log
	models  [Partitions]model
}

// checkModel compares the log with the model over random operations. rapid shrinks a
// failure and prints its seed.
func checkModel(t *testing.T, fresh Factory) {
	rapid.Check(t, func(rt *rapid.T) {
		storage := fresh(t)
		m := &machine{t: t, storage: storage, log: open(t, storage)}
		defer func() { _ = m.log.Close() }()
		rt.Repeat(map[string]func(*rapid.T){
			"append": m.append,
			"trim":   m.trim,
			"read":   m.read,
			"reopen": m.reopen,
			"":       m.check,
		})
	})
}

var (
	anyPartition = rapid.Int32Range(0, Partitions-1)
	anyRecipe    = rapid.Custom(func(rt *rapid.T) recipe {
		return recipe{
			seed:    rapid.Byte().Draw(rt, "seed"),
			size:    rapid.SampledFrom([]int{0, 1, 100, 5000, 70_000}).Draw(rt, "size"),
			keySize: rapid.IntRange(0, 20).Draw(rt, "keySize"),
			headers: rapid.IntRange(0, 3).Draw(rt, "headers"),
		}
	})
)

// recipe describes a record briefly, so that rapid's output is readable.
type recipe struct {
	seed                   byte
	size, keySize, headers int
}

func (r recipe) record() eventlog.Record {
	record := eventlog.Record{Key: pattern(r.keySize, r.seed+1), Value: pattern(r.size, r.seed)}
	for i := range r.headers {
		record.Headers = append(record.Headers, eventlog.Header{Key: fmt.Sprint("name", i), Value: string(pattern(int(r.seed), r.seed+2))})
	}
	return record
}

func (m *machine) append(rt *rapid.T) {
	partition := anyPartition.Draw(rt, "partition")
	recipes := rapid.SliceOfN(anyRecipe, 1, 20).Draw(rt, "records")
	type ack struct {
		offset int64
		err    error
	}
	acks := make(chan ack, len(recipes))
	for _, r := range recipes {
		m.log.Append(m.storage.Topic, partition, r.record(), func(offset int64, err error) { acks <- ack{offset, err} })
	}
	for i, r := range recipes {
		held := &m.models[partition]
		if a := <-acks; a.err != nil || a.offset != int64(len(held.records)) {
			rt.Fatalf("append %d: offset %d, error %v, want offset %d", i, a.offset, a.err, len(held.records))
		}
		held.records = append(held.records, r.record())
	}
}

func (m *machine) trim(rt *rapid.T) {
	partition := anyPartition.Draw(rt, "partition")
	held := &m.models[partition]
	before := rapid.IntRange(0, len(held.records)+1).Draw(rt, "before")
	err := m.log.Trim(testkit.Context(m.t), m.storage.Topic, partition, int64(before))
	if before > len(held.records) {
		if !errors.Is(err, eventlog.ErrBeyondEnd) {
			rt.Fatalf("trim below %d: %v, want ErrBeyondEnd", before, err)
		}
		return
	}
	if err != nil {
		rt.Fatalf("trim below %d: %v", before, err)
	}
	held.start = max(held.start, before)
}

func (m *machine) read(rt *rapid.T) {
	partition := anyPartition.Draw(rt, "partition")
	held := m.models[partition]
	from := rapid.IntRange(0, len(held.records)+1).Draw(rt, "from")
	if from == len(held.records) {
		return // would wait
	}
	r := m.log.Read(m.storage.Topic, partition, int64(from))
	defer r.Close()
	for next := from; next == from || next < len(held.records); {
		records, err := r.Next(testkit.Context(m.t))
		if want := held.readError(from); want != nil {
			if !errors.Is(err, want) {
				rt.Fatalf("read at %d: %v, want %v", from, err, want)
			}
			return
		}
		if err != nil {
			rt.Fatalf("read at %d: %v", next, err)
		}
		for _, got := range records {
			held.compare(rt, got, next)
			next++
		}
	}
}

// readError returns the error of a read at from; nil if there is a record.
func (h model) readError(from int) error {
	switch {
	case from < h.start:
		return eventlog.ErrTrimmed
	case from > len(h.records):
		return eventlog.ErrBeyondEnd
	}
	return nil
}

func (h model) compare(rt *rapid.T, got eventlog.Record, offset int) {
	if got.Offset != int64(offset) || offset >= len(h.records) {
		rt.Fatalf("record %d, want %d of %d", got.Offset, offset, len(h.records))
	}
	want := h.records[offset]
	same := bytes.Equal(got.Key, want.Key) && bytes.Equal(got.Value, want.Value) && len(got.Headers) == len(want.Headers)
	for i := range want.Headers {
		same = same && got.Headers[i] == want.Headers[i]
	}
	if !same {
		rt.Fatalf("record %d came back with other content", offset)
	}
}

func (m *machine) reopen(rt *rapid.T) {
	if err := m.log.Close(); err != nil {
		rt.Fatalf("close: %v", err)
	}
	l, err := m.storage.Open(Partitions)
	if err != nil {
		rt.Fatalf("open: %v", err)
	}
	m.log = l
}

func (m *machine) check(rt *rapid.T) {
	for partition, held := range m.models {
		start, end, err := m.log.Bounds(testkit.Context(m.t), m.storage.Topic, int32(partition))
		if err != nil || start != int64(held.start) || end != int64(len(held.records)) {
			rt.Fatalf("bounds of %d: [%d, %d) %v, want [%d, %d)", partition, start, end, err, held.start, len(held.records))
		}
	}
}
