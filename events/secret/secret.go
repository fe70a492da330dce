// Package secret derives keys from the secret of a cluster, or from one that a node made itself,
// and reports which secrets are too weak (docs/decisions/0034).
package secret

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"sync"

	"golang.org/x/crypto/argon2"
)

// Root is the value from which the keys of a secret are derived. It is as sensitive as the secret itself.
type Root [32]byte

// Random returns the root of a secret that consists of at least 32 random bytes.
func Random(secret []byte) (r Root) {
	prk, err := hkdf.Extract(sha256.New, secret, []byte(salt))
	if err != nil {
		panic(err) // cannot happen: SHA-256 is allowed everywhere
	}
	return Root(prk)
}

// The cost of one guess: Argon2id as RFC 9106 recommends where memory is short, about a tenth of a
// second. All nodes must arrive at the same root, so the salt is fixed.
const (
	salt        = "platen cluster secret v1"
	passes      = 3
	memoryKiB   = 64 << 10
	parallelism = 4
)

// stretched holds the roots that this process has computed already, by secret.
var stretched = struct {
	sync.Mutex
	roots map[string]Root
}{roots: map[string]Root{}}

// Stretch returns the root of a secret that people may have chosen: each guess costs 64 MiB and a
// tenth of a second. So does the first call with a secret.
func Stretch(secret string) Root {
	stretched.Lock()
	defer stretched.Unlock()
	r, known := stretched.roots[secret]
	if !known {
		r = Root(argon2.IDKey([]byte(secret), []byte(salt), passes, memoryKiB, parallelism, uint32(len(r))))
		stretched.roots[secret] = r
	}
	return r
}

// Key derives the key for one purpose by HKDF-SHA256. Keys with different labels reveal nothing
// about one another or about the root.
func (r Root) Key(label string) (key [32]byte) {
	b, err := hkdf.Expand(sha256.New, r[:], label, len(key))
	if err != nil {
		panic(err) // cannot happen: the key is short
	}
	return [32]byte(b)
}

// New returns a secret of 256 random bits as 43 characters of URL-safe base64.
func New() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails: crypto/rand aborts the process instead
	return base64.RawURLEncoding.EncodeToString(b)
}
