package dashboard

import (
	"crypto/sha256"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"platen.dev/events"
)

// Bounds of a password, in characters.
const (
	minPassword = 12
	maxPassword = 128
)

// hashing is what a password costs: 19 MiB and two passes, the least that OWASP's cheat sheet on storing
// passwords names for argon2id with one thread.
var hashing = &argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// hashesAtOnce is how many passwords are hashed at once, since each takes its memory.
const hashesAtOnce = 2

// passwords hashes and compares passwords.
type passwords struct {
	turn chan struct{}
	// fake is a hash that no password fits, by which unknown email addresses take as long as known ones.
	fake func() string
}

func newPasswords() *passwords {
	return &passwords{turn: make(chan struct{}, hashesAtOnce), fake: sync.OnceValue(func() string {
		hash, _ := UnknownPassword() // fails with the source of random numbers only, which aborts
		return hash
	})}
}

func (p *passwords) hash(password string) (string, error) {
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	return argon2id.CreateHash(password, hashing)
}

// compare returns errNoMatch if a password is not that of a hash.
func (p *passwords) compare(hash, password string) error {
	if utf8.RuneCountInString(password) > maxPassword {
		password = "" // which no hash is of
	}
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	same, err := argon2id.ComparePasswordAndHash(password, hash)
	if err == nil && !same {
		err = errNoMatch
	}
	return err
}

// wrongPassword says why a password is not taken, "" if it is.
func wrongPassword(password, repeated, email string) string {
	n := utf8.RuneCountInString(password)
	switch {
	case n < minPassword:
		return "short"
	case n > maxPassword || !utf8.ValidString(password):
		return "long"
	case password != repeated:
		return "repeat"
	case strings.EqualFold(password, email) || strings.Count(password, password[:1]) == len(password):
		return "guess"
	}
	return ""
}

// UnknownPassword is the hash of a password that nobody knows.
func UnknownPassword() (string, error) {
	secret, _ := newSecret()
	return argon2id.CreateHash(string(secret), hashing)
}

func hashOf(secret []byte) [32]byte { return sha256.Sum256(secret) }

// attempts counts the attempts to sign in by address, so that one address does not try many accounts.
type attempts struct {
	mu    sync.Mutex
	begun events.Instant
	by    map[string]int
}

// Limits of attempts from one address in a minute, and of addresses that are remembered.
const (
	attemptsPerMinute = 20
	maxAddresses      = 10_000
)

// may counts an attempt, and reports whether it may be made.
func (a *attempts) may(address string, now events.Instant) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now >= a.begun.Add(time.Minute) || now < a.begun || len(a.by) >= maxAddresses {
		a.begun, a.by = now, map[string]int{}
	}
	a.by[address]++
	return a.by[address] <= attemptsPerMinute
}
