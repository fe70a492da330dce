package projections

import (
	"sync"

	"platen.dev/events"
)

// cache remembers decoded values of the store that are asked for again and again:
// what an API key leads to with every request, a job with every poll. A commit that
// changes a value makes the cache forget it, and what was read from the store before
// such a commit is not remembered after it.
type cache[K comparable, V any] struct {
	mu         sync.RWMutex
	generation uint64
	values     map[K]V
}

// get returns the remembered value, and the generation to hand to put.
func (c *cache[K, V]) get(key K) (value V, ok bool, generation uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	value, ok = c.values[key]
	return value, ok, c.generation
}

// put remembers a value that was read in a generation. At limit the cache starts anew.
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

func (c *cache[K, V]) forgetAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	c.values = nil
}

// maxCallers bounds the remembered API keys.
const maxCallers = 10_000

// jobCache remembers jobs in parts, because a change to one job makes everything void
// that is being read in the same part.
type jobCache [64]cache[events.JobID, Job]

// maxJobs bounds the remembered jobs of a part: 16,384 in all, about 5 MB.
const maxJobs = 256

func (c *jobCache) part(id events.JobID) *cache[events.JobID, Job] { return &c[id[15]%64] }

// forgetChanged forgets the jobs that a committed Tx has written.
func (c *jobCache) forgetChanged(tx *Tx) {
	for key, s := range tx.slots {
		if s.dirty && key[0] == jobs.Name {
			id := events.JobID([]byte(key[3:]))
			c.part(id).forget(id)
		}
	}
}
