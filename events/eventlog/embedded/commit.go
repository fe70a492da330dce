package embedded

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

const (
	// batchBytes keeps a batch far below half a memtable, beyond which Pebble
	// would treat it as a table of its own.
	batchBytes = 2 << 20
	// syncsInFlight is how many batches may wait for their fsync while the next one
	// is collected. More of them make batches smaller and give nothing.
	syncsInFlight = 1
)

// commit is one applied batch on its way from the committer to the publisher.
type commit struct {
	batch   *pebble.Batch
	entries []entry
	size    int
	err     error
}

// runCommitter is the only writer of the database. It ends when the queue is
// closed and empty.
func (l *Log) runCommitter() {
	defer close(l.commits)
	for {
		entries, size := l.queue.take(batchBytes)
		if len(entries) == 0 {
			return
		}
		c := commit{entries: entries, size: size, err: l.failure()}
		if c.err == nil {
			c.batch, c.err = l.apply(entries)
		}
		l.commits <- c
	}
}

// apply writes entries to the database without waiting for the fsync. Pebble
// ends the process when it cannot start the next write-ahead log.
func (l *Log) apply(entries []entry) (*pebble.Batch, error) {
	batch := l.newBatch()
	for i := range entries {
		if err := entries[i].write(batch); err != nil {
			return nil, fmt.Errorf("commit: %w", err)
		}
	}
	if batch.Empty() {
		return batch, nil
	}
	return batch, l.db.ApplyNoSyncWait(batch, pebble.Sync)
}

func (e *entry) write(b *pebble.Batch) error {
	switch {
	case e.refused != nil:
		return nil
	case e.trim:
		return e.partition.writeTrim(b, e.record.Offset)
	default:
		return e.partition.writeRecord(b, &e.record)
	}
}

// runPublisher ends when the committer has ended.
func (l *Log) runPublisher() {
	for c := range l.commits {
		if err := l.await(c); err != nil {
			l.fail(err)
			answer(c.entries, err)
		} else {
			l.publish(c.entries)
			answer(c.entries, nil)
		}
		l.queue.release(c.size)
	}
}

// await waits for the fsync of c and gives its outcome. After one failure every
// later commit fails, whatever became of it.
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

// publish makes durable entries visible, then wakes the readers once each.
func (l *Log) publish(entries []entry) {
	for i := range entries {
		e := &entries[i]
		switch {
		case e.refused != nil:
		case e.trim:
			e.partition.trimmed(e.record.Offset)
		default:
			e.partition.appended(e.record)
			l.recent.add(e.partition, e.size())
		}
	}
	for i := range entries {
		entries[i].partition.wake()
	}
}

func answer(entries []entry, err error) {
	for i := range entries {
		e := &entries[i]
		switch {
		case e.refused != nil:
			e.done(0, e.refused)
		case err != nil:
			e.done(0, err)
		default:
			e.done(e.record.Offset, nil)
		}
	}
	clear(entries)
}

// newBatch gives an empty batch, one that was used before if possible.
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
		_ = b.Close() // gives it back to Pebble's pool, cannot fail
	}
}

// fail marks the log as failed for good; the first error stays.
func (l *Log) fail(err error) {
	if l.failed.CompareAndSwap(nil, &err) {
		l.logger.Error("log failed: restart to recover what is durable", "dir", l.dir, "err", err)
	}
}

func (l *Log) failure() error {
	if err := l.failed.Load(); err != nil {
		return *err
	}
	return nil
}
