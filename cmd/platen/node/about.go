package node

import (
	"crypto/sha256"
	"io"
	"os"
	"sync"

	"platen.dev/browserpool"
	"platen.dev/events"
)

// engineOf returns the description of the engine by which a node makes files, without its fonts.
func engineOf(version string, pool *browserpool.Pool) func() events.Engine {
	return func() events.Engine {
		return events.Engine{Platen: version, Binary: binaryDigest(), Browser: pool.Version()}
	}
}

// binaryDigest returns the SHA-256 of this program, zero if it cannot be read. It is read once: a file that replaces it is another program.
var binaryDigest = sync.OnceValue(func() (digest [sha256.Size]byte) {
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		return digest
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return digest
	}
	return [sha256.Size]byte(h.Sum(nil))
})
