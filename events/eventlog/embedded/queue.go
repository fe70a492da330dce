package embedded

import (
	"sync"

	"platen.dev/events/eventlog"
)

// entry is one request to the committer: an append, a trim, or a refusal that
// is only to be answered, in its turn.
type entry struct {
	partition *partition
	// record is what to append, its Offset set by the committer; of a trim only
	// Offset counts: the new start.
	record  eventlog.Record
	trim    bool
	refused error
	done    func(offset int64, err error)
}

// entryOverhead is roughly what an entry costs in memory beside its bytes.
const entryOverhead = 128

func (e *entry) size() int {
	n := entryOverhead + len(e.record.Key) + len(e.record.Value)
	for _, h := range e.record.Headers {
		n += len(h.Key) + len(h.Value)
	}
	return n
}

// queue carries entries from the callers to the committer and bounds what is in
// flight: added and not yet released.
type queue struct {
	mu       sync.Mutex
	room     sync.Cond // bytes went down, or closed
	arrived  sync.Cond // entries went up, or closed
	entries  []entry
	bytes    int
	maxBytes int
	closed   bool
}

func newQueue(maxBytes int) *queue {
	q := &queue{maxBytes: maxBytes}
	q.room.L, q.arrived.L = &q.mu, &q.mu
	return q
}

// add blocks while too much is in flight. It reports false on a closed queue.
func (q *queue) add(e entry) bool {
	size := e.size()
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.bytes > 0 && q.bytes+size > q.maxBytes && !q.closed {
		q.room.Wait()
	}
	if q.closed {
		return false
	}
	q.bytes += size
	q.entries = append(q.entries, e)
	if len(q.entries) == 1 {
		q.arrived.Signal()
	}
	return true
}

// take waits for entries and gives a prefix of them of about limit bytes, and
// their size. It gives none when the queue is closed and empty.
func (q *queue) take(limit int) ([]entry, int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.entries) == 0 && !q.closed {
		q.arrived.Wait()
	}
	n, size := 0, 0
	for n < len(q.entries) && size < limit {
		size += q.entries[n].size()
		n++
	}
	taken := q.entries[:n:n]
	q.entries = q.entries[n:]
	return taken, size
}

// release makes room for size bytes.
func (q *queue) release(size int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.bytes -= size
	q.room.Broadcast()
}

// close refuses further entries; those queued are still taken.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.room.Broadcast()
	q.arrived.Broadcast()
}
