package embedded_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/eventlog/logtest"
)

const benchPartitions = 64

func openBench(b *testing.B) *embedded.Log {
	l, err := embedded.Open(embedded.Config{Dir: b.TempDir(), Partitions: benchPartitions})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = l.Close() })
	return l
}

// BenchmarkAppend has goroutines that wait for the fsync of each record before they append the next.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1 << 10, 20 << 10} {
		for _, goroutines := range []int{1, 64, 512} {
			b.Run(fmt.Sprintf("%dKB-%dgoroutines", size>>10, goroutines), func(b *testing.B) {
				l := openBench(b)
				value := make([]byte, size)
				for i := range value {
					value[i] = byte(i * i >> 3)
				}
				b.SetBytes(int64(size))
				logtest.Measure(b, goroutines, func(g int) error {
					_, err := eventlog.AppendWait(context.Background(), l, "bench", int32(g%benchPartitions), eventlog.Record{Value: value})
					return err
				})
			})
		}
	}
}

// BenchmarkRoundTrip appends and waits until a reader at the end has the record.
func BenchmarkRoundTrip(b *testing.B) {
	for _, goroutines := range []int{1, 64} {
		b.Run(fmt.Sprintf("1KB-%dgoroutines", goroutines), func(b *testing.B) {
			l := openBench(b)
			value := make([]byte, 1<<10)
			readers := make([]eventlog.Reader, goroutines)
			for g := range readers {
				readers[g] = l.Read("bench", int32(g%benchPartitions), 0)
			}
			b.SetBytes(int64(len(value)))
			logtest.Measure(b, goroutines, func(g int) error {
				l.Append("bench", int32(g%benchPartitions), eventlog.Record{Value: value}, func(int64, error) {})
				_, err := readers[g].Next(context.Background())
				return err
			})
		})
	}
}

// BenchmarkReplay reads small records from the database.
func BenchmarkReplay(b *testing.B) {
	const n = 200_000
	l := openBench(b)
	var acks sync.WaitGroup
	acks.Add(n)
	for range n {
		l.Append("bench", 0, eventlog.Record{Key: make([]byte, 16), Value: make([]byte, 300)}, func(int64, error) { acks.Done() })
	}
	acks.Wait()
	b.ResetTimer()
	for b.Loop() {
		r := l.Read("bench", 0, 0)
		for got := 0; got < n; {
			records, err := r.Next(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			got += len(records)
		}
		r.Close()
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkReadOne reads single records at arbitrary offsets.
func BenchmarkReadOne(b *testing.B) {
	const n = 20_000
	l := openBench(b)
	var acks sync.WaitGroup
	acks.Add(n)
	for range n {
		l.Append("bench", 0, eventlog.Record{Value: make([]byte, 1<<10)}, func(int64, error) { acks.Done() })
	}
	acks.Wait()
	i := int64(0)
	for b.Loop() {
		i = (i + 7919) % n
		if _, err := eventlog.ReadOne(context.Background(), l, "bench", 0, i); err != nil {
			b.Fatal(err)
		}
	}
}
