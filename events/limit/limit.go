// Package limit bounds how much is done by key: an account, an address. What it counts is in memory, of one node.
package limit

import (
	"sync"
	"time"
)

// Concurrent bounds how many things are under way at once, in total and for each key. Its zero value admits nothing;
// make one with NewConcurrent.
type Concurrent[K comparable] struct {
	total, each int

	mu    sync.Mutex
	all   int
	under map[K]int
}

// NewConcurrent returns a bound of total things at once, and of each for one key.
func NewConcurrent[K comparable](total, each int) *Concurrent[K] {
	return &Concurrent[K]{total: total, each: each, under: map[K]int{}}
}

// Begin admits one more thing of a key, or reports that there is no room. end must be called once, when it has ended.
func (c *Concurrent[K]) Begin(key K) (end func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all >= c.total || c.under[key] >= c.each {
		return nil, false
	}
	c.all++
	c.under[key]++
	return func() { c.end(key) }, true
}

func (c *Concurrent[K]) end(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all--
	if c.under[key]--; c.under[key] == 0 {
		delete(c.under, key)
	}
}

// maxKeys is how many keys are remembered in a generation, so that no one can fill the memory.
const maxKeys = 10_000

// PerMinute bounds how often a key does something in a minute. It counts by fixed minutes from the first one, so a key may do up to
// twice as much within some minute. Beyond maxKeys in a minute it forgets the older half of the keys, not all.
type PerMinute[K comparable] struct {
	limit int

	mu    sync.Mutex
	begun time.Time
	// by are the latest keys of this minute, older those before them.
	by, older map[K]int
}

// NewPerMinute returns a bound of limit times a minute for each key.
func NewPerMinute[K comparable](limit int) *PerMinute[K] { return &PerMinute[K]{limit: limit} }

// Allow counts one time of a key, and reports whether it is within the bound.
func (p *PerMinute[K]) Allow(key K, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if age := now.Sub(p.begun); age >= time.Minute || age < 0 {
		p.begun, p.by, p.older = now, map[K]int{}, nil
	}
	if len(p.by) >= maxKeys {
		p.by, p.older = map[K]int{}, p.by
	}
	if _, counted := p.by[key]; !counted {
		p.by[key] = p.older[key]
	}
	p.by[key]++
	return p.by[key] <= p.limit
}
