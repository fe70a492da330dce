package limit_test

import (
	"fmt"
	"testing"
	"time"

	"platen.dev/events/limit"
)

// A key may begin up to its limit, and all keys together up to theirs; what has ended makes room.
func TestConcurrent(t *testing.T) {
	c := limit.NewConcurrent[string](3, 2)
	first, ok1 := c.Begin("a")
	_, ok2 := c.Begin("a")
	_, ok3 := c.Begin("a")
	_, ok4 := c.Begin("b")
	_, ok5 := c.Begin("c")
	if !ok1 || !ok2 || ok3 || !ok4 || ok5 {
		t.Errorf("began %t %t, beyond the key's bound %t, %t, beyond the total %t", ok1, ok2, ok3, ok4, ok5)
	}
	first()
	end, ok := c.Begin("c")
	if !ok {
		t.Error("what has ended makes no room")
	}
	end()
	if _, ok := c.Begin("a"); !ok {
		t.Error("the key is still full")
	}
}

// A key may do something up to its limit within a period, whatever others do.
func TestRate(t *testing.T) {
	p, now := limit.NewRate[string](2, time.Minute), time.Unix(1_700_000_000, 0)
	got := []bool{p.Allow("a", now), p.Allow("a", now.Add(59*time.Second)), p.Allow("a", now.Add(59*time.Second)), p.Allow("b", now), p.Allow("a", now.Add(time.Minute))}
	if want := []bool{true, true, false, true, true}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("allowed %v, want %v", got, want)
	}
}

// The clock may be set back: nobody waits for it to catch up again.
func TestRateOfAClockThatWasSetBack(t *testing.T) {
	p, now := limit.NewRate[string](1, time.Minute), time.Unix(1_700_000_000, 0)
	p.Allow("a", now)
	if !p.Allow("a", now.Add(-time.Hour)) {
		t.Error("refused by a minute of the future")
	}
}

// Flooding the memory with keys does not make others forgotten at once.
func TestRateUnderAFlood(t *testing.T) {
	p, now := limit.NewRate[string](1, time.Minute), time.Unix(1_700_000_000, 0)
	p.Allow("a", now)
	for i := range 10_000 {
		p.Allow(fmt.Sprint("flood ", i), now)
	}
	if p.Allow("a", now) {
		t.Error("a key is forgotten by ten thousand others")
	}
}

// The first holder gets two thirds of everything, the second two thirds of the rest.
func TestShare(t *testing.T) {
	const all = 90
	first, second := 0, 0
	for limit.Share(first, all-first) {
		first++
	}
	for limit.Share(second, all-first-second) {
		second++
	}
	if first != 60 || second != 20 {
		t.Errorf("the first has %d, the second %d of %d", first, second, all)
	}
	if limit.Share(0, 0) {
		t.Error("a unit is taken although none is left")
	}
}
