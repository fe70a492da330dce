package edge

import (
	"sync"
	"time"

	"platen.dev/events"
)

const (
	// unknownLife is how long an unknown key is refused without another look.
	unknownLife = time.Minute
	// maxUnknown bounds the remembered keys; beyond it all are forgotten.
	maxUnknown = 10_000
)

// unknownKeys is a bounded negative cache: the hashes of well-formed keys that no
// account has. Most of them are revoked.
type unknownKeys struct {
	mu    sync.Mutex
	until map[[32]byte]events.Instant
}

func (k *unknownKeys) has(hash [32]byte, now events.Instant) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return now < k.until[hash]
}

func (k *unknownKeys) add(hash [32]byte, now events.Instant) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.until == nil || len(k.until) >= maxUnknown {
		k.until = map[[32]byte]events.Instant{}
	}
	k.until[hash] = now.Add(unknownLife)
}
