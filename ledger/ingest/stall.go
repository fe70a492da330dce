package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"
)

// Stalls are the partitions from which the ledger takes nothing, with since when and why. Whatever keeps it from them is noted here, so that the
// figures, the status and the answers to queries agree. Its methods may be called from any goroutine.
type Stalls struct {
	now    func() time.Time
	logger *slog.Logger

	mu       sync.Mutex // guards the fields below
	of       map[obstacle]stall
	failures int64
}

// obstacle is what a partition may wait for. Reading fails and succeeds apart from appending, which happens later.
type obstacle struct {
	partition int32
	reading   bool
}

type stall struct {
	since, last time.Time
	err         error // the latest
}

// abandoned is how long a stall counts without another failure: what is tried again fails again far sooner, so the partition is another node's by then.
const abandoned = 5 * time.Minute

// forget drops the stalls that are abandoned.
func (s *Stalls) forget() {
	if len(s.of) == 0 {
		return
	}
	maps.DeleteFunc(s.of, func(_ obstacle, of stall) bool { return s.now().Sub(of.last) > abandoned })
	if len(s.of) == 0 {
		s.logger.Info("usage ledger no longer waits here: nothing has failed for a while")
	}
}

// NewStalls returns stalls that are timed by now.
func NewStalls(now func() time.Time, logger *slog.Logger) *Stalls {
	return &Stalls{now: now, logger: logger, of: map[obstacle]stall{}}
}

// Reading notes why a partition cannot be read, or with nil that it can.
func (s *Stalls) Reading(partition int32, err error) { s.note(obstacle{partition, true}, err) }

// appending notes why records of a partition cannot be appended, or with nil that they were.
func (s *Stalls) appending(partition int32, err error) { s.note(obstacle{partition, false}, err) }

// note logs the first failure, and the recovery of everything: a failure of the whole ledger is one line, not one for each partition.
func (s *Stalls) note(at obstacle, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	known, is := s.of[at]
	switch {
	case err == nil && is:
		if delete(s.of, at); len(s.of) == 0 {
			s.logger.Info("usage ledger recovered")
		}
	case err == nil:
	case errors.Is(err, context.Canceled):
		s.failures++
	default:
		if s.failures++; !is {
			known.since = s.now()
		}
		if len(s.of) == 0 {
			s.logger.Error("usage ledger is waiting, retrying; jobs and public events continue", "partition", at.partition, "error", err)
		}
		known.last, known.err = s.now(), err
		s.of[at] = known
	}
}

// Stall is the longest of the stalls.
type Stall struct {
	// For is how long it has lasted, zero if there is none.
	For time.Duration
	// Partition is where, Reason why. Partitions counts all that are stalled.
	Partition  int32
	Partitions int
	Reason     string
}

// longest returns the longest stall, of several the one of the lowest partition, and how often anything has failed.
func (s *Stalls) longest() (longest Stall, failures int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	partitions := map[int32]bool{}
	for at, stall := range s.of {
		partitions[at.partition] = true
		lasts := s.now().Sub(stall.since)
		if lasts > longest.For || lasts == longest.For && (longest.Reason == "" || at.partition < longest.Partition) {
			longest = Stall{For: lasts, Partition: at.partition, Reason: stall.err.Error()}
		}
	}
	longest.Partitions = len(partitions)
	return longest, s.failures
}

// Check returns why the ledger has taken nothing from a partition for longer than a duration, nil if it has.
func (s *Stalls) Check(partition int32, longer time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	for _, reading := range []bool{true, false} {
		if stall, is := s.of[obstacle{partition, reading}]; is && s.now().Sub(stall.since) > longer {
			return fmt.Errorf("the usage ledger takes nothing from partition %d since %s: %w", partition, stall.since.UTC().Format(time.RFC3339), stall.err)
		}
	}
	return nil
}
