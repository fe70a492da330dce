package edge

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"platen.dev/events"
	"platen.dev/projections"
)

const (
	// strangerLife is how long a key that nobody has is refused without another look.
	strangerLife = time.Minute
	// maxStrangers bounds the remembered keys; beyond them all are forgotten.
	maxStrangers = 10_000
)

// strangers are well-formed keys that were not found, revoked ones above all.
type strangers struct {
	mu     sync.Mutex
	until  map[[32]byte]events.Instant
	flight singleflight.Group
}

func (s *strangers) knows(hash [32]byte, now events.Instant) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now < s.until[hash]
}

func (s *strangers) add(hash [32]byte, now events.Instant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.until == nil || len(s.until) >= maxStrangers {
		s.until = map[[32]byte]events.Instant{}
	}
	s.until[hash] = now.Add(strangerLife)
}

// caller finds whom a key belongs to. One that is not known may have been issued a
// moment ago at another node: before it is refused, all that is durable by now is read.
func (s *Server) caller(hash [32]byte) (projections.Caller, bool, error) {
	c, known, err := s.cfg.Models.Caller(hash)
	now := events.At(s.cfg.Now())
	if known || err != nil || s.strangers.knows(hash, now) {
		return c, known, err
	}
	if err := s.catchUp(); err != nil {
		return c, false, err
	}
	c, known, err = s.cfg.Models.Caller(hash)
	if !known && err == nil {
		s.strangers.add(hash, now)
	}
	return c, known, err
}

// catchUp lets the read models catch up with every partition. All who ask meanwhile
// share one run; who came while one was under way waits for the next, as that one
// may have begun too early.
func (s *Server) catchUp() error {
	run := func() (any, error) {
		ctx, cancel := context.WithTimeout(context.Background(), freshness)
		defer cancel()
		for p := range s.cfg.Partitions {
			if err := s.cfg.Models.CatchUp(ctx, p); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	_, err, shared := s.strangers.flight.Do("", run)
	if err == nil && shared {
		_, err, _ = s.strangers.flight.Do("", run)
	}
	return err
}
