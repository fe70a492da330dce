package transport

import (
	"errors"
	"sync"

	"platen.dev/events"
)

// MaxAccountBodies is how many bytes of large bodies an account may have in memory.
const MaxAccountBodies = 64 << 20

// Reasons why there is no memory for a body.
var (
	ErrAccountFull = errors.New("the account has as many large bodies under way as it may have")
	ErrFull        = errors.New("as many large bodies are under way as there is memory for")
)

// Bodies is the memory for large bodies: those that are being read, and those whose requests are being handled. An account gets no more
// than MaxAccountBodies, and no more than a third of what it leaves free: many greedy accounts leave room for another.
type Bodies struct {
	limit int64 // in all

	mu   sync.Mutex
	held int64
	by   map[events.AccountID]int64
}

// NewBodies returns memory of limit bytes.
func NewBodies(limit int64) *Bodies {
	return &Bodies{limit: limit, by: map[events.AccountID]int64{}}
}

// Share is the memory of one body.
type Share struct {
	of      *Bodies
	account events.AccountID
	bytes   int64 // guarded by of.mu
}

// Take reserves bytes for a body. Its error is ErrAccountFull or ErrFull.
func (b *Bodies) Take(account events.AccountID, bytes int64) (*Share, error) {
	s := &Share{of: b, account: account}
	if err := s.Grow(bytes); err != nil {
		return nil, err
	}
	return s, nil
}

// Grow has a share hold bytes at least. Its error is ErrAccountFull or ErrFull.
func (s *Share) Grow(bytes int64) error {
	b := s.of
	b.mu.Lock()
	defer b.mu.Unlock()
	more := bytes - s.bytes
	if more <= 0 {
		return nil
	}
	wanted := b.by[s.account] + more
	switch {
	case wanted > MaxAccountBodies:
		return ErrAccountFull
	case wanted > (b.limit-b.held-more)/3:
		return ErrFull
	}
	b.add(s.account, more)
	s.bytes = bytes
	return nil
}

func (b *Bodies) add(account events.AccountID, bytes int64) {
	b.held += bytes
	if b.by[account] += bytes; b.by[account] == 0 {
		delete(b.by, account)
	}
}

// InUse is how many bytes are reserved.
func (b *Bodies) InUse() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// Shrink gives back what a body turned out not to need.
func (s *Share) Shrink(bytes int64) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if surplus := s.bytes - bytes; surplus > 0 {
		s.of.add(s.account, -surplus)
		s.bytes = bytes
	}
}

// Release gives everything back, once.
func (s *Share) Release() { s.Shrink(0) }
