// Package apikey makes and checks API keys: a prefix, 160 random bits in base62 and a
// CRC32 checksum in base62, so that a mistyped key is refused without a look-up
// (docs/API.md, Authentication). Platen keeps only the SHA-256 of a key.
package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"strings"

	"platen.dev/events"
)

// The prefixes. They are labels: a test key behaves as a live one does.
const (
	Live = "sk_live_"
	Test = "sk_test_"
)

const (
	randomBytes    = 20
	randomDigits   = 27 // ceil(160 / log2(62))
	checksumDigits = 6
	length         = len(Live) + randomDigits + checksumDigits
	alphabet       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// New makes a key with the prefix: the secret, to be shown once, and the record of it.
func New(prefix string, created events.Instant) (secret string, key events.Key) {
	b := make([]byte, randomBytes)
	rand.Read(b) // never fails: crypto/rand aborts the process instead
	body := prefix + base62(new(big.Int).SetBytes(b), randomDigits)
	secret = body + checksum(body)
	return secret, Describe(secret, created)
}

// Describe returns the record of a secret, under a new key id.
func Describe(secret string, created events.Instant) events.Key {
	return events.Key{
		ID: events.NewKeyID(), Hash: sha256.Sum256([]byte(secret)),
		Prefix: secret[:len(Live)], LastFour: secret[len(secret)-4:], Created: created,
	}
}

// Hash returns the hash of a secret; false if its form or its checksum is wrong.
func Hash(secret string) ([32]byte, bool) {
	if len(secret) != length || (!strings.HasPrefix(secret, Live) && !strings.HasPrefix(secret, Test)) {
		return [32]byte{}, false
	}
	body, sum := secret[:length-checksumDigits], secret[length-checksumDigits:]
	if sum != checksum(body) {
		return [32]byte{}, false
	}
	return sha256.Sum256([]byte(secret)), true
}

// checksum avoids big numbers because it is computed for every request.
func checksum(body string) string {
	var out [checksumDigits]byte
	n := crc32.ChecksumIEEE([]byte(body))
	for i := checksumDigits - 1; i >= 0; i-- {
		out[i] = alphabet[n%uint32(len(alphabet))]
		n /= uint32(len(alphabet))
	}
	return string(out[:])
}

func base62(n *big.Int, digits int) string {
	out := make([]byte, digits)
	base, digit := big.NewInt(int64(len(alphabet))), new(big.Int)
	n = new(big.Int).Set(n)
	for i := digits - 1; i >= 0; i-- {
		n.DivMod(n, base, digit)
		out[i] = alphabet[digit.Int64()]
	}
	return string(out)
}
