package node

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// figures are a collector of what a part counts itself. The part is asked once per scrape.
type figures[T any] struct {
	ask    func() T
	series []series[T]
}

// series is one exported value.
type series[T any] struct {
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

func collect[T any](ask func() T, all ...[]series[T]) prometheus.Collector {
	return figures[T]{ask, slices.Concat(all...)}
}

// itself is for a part each of whose figures has a method.
func itself[T any](part T) func() T { return func() T { return part } }

type number interface {
	~int | ~int32 | ~int64 | ~uint64 | ~float64
}

func gauge[T any, N number](name, help string, value func(T) N) []series[T] {
	return one(prometheus.GaugeValue, name, help, value)
}

func counter[T any, N number](name, help string, value func(T) N) []series[T] {
	return one(prometheus.CounterValue, name, help, value)
}

func one[T any, N number](kind prometheus.ValueType, name, help string, value func(T) N) []series[T] {
	return []series[T]{{prometheus.NewDesc(name, help, nil, nil), kind, nil, func(at T) float64 { return float64(value(at)) }}}
}

// flag is a gauge that is 1 or 0.
func flag[T any](name, help string, is func(T) bool) []series[T] {
	return gauge(name, help, func(at T) int {
		if is(at) {
			return 1
		}
		return 0
	})
}

// by is a series for each value of a label.
func by[T any, L ~string, N number](label string, values []L, kind prometheus.ValueType, name, help string, value func(T, L) N) (all []series[T]) {
	desc := prometheus.NewDesc(name, help, []string{label}, nil)
	for _, of := range values {
		all = append(all, series[T]{desc, kind, []string{string(of)}, func(at T) float64 { return float64(value(at, of)) }})
	}
	return all
}
