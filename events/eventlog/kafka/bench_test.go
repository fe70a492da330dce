//go:build integration

package kafka_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/logtest"
)

func openBench(b *testing.B) (eventlog.Log, string) {
	s := realBroker(b)(nil)
	l, err := s.Open(logtest.Partitions)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = l.Close() })
	return l, s.Topic
}

// BenchmarkAppend has goroutines that wait for the acknowledgement of each record before they append the next.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1 << 10, 20 << 10} {
		b.Run(fmt.Sprintf("%dKB-64goroutines", size>>10), func(b *testing.B) {
			l, topic := openBench(b)
			value := make([]byte, size)
			logtest.Measure(b, 64, func(g int) error {
				_, err := eventlog.AppendWait(context.Background(), l, topic, int32(g%logtest.Partitions), eventlog.Record{Value: value})
				return err
			})
		})
	}
}

// BenchmarkRoundTrip appends and waits until a reader at the end has the record.
func BenchmarkRoundTrip(b *testing.B) {
	l, topic := openBench(b)
	r := l.Read(topic, 0, 0)
	defer r.Close()
	logtest.Measure(b, 1, func(int) error {
		l.Append(topic, 0, eventlog.Record{Value: make([]byte, 1<<10)}, func(int64, error) {})
		_, err := r.Next(context.Background())
		return err
	})
}

// BenchmarkReadOne reads single records at arbitrary offsets.
func BenchmarkReadOne(b *testing.B) {
	const n = 1000
	l, topic := openBench(b)
	var acks sync.WaitGroup
	acks.Add(n)
	for range n {
		l.Append(topic, 0, eventlog.Record{Value: make([]byte, 1<<10)}, func(int64, error) { acks.Done() })
	}
	acks.Wait()
	i := int64(0)
	logtest.Measure(b, 1, func(int) error {
		i = (i + 97) % n
		_, err := eventlog.ReadOne(context.Background(), l, topic, 0, i)
		return err
	})
}

// BenchmarkNewReaderAtEnd opens a reader at the end, while another waits at the end of another partition, and appends.
func BenchmarkNewReaderAtEnd(b *testing.B) {
	l, topic := openBench(b)
	other := l.Read(topic, 1, 0)
	defer other.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var waiting sync.WaitGroup
	waiting.Go(func() { _, _ = other.Next(ctx) })
	defer waiting.Wait()
	defer cancel()
	next := int64(0)
	logtest.Measure(b, 1, func(int) error {
		r := l.Read(topic, 0, next)
		defer r.Close()
		next++
		short, expire := context.WithTimeout(ctx, time.Millisecond) // nothing there: it subscribes
		_, _ = r.Next(short)
		expire()
		l.Append(topic, 0, eventlog.Record{Value: make([]byte, 100)}, func(int64, error) {})
		_, err := r.Next(ctx)
		return err
	})
}
