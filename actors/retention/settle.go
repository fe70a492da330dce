package retention

import (
	"context"
	"fmt"
	"maps"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/projections"
)

// SettleLimit is how long sent commands are waited for: owners decide within milliseconds, and a partition that has no owner for longer than a
// take-over may have none for hours.
const SettleLimit = 15 * time.Second

const settleAgain = 50 * time.Millisecond

// Cursors tell how far each partition of the journal has been folded, as projections.Replica does.
type Cursors interface {
	Cursor(partition int32) projections.Cursor
}

// Settle waits until every command now in the log has been decided and its outcome folded, and reports for which stored files this holds. It gives up
// partitions that take longer than limit.
func Settle(ctx context.Context, log eventlog.Log, folded Cursors, limit time.Duration) (known func(name string) bool, err error) {
	ends := map[int32]int64{}
	for p := range log.Partitions() {
		if _, ends[p], err = log.Bounds(ctx, events.TopicCommands, p); err != nil {
			return nil, fmt.Errorf("end of commands %d: %w", p, err)
		}
	}
	behind, err := awaitDecided(ctx, folded, ends, limit)
	return func(name string) bool {
		_, p, ok := events.ParseFileName(name)
		_, is := behind[p]
		return !ok || !is
	}, err
}

// awaitDecided waits until the commands of partitions are decided up to their ends, and returns the partitions that are not within the limit.
func awaitDecided(ctx context.Context, folded Cursors, ends map[int32]int64, limit time.Duration) (behind map[int32]int64, err error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	again := time.NewTicker(settleAgain)
	defer again.Stop()
	for {
		maps.DeleteFunc(ends, func(p int32, end int64) bool { return folded.Cursor(p).Cause >= end-1 })
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
