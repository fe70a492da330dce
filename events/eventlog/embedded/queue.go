package embedded

import (
	"sync"

	"platen.dev/events/eventlog"
)

// request is one request to the committer: an append, a trim, or a refused append
// that only waits for its callback in turn.
type request struct {
	partition *partition
	// record is the record to append; the committer sets its Offset. Of a trim, only
	// Offset is used: the new start.
	record  eventlog.Record
	trim    bool
	refused error
	done    func(offset int64, err error)
}

// requestOverhead is roughly the memory of a request beside the bytes of its record.
const requestOverhead = 128

func (r *request) size() int {
	n := requestOverhead + len(r.record.Key) + len(r.record.Value)
	for _, h := range r.record.Headers {
		n += len(h.Key) + len(h.Value)
	}
	return n
}

// queue carries requests from the callers to the committer and bounds the requests in
// flight: added and not yet released.
type queue struct {
	mu       sync.Mutex
	room     sync.Cond // signals that bytes went down, or closed
	arrived  sync.Cond // signals that a request was added, or closed
	requests []request
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
func (q *queue) add(r request) bool {
	size := r.size()
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.bytes > 0 && q.bytes+size > q.maxBytes && !q.closed {
		q.room.Wait()
	}
	if q.closed {
		return false
	}
	q.bytes += size
	q.requests = append(q.requests, r)
	if len(q.requests) == 1 {
		q.arrived.Signal()
	}
	return true
}

// take waits for requests and returns the first ones, of about limit bytes, and
// their size. It returns none once the queue is closed and empty.
func (q *queue) take(limit int) ([]request, int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.requests) == 0 && !q.closed {
		q.arrived.Wait()
	}
	n, size := 0, 0
	for n < len(q.requests) && size < limit {
		size += q.requests[n].size()
		n++
	}
	taken := q.requests[:n:n]
	q.requests = q.requests[n:]
	return taken, size
}

// release ends the flight of requests of size bytes.
func (q *queue) release(size int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.bytes -= size
	q.room.Broadcast()
}

// close refuses further requests; those in the queue are still taken.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.room.Broadcast()
	q.arrived.Broadcast()
}
