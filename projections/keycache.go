package projections

import "sync"

// keyCache remembers what key hashes lead to: every request asks, and keys
// hardly ever change. A commit that touches the key index empties it; what was
// read from the store before such a commit is not remembered after it.
type keyCache struct {
	mu         sync.RWMutex
	generation uint64
	refs       map[[32]byte]KeyRef
}

// keyCacheSize bounds the cache; beyond it the cache starts anew.
const keyCacheSize = 10_000

// get returns the remembered entry, and the generation to hand to put.
func (c *keyCache) get(hash [32]byte) (ref KeyRef, ok bool, generation uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	ref, ok = c.refs[hash]
	return ref, ok, c.generation
}

func (c *keyCache) put(hash [32]byte, ref KeyRef, generation uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation != c.generation {
		return
	}
	if c.refs == nil || len(c.refs) >= keyCacheSize {
		c.refs = map[[32]byte]KeyRef{}
	}
	c.refs[hash] = ref
}

func (c *keyCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	c.refs = nil
}
