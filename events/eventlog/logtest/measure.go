package logtest

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// Measure divides b.N calls among goroutines and reports their rate and latency.
func Measure(b *testing.B, goroutines int, call func(goroutine int) error) {
	took := make([][]time.Duration, goroutines)
	var running sync.WaitGroup
	b.ResetTimer()
	for g := range goroutines {
		running.Go(func() {
			for i := g; i < b.N; i += goroutines {
				started := time.Now()
				if err := call(g); err != nil {
					b.Error(err)
					return
				}
				took[g] = append(took[g], time.Since(started))
			}
		})
	}
	running.Wait()
	b.StopTimer()
	all := slices.Concat(took...)
	slices.Sort(all)
	b.ReportMetric(float64(len(all))/b.Elapsed().Seconds(), "calls/s")
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
}
