package embedded

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

const (
	// batchBytes keeps a batch far below half a memtable. Pebble would turn a larger
	// one into a table of its own.
	batchBytes = 2 << 20
	// syncsInFlight is how many batches may wait for their fsync while the next one
	// is collected. More of them would only make the batches smaller.
	syncsInFlight = 1
)

// commit is one applied batch on its way from the committer to the publisher.
type commit struct {
	batch    *pebble.Batch
	requests []request
	err      error
}

// runCommitter is the only writer of the database. It ends once the queue is
// closed and empty.
func (l *Log) runCommitter() {
	defer close(l.commits)
	for {
		requests := l.queue.take(batchBytes)
		if len(requests) == 0 {
			return
		}
		c := commit{requests: requests, err: l.failure()}
		if c.err == nil {
			c.batch, c.err = l.apply(requests)
		}
		l.commits <- c
	}
}

// apply writes requests to the database without waiting for the fsync. Pebble
// ends the process if it cannot start the next write-ahead log.
func (l *Log) apply(requests []request) (*pebble.Batch, error) {
	batch := l.newBatch()
	for i := range requests {
		if err := requests[i].write(batch); err != nil {
			return nil, fmt.Errorf("commit: %w", err)
		}
	}
	if batch.Empty() {
		return batch, nil
	}
	return batch, l.db.ApplyNoSyncWait(batch, pebble.Sync)
}

func (r *request) write(b *pebble.Batch) error {
	if r.trim {
		return r.partition.writeTrim(b, r.record.Offset)
	}
	return r.partition.writeRecord(b, &r.record)
}

// runPublisher ends once the committer has ended.
func (l *Log) runPublisher() {
	for c := range l.commits {
		if err := l.await(c); err != nil {
			l.fail(err)
			complete(c.requests, err)
		} else {
			l.publish(c.requests)
			complete(c.requests, nil)
		}
	}
}

// await waits for the fsync of c and returns its outcome. After one failure every
// later commit fails, too, even if its own fsync succeeded.
func (l *Log) await(c commit) error {
	if c.err != nil {
		return c.err
	}
	if err := c.batch.SyncWait(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	l.freeBatch(c.batch)
	return l.failure()
}

// publish makes the outcome of durable requests visible, then wakes each waiting reader once.
func (l *Log) publish(requests []request) {
	for i := range requests {
		r := &requests[i]
		if r.trim {
			r.partition.trimmed(r.record.Offset)
			continue
		}
		r.partition.appended(r.record)
		l.cache.add(r.partition, r.size)
	}
	for i := range requests {
		requests[i].partition.wake()
	}
}

// complete calls back with the outcome of each request.
func complete(requests []request, err error) {
	for i := range requests {
		r := &requests[i]
		r.partition.room.Give(r.size)
		if err != nil {
			r.done(0, err)
			continue
		}
		r.done(r.record.Offset, nil)
	}
	clear(requests)
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
	if l.failed.CompareAndSwap(nil, &err) {
		l.logger.Error("log failed, appends are refused: check the disk, then restart this node; it recovers all acknowledged records",
			"dir", l.dir, "error", err)
	}
}

func (l *Log) failure() error {
	if err := l.failed.Load(); err != nil {
		return *err
	}
	return nil
}
