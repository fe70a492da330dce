// Package limit bounds what each key (an account, an address) may do, and how often a failure is logged. Its counts are in memory, per node.
package limit

import (
	"sync"
	"time"
)

// Concurrent bounds how many operations are under way, in total and per key. Its zero value admits nothing; make one with NewConcurrent.
type Concurrent[K comparable] struct {
	total, each int

	mu    sync.Mutex
	all   int
	under map[K]int
}

// NewConcurrent returns a bound of total operations at once, and of each per key.
func NewConcurrent[K comparable](total, each int) *Concurrent[K] {
	return &Concurrent[K]{total: total, each: each, under: map[K]int{}}
}

// Begin admits one more operation of a key, or reports that there is no room. end must be called once, when it has ended.
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

// Under returns how many operations are under way.
func (c *Concurrent[K]) Under() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all
}

func (c *Concurrent[K]) end(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all--
	if c.under[key]--; c.under[key] == 0 {
		delete(c.under, key)
	}
}

// maxKeys is how many keys are remembered per generation, so that nobody can fill the memory.
const maxKeys = 10_000

// Rate bounds how often a key does something in a period. It counts by fixed periods starting with the first use, so a key may do up to twice as much
// within some period. Beyond maxKeys in a period it forgets only the older half of the keys.
type Rate[K comparable] struct {
	limit  int
	period time.Duration

	mu    sync.Mutex
	begun time.Time
	// by holds the latest keys of this period, older those before them.
	by, older map[K]int
}

// NewRate returns a bound of limit uses per period for each key.
func NewRate[K comparable](limit int, period time.Duration) *Rate[K] {
	return &Rate[K]{limit: limit, period: period}
}

// Allow counts one use of a key, and reports whether it is within the bound.
func (r *Rate[K]) Allow(key K, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if age := now.Sub(r.begun); age >= r.period || age < 0 {
		r.begun, r.by, r.older = now, map[K]int{}, nil
	}
	if len(r.by) >= maxKeys {
		r.by, r.older = map[K]int{}, r.by
	}
	if _, counted := r.by[key]; !counted {
		r.by[key] = r.older[key]
	}
	r.by[key]++
	return r.by[key] <= r.limit
}
