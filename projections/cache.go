package projections

import (
	"maps"
	"sync"

	"platen.dev/events"
)

// cache holds decoded values of the store that are read repeatedly: the caller with every request,
// a job with every poll. After a commit that changes a value, the cache forgets it, and does not
// accept a value that was read before such a commit.
type cache[K comparable, V any] struct {
	mu         sync.RWMutex
	generation uint64
	values     map[K]V
}

// get returns the cached value and the generation to pass to put.
func (c *cache[K, V]) get(key K) (value V, ok bool, generation uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	value, ok = c.values[key]
	return value, ok, c.generation
}

// put caches a value that was read in the given generation, unless that has ended. A cache at its
// limit is emptied first.
func (c *cache[K, V]) put(key K, value V, generation uint64, limit int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation != c.generation {
		return
	}
	if c.values == nil || len(c.values) >= limit {
		c.values = map[K]V{}
	}
	c.values[key] = value
}

func (c *cache[K, V]) forget(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	delete(c.values, key)
}

// forgetIf forgets the values that match. It scans all of them.
func (c *cache[K, V]) forgetIf(match func(V) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	maps.DeleteFunc(c.values, func(_ K, v V) bool { return match(v) })
}

// maxCallers bounds the cached callers. Scanning all of them, which a change of an account's plan
// or keys does, takes less than a millisecond.
const maxCallers = 10_000

// jobCache holds jobs in parts: a change of one job ends only the generation of its own part, so
// reads of jobs in other parts can still be cached.
type jobCache [64]cache[events.JobID, Job]

// maxJobs bounds the cached jobs of a part: 16,384 in all parts, about 5 MB.
const maxJobs = 256

func (c *jobCache) part(id events.JobID) *cache[events.JobID, Job] { return &c[id[15]%64] }

// forgetChanged makes the caches forget everything that the accepted envelopes of a run may have
// changed. It runs after the run's commit and before its cursor is published, so that callers who
// have waited for the cursor read the new values.
func (r *Replica) forgetChanged(steps []Step) {
	for _, s := range steps {
		e, ok := s.Entry.(events.Envelope)
		if !ok || !s.Accepted {
			continue
		}
		for _, ev := range e.Events {
			r.forget(e.Account, ev)
		}
	}
}

func (r *Replica) forget(account events.AccountID, ev events.Event) {
	if id, ok := events.JobOf(ev); ok {
		r.jobs.part(id).forget(id)
	}
	switch ev.(type) {
	case events.PlanChanged, events.KeyIssued, events.KeyRevoked, events.KeyUsed:
		r.callers.forgetIf(func(c Caller) bool { return c.Account == account })
	}
}

// forgetAll empties the caches, after rows were replaced.
func (r *Replica) forgetAll() {
	for i := range r.jobs {
		r.jobs[i].forgetIf(func(Job) bool { return true })
	}
	r.callers.forgetIf(func(Caller) bool { return true })
}
