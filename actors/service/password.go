package service

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/alexedwards/argon2id"
)

// hashing sets the cost of a password: 19 MiB and two passes, the minimum that OWASP's cheat sheet on storing
// passwords names for argon2id with one thread.
var hashing = &argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// hashesAtOnce is how many passwords are hashed at once, since each takes its memory; hashesWaiting is how many more may wait, a few seconds' worth.
const (
	hashesAtOnce  = 2
	hashesWaiting = 32
)

// errCrowd means that too many passwords are waiting to be hashed.
var errCrowd = &Refusal{Code: SignInCrowd, RetryAfter: 2}

// errNoMatch means that a password is not that of a hash.
var errNoMatch = errors.New("no match")

// passwords hashes and compares passwords.
type passwords struct {
	turn    chan struct{}
	waiting atomic.Int64 // including those being hashed
	// unknown returns the hash of a password that nobody knows: that of members without one, and of unknown email addresses, which take as long as
	// known ones. It is made once.
	unknown func() string
}

func newPasswords() *passwords {
	return &passwords{turn: make(chan struct{}, hashesAtOnce), unknown: sync.OnceValue(func() string {
		secret, _ := newSecret()
		hash, _ := argon2id.CreateHash(string(secret), hashing) // fails only if the source of random numbers does, which aborts the process
		return hash
	})}
}

// enter waits for a turn, which end releases. The error is errCrowd if too many are waiting.
func (p *passwords) enter() (end func(), err error) {
	if p.waiting.Add(1) > hashesAtOnce+hashesWaiting {
		p.waiting.Add(-1)
		return nil, errCrowd
	}
	p.turn <- struct{}{}
	return func() {
		<-p.turn
		p.waiting.Add(-1)
	}, nil
}

// hash hashes a password as newPassword returns it.
func (p *passwords) hash(password string) (string, error) {
	end, err := p.enter()
	if err != nil {
		return "", err
	}
	defer end()
	return argon2id.CreateHash(password, hashing)
}

// compare returns errNoMatch if a password, as typed, does not match a hash. The time that this takes depends only on the typed password, and reveals
// nothing of the hash: one comparison, or two if preparing changes the password.
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
	end, err := p.enter()
	if err != nil {
		return false, err
	}
	defer end()
	return argon2id.ComparePasswordAndHash(password, hash)
}
