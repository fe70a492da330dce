package embedded

import (
	"bytes"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events/disk"
	"platen.dev/events/eventlog"
)

const (
	// batchBytes keeps a batch far below half a memtable. Pebble would turn a larger one into its own table.
	batchBytes = 2 << 20
	// syncsInFlight is how many batches may wait for their fsync while the next one
	// is collected. More of them would only make the batches smaller.
	syncsInFlight = 1
)

// runCommitter is the only writer of the database. It ends once the queue refuses requests and is empty.
func (l *Log) runCommitter() {
	defer close(l.commits)
	for {
		c := l.queue.take(batchBytes)
		if c == nil {
			return
		}
		if c.err = l.failure(); c.err == nil {
			c.err = l.apply(c)
		}
		l.commits <- c
	}
}

// apply writes a commit to the database without waiting for the fsync. It may never return: if Pebble gives up the database, the watcher abandons
// what is in flight.
func (l *Log) apply(c *commit) (err error) {
	c.batch = l.newBatch()
	for i := range c.requests {
		if c.offsets[i], err = c.requests[i].write(c.batch); err != nil {
			return fmt.Errorf("commit: %w", err)
		}
	}
	if c.batch.Empty() {
		return nil
	}
	return l.db.ApplyNoSyncWait(c.batch, pebble.Sync)
}

// write adds r to the batch and returns its offset.
func (r *request) write(b *pebble.Batch) (int64, error) {
	if r.fence {
		return 0, b.LogData(padding, nil)
	}
	if r.trim {
		return r.record.Offset, r.partition.writeTrim(b, r.record.Offset)
	}
	return r.partition.writeRecord(b, r.record)
}

// runPublisher ends once the committer has ended.
func (l *Log) runPublisher() {
	for c := range l.commits {
		err := l.await(c)
		if !l.queue.finish(c) {
			continue
		}
		if err != nil {
			l.fail(err)
			complete(c.requests, nil, l.failure())
			continue
		}
		l.publish(c)
		complete(c.requests, c.offsets, nil)
		l.fenceLater(c)
		clear(c.requests) // the queue may keep their memory
	}
}

// padding is written by a fence: enough to reach the next block of the write-ahead log, because Pebble looks for evidence of durability only after
// the damaged block.
var padding = bytes.Repeat([]byte("fence--"), disk.WALBlock/len("fence--"))

// flushEvery is the number of fences after which the write-ahead log is replaced; otherwise fences would fill it if little else is appended.
const flushEvery = 256

// fenceLater has the log fenced if nothing soon follows a commit. Each batch records how far earlier ones were durable. So damage to the last batch
// looks like a write torn by a crash, never acknowledged; before a fence it does not.
func (l *Log) fenceLater(c *commit) {
	if last := c.requests[len(c.requests)-1]; !last.fence {
		l.unfenced.Store(last.partition)
		l.fenceTimer.Reset(l.fenceAfter)
	}
}

// fence appends a batch without records.
func (l *Log) fence() {
	p := l.unfenced.Load()
	if p == nil {
		return
	}
	_ = l.queue.add(request{partition: p, fence: true, done: func(int64, error) { // if it is refused, the log has ended
		if l.fences++; l.fences%flushEvery == 0 {
			l.flushSoon()
		}
	}})
}

// flushSoon makes Pebble begin another write-ahead log.
func (l *Log) flushSoon() {
	l.dbMu.RLock()
	defer l.dbMu.RUnlock()
	if !l.isClosed() && l.failure() == nil {
		_, _ = l.db.AsyncFlush() // the guard gets its errors
	}
}

// runWatcher calls back everything in flight if the database breaks, since the committer and
// the publisher may be stuck in it. It ends then, or when the log is closed.
func (l *Log) runWatcher() {
	select {
	case <-l.guard.Broken():
		l.fail(l.guard.Err())
		err := l.failure()
		complete(l.queue.abandon(err), nil, err)
	case <-l.closed:
	}
}

// await waits for the fsync of c and returns its outcome. After one failure every later commit fails too, even if its own fsync succeeded.
func (l *Log) await(c *commit) error {
	if c.err != nil {
		return c.err
	}
	if err := c.batch.SyncWait(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	l.freeBatch(c.batch)
	return l.failure()
}

// publish makes the outcome of a durable commit visible, then wakes each waiting reader once.
func (l *Log) publish(c *commit) {
	for i := range c.requests {
		r := &c.requests[i]
		if r.fence {
			continue
		}
		if r.trim {
			r.partition.trimmed(r.record.Offset)
			continue
		}
		record := r.record
		record.Offset = c.offsets[i]
		r.partition.appended(record)
		l.cache.add(r.partition, r.size)
	}
	for i := range c.requests {
		c.requests[i].partition.wake()
	}
}

// complete calls back with the offset of each request, or with err.
func complete(requests []request, offsets []int64, err error) {
	for i := range requests {
		r := &requests[i]
		r.partition.room.Give(r.size)
		if err != nil {
			r.done(0, err)
			continue
		}
		r.done(offsets[i], nil)
	}
}

// newBatch returns an empty batch, reusing an earlier one if possible.
func (l *Log) newBatch() *pebble.Batch {
	select {
	case b := <-l.batches:
		return b
	default:
		return l.db.NewBatch(pebble.WithMaxRetainedSizeBytes(1 << 20))
	}
}

func (l *Log) freeBatch(b *pebble.Batch) {
	b.Reset()
	select {
	case l.batches <- b:
	default:
		_ = b.Close() // returns it to Pebble's pool; cannot fail
	}
}

// fail marks the log as failed for good, with the first error.
func (l *Log) fail(err error) {
	advice := "log failed, appends are refused: check the disk, then restart this node; it recovers all acknowledged records"
	if disk.Damaged(err) {
		advice = "log failed, appends are refused: it is damaged"
	}
	err = fmt.Errorf("%w: %w", eventlog.ErrFailed, damaged(err))
	if l.failed.CompareAndSwap(nil, &err) {
		l.logger.Error(advice, "dir", l.dir, "error", err)
		if l.onFailure != nil {
			l.onFailure(err)
		}
	}
}

func (l *Log) failure() error {
	if err := l.failed.Load(); err != nil {
		return *err
	}
	return nil
}
