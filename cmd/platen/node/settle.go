package node

import (
	"context"
	"fmt"
	"maps"
	"time"

	"platen.dev/events"
)

// settleLimit is how long commands that were sent are waited for: owners decide within milliseconds, and a partition
// without one for longer than a take-over lasts may have none for hours.
const (
	settleLimit = 15 * time.Second
	settleAgain = 50 * time.Millisecond
)

// settle waits until the replica has folded what became of every command that is in the log now, and returns of which
// stored files that is so. A partition that does not come that far within the limit is given up.
func (n *Node) settle(ctx context.Context, limit time.Duration) (known func(name string) bool, err error) {
	ends := map[int32]int64{}
	for p := range n.log.Partitions() {
		if _, ends[p], err = n.log.Bounds(ctx, events.TopicCommands, p); err != nil {
			return nil, fmt.Errorf("end of commands %d: %w", p, err)
		}
	}
	behind, err := n.awaitDecided(ctx, ends, limit)
	return func(name string) bool {
		_, p, ok := events.ParseFileName(name)
		_, is := behind[p]
		return !ok || !is
	}, err
}

// awaitDecided waits until the commands of partitions are decided up to their ends, and returns the partitions that do not
// come that far within the limit.
func (n *Node) awaitDecided(ctx context.Context, ends map[int32]int64, limit time.Duration) (behind map[int32]int64, err error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	again := time.NewTicker(settleAgain)
	defer again.Stop()
	for {
		maps.DeleteFunc(ends, func(p int32, end int64) bool { return n.replica.Cursor(p).Cause >= end-1 })
		if len(ends) == 0 {
			return nil, nil
		}
		select {
		case <-again.C:
		case <-limited.Done():
			return ends, ctx.Err()
		}
	}
}
