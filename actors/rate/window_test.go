package rate

import (
	"math/rand/v2"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/contract"
)

func TestRate(t *testing.T) {
	var w window
	begin := events.Instant(1_700_000_000_000)
	for i := range int64(10) {
		got := w.take(begin+events.Instant(i), 10)
		want := events.Rate{Allowed: true, Limit: 10, Remaining: 9 - i, Reset: begin.Add(contract.RateWindow)}
		if got != want {
			t.Fatalf("request %d: got %+v, want %+v", i, got, want)
		}
	}
	full := events.Rate{Limit: 10, Reset: begin.Add(contract.RateWindow)}
	for range 3 { // refused requests do not extend the wait
		if got := w.take(begin.Add(contract.RateWindow)-1, 10); got != full {
			t.Errorf("a moment too early: got %+v, want %+v", got, full)
		}
	}
	want := events.Rate{Allowed: true, Limit: 10, Reset: begin.Add(contract.RateWindow) + 1}
	if got := w.take(begin.Add(contract.RateWindow), 10); got != want {
		t.Errorf("once the oldest request has left: got %+v, want %+v", got, want)
	}
	if got := w.take(begin.Add(contract.RateWindow), 100); !got.Allowed || got.Remaining != 89 {
		t.Errorf("on a larger plan: got %+v", got)
	}
	if got := w.take(begin, 10); got.Allowed {
		t.Errorf("with a clock that ran back: got %+v", got)
	}
	if w.empty(begin.Add(2*contract.RateWindow)-1) || !w.empty(begin.Add(2*contract.RateWindow)) {
		t.Error("the window is empty at another moment than a minute after the last request")
	}
}

// A simple model that keeps all instants agrees at random times and limits.
func TestRateModel(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var w window
	var all []events.Instant
	now := events.Instant(1_700_000_000_000)
	for range 20_000 {
		now += events.Instant(rng.Int64N(3_000))
		limit := 1 + rng.Int64N(40)
		var within int64
		for _, at := range all {
			if at.Add(contract.RateWindow) > now {
				within++
			}
		}
		allowed := within < limit
		if allowed {
			all, within = append(all, now), within+1
		}
		got := w.take(now, limit)
		if got.Allowed != allowed || got.Remaining != max(0, limit-within) {
			t.Fatalf("at %d with limit %d: got %+v, want allowed %t with %d in the window", now, limit, got, allowed, within)
		}
		if len(all) > 200 {
			all = all[len(all)-200:]
		}
	}
}
