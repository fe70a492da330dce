package edge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"platen.dev/events"
)

// freshness is how long a miss waits for the read models to catch up before it counts.
const freshness = 5 * time.Second

// errBehind means that the read models may lack what is durable by now: they do not catch up, or
// the log cannot be asked. The request may be sent again.
var errBehind = errors.New("the read models are behind")

// catchUp waits until everything of an account that is durable by now is read. Its error is
// errBehind.
func (s *Server) catchUp(account events.AccountID) error {
	ctx, cancel := context.WithTimeout(context.Background(), freshness)
	defer cancel()
	return s.catchUpPartition(ctx, events.Partition(account, s.cfg.Partitions))
}

func (s *Server) catchUpPartition(ctx context.Context, partition int32) error {
	if err := s.cfg.Models.CatchUp(ctx, partition); err != nil {
		return fmt.Errorf("%w: %w", errBehind, err)
	}
	return nil
}

// catchUpAll waits until everything that is durable by now is read, of all accounts.
// Concurrent callers share one run; a caller that joined a run waits for the next one,
// too, because the run may have begun before the caller's moment.
func (s *Server) catchUpAll() error {
	run := func() (any, error) { return nil, s.catchUpPartitions() }
	_, err, shared := s.catchUps.Do("", run)
	if err == nil && shared {
		_, err, _ = s.catchUps.Do("", run)
	}
	return err
}

func (s *Server) catchUpPartitions() error {
	ctx, cancel := context.WithTimeout(context.Background(), freshness)
	defer cancel()
	for p := range s.cfg.Partitions {
		if err := s.catchUpPartition(ctx, p); err != nil {
			return err
		}
	}
	return nil
}
