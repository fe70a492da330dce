package logtest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

// open opens the storage for the rest of the test.
func open(t *testing.T, s Storage) eventlog.Log {
	t.Helper()
	l, err := s.Open(Partitions)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// reopen closes l and opens its storage again.
func reopen(t *testing.T, s Storage, l eventlog.Log) eventlog.Log {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	return open(t, s)
}

// appendOne appends a record to a partition, waits for it and returns its offset.
func appendOne(t *testing.T, l eventlog.Log, topic string, partition int32, value string) int64 {
	t.Helper()
	offset, err := eventlog.AppendWait(testkit.Context(t), l, topic, partition, eventlog.Record{Value: []byte(value)})
	if err != nil {
		t.Fatalf("append: %v", err)
	}
	return offset
}

// appendNumbers appends n records with the values "0", "1" and so on, and waits for all.
func appendNumbers(t *testing.T, l eventlog.Log, topic string, partition int32, n int) {
	t.Helper()
	errs := make(chan error, n)
	for i := range n {
		r := eventlog.Record{Value: fmt.Append(nil, i)}
		l.Append(topic, partition, r, func(_ int64, err error) { errs <- err })
	}
	for range n {
		if err := <-errs; err != nil {
			t.Fatalf("append: %v", err)
		}
	}
}

// readAtLeast returns copies of at least n records and checks that they are dense.
func readAtLeast(t *testing.T, r eventlog.Reader, n int) []eventlog.Record {
	t.Helper()
	var got []eventlog.Record
	for len(got) < n {
		records, err := r.Next(testkit.Context(t))
		if err != nil {
			t.Fatalf("next after %d records: %v", len(got), err)
		}
		if len(records) == 0 {
			t.Fatal("next returned no records and no error")
		}
		for _, record := range records {
			got = append(got, clone(record))
			if first := got[0].Offset; record.Offset != first+int64(len(got))-1 {
				t.Fatalf("offset %d follows %d records from %d", record.Offset, len(got)-1, first)
			}
		}
	}
	return got
}

// readFrom opens a reader at from, returns copies of at least n records and closes the reader.
func readFrom(t *testing.T, l eventlog.Log, topic string, partition int32, from int64, n int) []eventlog.Record {
	t.Helper()
	r := l.Read(topic, partition, from)
	defer r.Close()
	got := readAtLeast(t, r, n)
	if got[0].Offset != from {
		t.Fatalf("first offset %d, want %d", got[0].Offset, from)
	}
	return got
}

func clone(r eventlog.Record) eventlog.Record {
	r.Key, r.Value, r.Headers = bytes.Clone(r.Key), bytes.Clone(r.Value), slices.Clone(r.Headers)
	return r
}

func wantBounds(t *testing.T, l eventlog.Log, topic string, partition int32, start, end int64) {
	t.Helper()
	gotStart, gotEnd, err := l.Bounds(testkit.Context(t), topic, partition)
	if err != nil {
		t.Fatalf("bounds: %v", err)
	}
	if gotStart != start || gotEnd != end {
		t.Fatalf("bounds [%d, %d), want [%d, %d)", gotStart, gotEnd, start, end)
	}
}

// wantNext checks that the first Next of a reader of partition 0 at from fails with want.
func wantNext(t *testing.T, l eventlog.Log, topic string, from int64, want error) {
	t.Helper()
	r := l.Read(topic, 0, from)
	defer r.Close()
	if _, err := r.Next(testkit.Context(t)); !errors.Is(err, want) {
		t.Fatalf("next at %d: %v, want %v", from, err, want)
	}
}

func mustTrim(t *testing.T, l eventlog.Log, topic string, partition int32, before int64) {
	t.Helper()
	if err := l.Trim(testkit.Context(t), topic, partition, before); err != nil {
		t.Fatalf("trim below %d: %v", before, err)
	}
}

// Each calls visit with the records that a partition has now, oldest first.
func Each(t testing.TB, l eventlog.Log, topic string, partition int32, visit func(eventlog.Record)) {
	t.Helper()
	EachFrom(t, l, topic, partition, 0, visit)
}

// EachFrom calls visit with the records that a partition has now, from an offset on.
func EachFrom(t testing.TB, l eventlog.Log, topic string, partition int32, next int64, visit func(eventlog.Record)) {
	t.Helper()
	start, end, err := l.Bounds(testkit.Context(t), topic, partition)
	if err != nil {
		t.Fatal(err)
	}
	next = max(next, start)
	reader := l.Read(topic, partition, next)
	defer reader.Close()
	for next < end {
		records, err := reader.Next(testkit.Context(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			visit(r)
			next = r.Offset + 1
		}
	}
}
