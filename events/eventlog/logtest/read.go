package logtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

var readCases = []testCase{
	{"read from start, middle and end", readAnywhere},
	{"a reader at the end waits for the next record", readAtEnd},
	{"many readers at the end all get every record", manyAtEnd},
	{"reading resumes at any offset after close", resume},
	{"several readers of one partition do not disturb each other", severalReaders},
	{"a large backlog is read in bounded batches", boundedBatches},
	{"a slow reader does not hold up others", slowReader},
	{"a read above the end is ErrBeyondEnd", beyondEnd},
	{"cancelling the context ends Next and keeps the position", cancelNext},
}

func readAnywhere(t *testing.T, s Storage) {
	l := open(t, s)
	appendNumbers(t, l, s.Topic, 0, 100)
	check := func(l eventlog.Log) {
		for _, from := range []int64{0, 1, 50, 98, 99} {
			for _, r := range readFrom(t, l, s.Topic, 0, from, int(100-from)) {
				if string(r.Value) != fmt.Sprint(r.Offset) {
					t.Fatalf("record %d holds %q", r.Offset, r.Value)
				}
			}
		}
	}
	check(l)
	check(reopen(t, s, l))
}

func readAtEnd(t *testing.T, s Storage) {
	l := open(t, s)
	appendNumbers(t, l, s.Topic, 0, 3)
	r := l.Read(s.Topic, 0, 3)
	defer r.Close()
	for i := range 20 {
		value := fmt.Sprint("next ", i)
		got := make(chan string, 1)
		go func() { got <- string(readAtLeast(t, r, 1)[0].Value) }()
		appendOne(t, l, s.Topic, 0, value)
		if value != <-got {
			t.Fatalf("the waiting reader did not get %q", value)
		}
	}
}

// manyAtEnd has readers follow every partition while records are appended.
func manyAtEnd(t *testing.T, s Storage) {
	const each, n = 4, 100
	l := open(t, s)
	var readers sync.WaitGroup
	for i := range Partitions * each {
		readers.Go(func() {
			r := l.Read(s.Topic, int32(i%Partitions), 0)
			defer r.Close()
			for _, record := range readAtLeast(t, r, n) {
				if string(record.Value) != fmt.Sprint(record.Offset) {
					t.Errorf("record %d holds %q", record.Offset, record.Value)
				}
			}
		})
	}
	for partition := range int32(Partitions) {
		appendNumbers(t, l, s.Topic, partition, n)
	}
	readers.Wait()
}

func resume(t *testing.T, s Storage) {
	l := open(t, s)
	appendNumbers(t, l, s.Topic, 2, 50)
	for next := int64(0); next < 50; {
		r := l.Read(s.Topic, 2, next)
		got := readAtLeast(t, r, 1)
		r.Close()
		if got[0].Offset != next {
			t.Fatalf("first offset %d, want %d", got[0].Offset, next)
		}
		next += min(7, int64(len(got)))
	}
}

func severalReaders(t *testing.T, s Storage) {
	l := open(t, s)
	appendNumbers(t, l, s.Topic, 0, 200)
	var readers sync.WaitGroup
	for from := int64(0); from < 200; from += 25 {
		readers.Go(func() { readFrom(t, l, s.Topic, 0, from, int(220-from)) })
	}
	for range 20 {
		appendOne(t, l, s.Topic, 0, "later")
	}
	readers.Wait()
}

func boundedBatches(t *testing.T, s Storage) {
	const n, size = 24, 400_000
	l := open(t, s)
	var acks sync.WaitGroup
	acks.Add(n)
	for i := range n {
		r := eventlog.Record{Value: pattern(size, byte(i))}
		l.Append(s.Topic, 0, r, func(_ int64, err error) {
			if err != nil {
				t.Errorf("append: %v", err)
			}
			acks.Done()
		})
	}
	acks.Wait()
	r := reopen(t, s, l).Read(s.Topic, 0, 0)
	defer r.Close()
	for next := int64(0); next < n; {
		records, err := r.Next(testkit.Context(t))
		if err != nil {
			t.Fatal(err)
		}
		if bytes := len(records) * size; bytes > 5<<20 {
			t.Fatalf("a batch of %d bytes", bytes)
		}
		for _, record := range records {
			if record.Offset != next || record.Value[0] != pattern(1, byte(next))[0] {
				t.Fatalf("record %d, want %d with its content", record.Offset, next)
			}
			next++
		}
	}
}

// slowReader has one reader that stops after the first batch while there is far more to
// read, and others that must continue regardless.
func slowReader(t *testing.T, s Storage) {
	const n, size = 40, 500_000
	l := open(t, s)
	slow := l.Read(s.Topic, 0, 0)
	defer slow.Close()
	appendOne(t, l, s.Topic, 0, "first")
	readAtLeast(t, slow, 1)
	for i := range n {
		appendOne(t, l, s.Topic, 0, string(pattern(size, byte(i))))
	}
	appendOne(t, l, s.Topic, 1, "other")
	readFrom(t, l, s.Topic, 1, 0, 1)
	readFrom(t, l, s.Topic, 0, 0, n+1)
	if got := readAtLeast(t, slow, n); got[0].Offset != 1 {
		t.Fatalf("the slow reader continues at %d, want 1", got[0].Offset)
	}
}

func beyondEnd(t *testing.T, s Storage) {
	l := open(t, s)
	wantNext(t, l, s.Topic, 1, eventlog.ErrBeyondEnd)
	appendNumbers(t, l, s.Topic, 0, 10)
	wantNext(t, l, s.Topic, 11, eventlog.ErrBeyondEnd)
	wantNext(t, l, s.Topic, 1<<40, eventlog.ErrBeyondEnd)
	l = reopen(t, s, l)
	wantNext(t, l, s.Topic, 11, eventlog.ErrBeyondEnd)
	readFrom(t, l, s.Topic, 0, 9, 1)
}

func cancelNext(t *testing.T, s Storage) {
	l := open(t, s)
	r := l.Read(s.Topic, 0, 0)
	defer r.Close()
	for range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() {
			_, err := r.Next(ctx)
			ended <- err
		}()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Fatalf("next: %v, want context.Canceled", err)
		}
	}
	appendOne(t, l, s.Topic, 0, "value")
	if got := readAtLeast(t, r, 1); got[0].Offset != 0 || string(got[0].Value) != "value" {
		t.Fatalf("after the cancelled calls: record %d %q", got[0].Offset, got[0].Value)
	}
}
