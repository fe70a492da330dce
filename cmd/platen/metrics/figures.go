package metrics

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// figures is a collector of a part's own counts.
type figures[T any] struct {
	ask    func() T
	series []Series[T]
}

// Series is one exported value of a part.
type Series[T any] struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	label []string
	value func(T) float64
}

// Describe implements prometheus.Collector.
func (f figures[T]) Describe(to chan<- *prometheus.Desc) {
	for _, s := range f.series {
		to <- s.desc
	}
}

// Collect implements prometheus.Collector.
func (f figures[T]) Collect(to chan<- prometheus.Metric) {
	at := f.ask()
	for _, s := range f.series {
		to <- prometheus.MustNewConstMetric(s.desc, s.kind, s.value(at), s.label...)
	}
}

// Collect exports a part's own counts. ask is called once per scrape, from any goroutine.
func Collect[T any](ask func() T, all ...[]Series[T]) prometheus.Collector {
	return figures[T]{ask, slices.Concat(all...)}
}

// Itself suits a part each of whose figures has a method.
func Itself[T any](part T) func() T { return func() T { return part } }

// patience is how long a scrape waits for a figure that may take long: Prometheus gives up after ten seconds.
const patience = 100 * time.Millisecond

// Patient returns a function for a figure that cannot be had at times, as while a disk hangs: then it is the last one.
func Patient(measure func() int64) func() int64 {
	var last atomic.Int64
	measuring := make(chan struct{}, 1)
	return func() int64 {
		select {
		case measuring <- struct{}{}:
		default:
			return last.Load()
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			last.Store(measure())
			<-measuring
		}()
		select {
		case <-done:
		case <-time.After(patience):
		}
		return last.Load()
	}
}

// Number is a permitted type of values.
type Number interface {
	~int | ~int32 | ~int64 | ~uint64 | ~float64
}

// Gauge returns a value that rises and falls.
func Gauge[T any, N Number](name, help string, value func(T) N) []Series[T] {
	return one(prometheus.GaugeValue, name, help, value)
}

// Counter returns a value that only rises.
func Counter[T any, N Number](name, help string, value func(T) N) []Series[T] {
	return one(prometheus.CounterValue, name, help, value)
}

func one[T any, N Number](kind prometheus.ValueType, name, help string, value func(T) N) []Series[T] {
	return []Series[T]{{prometheus.NewDesc(name, help, nil, nil), kind, nil, func(at T) float64 { return float64(value(at)) }}}
}

// Flag returns a gauge that is 1 or 0.
func Flag[T any](name, help string, is func(T) bool) []Series[T] {
	return Gauge(name, help, func(at T) int {
		if is(at) {
			return 1
		}
		return 0
	})
}

// By returns a series for each value of a label.
func By[T any, L ~string, N Number](label string, values []L, kind prometheus.ValueType, name, help string, value func(T, L) N) (all []Series[T]) {
	desc := prometheus.NewDesc(name, help, []string{label}, nil)
	for _, of := range values {
		all = append(all, Series[T]{desc, kind, []string{string(of)}, func(at T) float64 { return float64(value(at, of)) }})
	}
	return all
}
