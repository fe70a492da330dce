package main

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// connections is the number of concurrent clients of a load.
const connections = 64

// outcome is the result of a load.
type outcome struct {
	perSecond float64
	p50, p99  time.Duration
	// peak is the peak memory (PSS, in bytes) of the server and its descendants; 0 if it was not measured.
	peak int64
	// rounds are all outcomes behind a median, in order.
	rounds []outcome
}

// load sends requests on every connection, one after another, for a while. prepare makes
// the i-th request of a connection.
func load(duration time.Duration, want int, prepare func(connection, i int, r *fasthttp.Request)) (outcome, error) {
	client := &fasthttp.Client{MaxConnsPerHost: connections, NoDefaultUserAgentHeader: true}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	var all []time.Duration
	var failure error
	var group sync.WaitGroup
	start := time.Now()
	for c := range connections {
		group.Go(func() {
			times, err := ask(client, start.Add(duration), want, func(i int, r *fasthttp.Request) { prepare(c, i, r) })
			mu.Lock()
			defer mu.Unlock()
			all = append(all, times...)
			if err != nil {
				failure = err
			}
		})
	}
	group.Wait()
	elapsed := time.Since(start)
	if failure != nil || len(all) == 0 {
		return outcome{}, fmt.Errorf("load: %d answers: %w", len(all), failure)
	}
	return summary(all, elapsed), nil
}

// summary returns the outcome of requests that took times, within elapsed.
func summary(times []time.Duration, elapsed time.Duration) outcome {
	slices.Sort(times)
	return outcome{perSecond: float64(len(times)) / elapsed.Seconds(), p50: percentile(times, 50), p99: percentile(times, 99)}
}

func ask(client *fasthttp.Client, until time.Time, want int, prepare func(i int, r *fasthttp.Request)) (times []time.Duration, err error) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	for i := 0; ; i++ {
		begin := time.Now()
		if begin.After(until) {
			return times, nil
		}
		prepare(i, req)
		if err := client.Do(req, resp); err != nil {
			return times, err
		}
		if resp.StatusCode() != want {
			return times, fmt.Errorf("answer %d: %s", resp.StatusCode(), resp.Body())
		}
		times = append(times, time.Since(begin))
	}
}

// percentile returns the p-th percentile of sorted times.
func percentile(sorted []time.Duration, p int) time.Duration { return sorted[len(sorted)*p/100] }

// median returns the outcome with the median rate, and the highest peak of all.
func median(all []outcome) outcome {
	o := slices.SortedFunc(slices.Values(all), func(a, b outcome) int { return cmp.Compare(a.perSecond, b.perSecond) })[len(all)/2]
	for _, other := range all {
		o.peak = max(o.peak, other.peak)
	}
	o.rounds = all
	return o
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", milliseconds(d)) }
