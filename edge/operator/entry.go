package operator

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"sync"
	"time"
)

const (
	// linkTime is how long a link signs in, sessionTime how long a session lasts.
	linkTime    = 5 * time.Minute
	sessionTime = 8 * time.Hour
	// maxEntries bounds the links and the sessions: the next one replaces the one that expires first.
	maxEntries = 20
)

type hash = [sha256.Size]byte

// entries holds issued secrets, by their hashes, with their expiry. They exist in the memory of this process only: all sessions end with it.
type entries struct {
	mu    sync.Mutex
	until map[hash]time.Time
}

// add issues a secret.
func (e *entries) add(now time.Time, lasts time.Duration) (secret string) {
	fresh := make([]byte, 32)
	rand.Read(fresh) // never fails: crypto/rand aborts the process instead
	secret = base64.RawURLEncoding.EncodeToString(fresh)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.until == nil {
		e.until = map[hash]time.Time{}
	}
	e.makeRoom(now)
	e.until[sha256.Sum256([]byte(secret))] = now.Add(lasts)
	return secret
}

// makeRoom drops expired entries and, if there are still too many, the one that expires first.
func (e *entries) makeRoom(now time.Time) {
	var first hash
	for h, until := range e.until {
		if !now.Before(until) {
			delete(e.until, h)
		} else if ends, found := e.until[first]; !found || until.Before(ends) {
			first = h
		}
	}
	if len(e.until) >= maxEntries {
		delete(e.until, first)
	}
}

// good reports whether a secret was issued and has not expired. It is looked up by its hash, so that timing reveals nothing about others.
func (e *entries) good(secret string, now time.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return now.Before(e.until[sha256.Sum256([]byte(secret))])
}

// take reports whether a secret is good, and invalidates it.
func (e *entries) take(secret string, now time.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := sha256.Sum256([]byte(secret))
	until := e.until[h]
	delete(e.until, h)
	return now.Before(until)
}

// token returns the token by which a form proves that it comes from a page of this session.
func token(secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
