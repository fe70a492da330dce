package embedded

import (
	"sync"

	"platen.dev/events/eventlog"
)

// request is one request to the committer: an append or a trim.
type request struct {
	partition *partition
	// record is the record to append; the committer sets its Offset. Of a trim, only
	// Offset is used: the new start.
	record eventlog.Record
	trim   bool
	size   int // of the record in its topic's room; 0 for a trim
	done   func(offset int64, err error)
}

// queue carries requests from the callers to the committer.
type queue struct {
	mu       sync.Mutex
	arrived  sync.Cond // signals that a request was added, or closed
	requests []request
	closed   bool
	refusals sync.WaitGroup // refused appends whose callback has not returned
}

func newQueue() *queue {
	q := &queue{}
	q.arrived.L = &q.mu
	return q
}

// add returns ErrBusy if the topic has no room for the request, and ErrClosed on a closed
// queue.
func (q *queue) add(r request) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return eventlog.ErrClosed
	}
	if err := r.partition.room.Take(r.size); err != nil {
		return err
	}
	q.requests = append(q.requests, r)
	if len(q.requests) == 1 {
		q.arrived.Signal()
	}
	return nil
}

// refuse calls back with err, from another goroutine than the caller's. close waits for it.
func (q *queue) refuse(done func(int64, error), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		go done(0, err)
		return
	}
	q.refusals.Go(func() { done(0, err) })
}

// take waits for requests and returns the first ones, of about limit bytes. It returns none
// once the queue is closed and empty.
func (q *queue) take(limit int) []request {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.requests) == 0 && !q.closed {
		q.arrived.Wait()
	}
	n, size := 0, 0
	for n < len(q.requests) && size < limit {
		size += q.requests[n].size
		n++
	}
	taken := q.requests[:n:n]
	q.requests = q.requests[n:]
	return taken
}

// close refuses further requests; those in the queue are still taken.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.arrived.Broadcast()
	q.mu.Unlock()
	q.refusals.Wait()
}
