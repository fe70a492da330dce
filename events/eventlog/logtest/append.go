package logtest

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

var appendCases = []testCase{
	{"concurrent appends are dense and keep each goroutine's order", concurrentAppends},
	{"an acknowledged record is within the bounds", boundsAfterAck},
	{"sizes from nothing to 1 MiB", sizes},
	{"a record above 1 MiB is refused and nothing is written", tooLarge},
	{"keys, headers and values come back unchanged", roundTrip},
	{"an unknown partition is refused", unknownPartition},
}

// concurrentAppends has many goroutines append to two partitions without waiting.
func concurrentAppends(t *testing.T, s Storage) {
	const goroutines, each = 16, 200
	l := open(t, s)
	var acks [2][goroutines * each]atomic.Int32 // per partition and offset
	var pending, appending sync.WaitGroup
	pending.Add(goroutines * each)
	for g := range goroutines {
		partition := int32(g % 2)
		appending.Go(func() {
			for i := range each {
				r := eventlog.Record{Value: fmt.Appendf(nil, "%d/%d", g, i)}
				l.Append(s.Topic, partition, r, func(offset int64, err error) {
					defer pending.Done() // more than once would panic
					if err != nil {
						t.Errorf("append: %v", err)
						return
					}
					acks[partition][offset].Add(1)
				})
			}
		})
	}
	appending.Wait()
	pending.Wait()
	for partition := range int32(2) {
		const n = goroutines * each / 2
		for offset := range n {
			if got := acks[partition][offset].Load(); got != 1 {
				t.Fatalf("offset %d of partition %d was given %d times", offset, partition, got)
			}
		}
		checkOrder(t, readFrom(t, l, s.Topic, partition, 0, n))
	}
}

// checkOrder checks values "goroutine/number": the numbers of each goroutine ascend by one.
func checkOrder(t *testing.T, records []eventlog.Record) {
	t.Helper()
	last := map[int]int{}
	for _, r := range records {
		var g, i int
		if _, err := fmt.Sscanf(string(r.Value), "%d/%d", &g, &i); err != nil {
			t.Fatalf("record %d holds %q", r.Offset, r.Value)
		}
		if want := last[g]; i != want {
			t.Fatalf("record %d is number %d of goroutine %d, want %d", r.Offset, i, g, want)
		}
		last[g]++
	}
}

func boundsAfterAck(t *testing.T, s Storage) {
	l := open(t, s)
	wantBounds(t, l, s.Topic, 1, 0, 0)
	for i := range int64(20) {
		if offset := appendOne(t, l, s.Topic, 1, "x"); offset != i {
			t.Fatalf("offset %d, want %d", offset, i)
		}
		wantBounds(t, l, s.Topic, 1, 0, i+1)
	}
	wantBounds(t, l, s.Topic, 0, 0, 0)
}

func sizes(t *testing.T, s Storage) {
	l := open(t, s)
	all := []int{0, 1, 2, 1000, 20_000, eventlog.MaxRecord - 1, eventlog.MaxRecord, 0, eventlog.MaxRecord, 1}
	for i, size := range all {
		appendOne(t, l, s.Topic, 0, string(pattern(size, byte(i))))
	}
	check := func(l eventlog.Log) {
		for i, r := range readFrom(t, l, s.Topic, 0, 0, len(all)) {
			if !bytes.Equal(r.Value, pattern(all[i], byte(i))) {
				t.Fatalf("record %d of %d bytes came back with %d bytes, or with other content", i, all[i], len(r.Value))
			}
		}
	}
	check(l)
	check(reopen(t, s, l))
}

// pattern returns n bytes that compress badly and depend on seed.
func pattern(n int, seed byte) []byte {
	b := make([]byte, n)
	x := uint32(seed) + 1
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

func tooLarge(t *testing.T, s Storage) {
	l := open(t, s)
	appendOne(t, l, s.Topic, 0, "before")
	_, err := eventlog.AppendWait(testkit.Context(t), l, s.Topic, 0, eventlog.Record{Value: make([]byte, eventlog.MaxRecord+1)})
	if !errors.Is(err, eventlog.ErrTooLarge) {
		t.Fatalf("append of 1 MiB and a byte: %v, want ErrTooLarge", err)
	}
	wantBounds(t, l, s.Topic, 0, 0, 1)
	if offset := appendOne(t, l, s.Topic, 0, "after"); offset != 1 {
		t.Fatalf("next offset %d, want 1", offset)
	}
}

func roundTrip(t *testing.T, s Storage) {
	l := open(t, s)
	records := []eventlog.Record{
		{Key: []byte("account"), Value: []byte("value"), Headers: []eventlog.Header{{Key: "ce_type", Value: "a"}, {Key: "ce_id", Value: ""}}},
		{Value: []byte{0, 255, 0}},
		{Key: []byte{0, 1, 2}, Headers: []eventlog.Header{{Key: "same", Value: "1"}, {Key: "same", Value: "2"}}},
		{Key: pattern(300, 1), Value: pattern(300, 2), Headers: []eventlog.Header{{Key: "umlaut", Value: "Grüße\x00"}}},
	}
	for _, r := range records {
		if _, err := eventlog.AppendWait(testkit.Context(t), l, s.Topic, 3, r); err != nil {
			t.Fatalf("append: %v", err)
		}
	}
	check := func(l eventlog.Log) {
		for i, got := range readFrom(t, l, s.Topic, 3, 0, len(records)) {
			wantSame(t, got, records[i])
		}
		one, err := eventlog.ReadOne(testkit.Context(t), l, s.Topic, 3, 2)
		if err != nil {
			t.Fatal(err)
		}
		wantSame(t, one, records[2])
	}
	check(l)
	check(reopen(t, s, l))
}

func wantSame(t *testing.T, got, want eventlog.Record) {
	t.Helper()
	same := bytes.Equal(got.Key, want.Key) && bytes.Equal(got.Value, want.Value) && len(got.Headers) == len(want.Headers)
	for i := range want.Headers {
		same = same && got.Headers[i] == want.Headers[i]
	}
	if !same {
		t.Fatalf("record %d: got %q %q %v, want %q %q %v",
			got.Offset, got.Key, got.Value, got.Headers, want.Key, want.Value, want.Headers)
	}
}

func unknownPartition(t *testing.T, s Storage) {
	l := open(t, s)
	for _, partition := range []int32{-1, Partitions} {
		if _, err := eventlog.AppendWait(testkit.Context(t), l, s.Topic, partition, eventlog.Record{}); err == nil {
			t.Errorf("append to partition %d of %d succeeded", partition, Partitions)
		}
		if _, _, err := l.Bounds(testkit.Context(t), s.Topic, partition); err == nil {
			t.Errorf("bounds of partition %d of %d succeeded", partition, Partitions)
		}
	}
}
