package edge

import (
	"fmt"
	"sync"

	"platen.dev/events"
)

const (
	// smallBody is the largest body that is read before anything is known about its request.
	// It is no larger than the header that came before it.
	smallBody = maxHeader
	// accountBodies is how many bytes of large bodies an account may have in memory.
	accountBodies = 64 << 20
	// fullSeconds is when to try again after a body found no room: bodies come and go quickly.
	fullSeconds = 1
)

var (
	accountBodiesFull = rateLimited.with(fmt.Sprintf("rate-limit-exceeded: the account has large request bodies of %d MiB under way, as many as it may have; "+
		"send fewer at a time. A body without Content-Length counts with the 8 MiB that it may have, until it is read.", accountBodies>>20)).after(fullSeconds)
	bodiesFull = unavailable.with("The service has as many large request bodies under way as it has memory for. Nothing was accepted; try again.").after(fullSeconds)
)

// bodies is the memory for large bodies: those that are being read, and those whose
// requests are being handled. An account gets no more than accountBodies, and no more than a
// third of what it leaves free: many greedy accounts leave room for another.
type bodies struct {
	limit int64 // in all

	mu   sync.Mutex
	held int64
	by   map[events.AccountID]int64
}

func newBodies(limit int64) *bodies {
	return &bodies{limit: limit, by: map[events.AccountID]int64{}}
}

// share is the memory of one body.
type share struct {
	of      *bodies
	account events.AccountID
	bytes   int64 // guarded by of.mu
}

// take reserves memory for a body, or returns why there is none.
func (b *bodies) take(account events.AccountID, bytes int64) (*share, *problem) {
	b.mu.Lock()
	defer b.mu.Unlock()
	wanted := b.by[account] + bytes
	switch {
	case wanted > accountBodies:
		return nil, accountBodiesFull
	case wanted > (b.limit-b.held-bytes)/3:
		return nil, bodiesFull
	}
	b.add(account, bytes)
	return &share{b, account, bytes}, nil
}

func (b *bodies) add(account events.AccountID, bytes int64) {
	b.held += bytes
	if b.by[account] += bytes; b.by[account] == 0 {
		delete(b.by, account)
	}
}

// inUse is how many bytes are reserved.
func (b *bodies) inUse() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// shrink gives back what a body turned out not to need.
func (s *share) shrink(bytes int64) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if surplus := s.bytes - bytes; surplus > 0 {
		s.of.add(s.account, -surplus)
		s.bytes = bytes
	}
}

// release gives everything back, once.
func (s *share) release() { s.shrink(0) }
