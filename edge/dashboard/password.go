package dashboard

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/alexedwards/argon2id"

	"platen.dev/events"
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

// hash hashes a password as newPassword returns it.
func (p *passwords) hash(password string) (string, error) {
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	return argon2id.CreateHash(password, hashing)
}

// compare returns errNoMatch if a password, as it was typed, is not that of a hash. Then the time that it takes follows from
// what was typed, and tells nothing of the hash: one comparison, or two if preparing changes the password.
func (p *passwords) compare(hash, typed string) error {
	for _, password := range spellings(typed) {
		same, err := p.same(hash, password)
		if same || err != nil {
			return err
		}
	}
	return errNoMatch
}

func (p *passwords) same(hash, password string) (bool, error) {
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	return argon2id.ComparePasswordAndHash(password, hash)
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
