package embedded

import (
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events/eventlog"
)

// request is one request to the committer: an append, a trim or a fence. It is immutable.
type request struct {
	partition *partition
	// record is the record to append. A trim uses only its Offset: the new start.
	record eventlog.Record
	trim   bool
	fence  bool
	size   int // of the record in its topic's room; 0 for others
	done   func(offset int64, err error)
}

// commit holds the requests that the committer takes at once, on their way to the publisher.
type commit struct {
	requests []request
	offsets  []int64 // of the requests, set by the committer
	batch    *pebble.Batch
	err      error
}

// queue carries requests from the callers to the committer, and keeps those that it has taken
// until they are finished or abandoned.
type queue struct {
	mu       sync.Mutex
	arrived  sync.Cond // signals that a request was added, or closed
	requests []request
	taken    []*commit
	refuses  error // why further requests are refused, nil if they are accepted
	closed   bool
	refusals sync.WaitGroup // refused appends whose callback has not returned
}

func newQueue() *queue {
	q := &queue{}
	q.arrived.L = &q.mu
	return q
}

// add returns ErrBusy if the topic has no room for the request, or the reason if all requests are
// refused.
func (q *queue) add(r request) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.refuses != nil {
		return q.refuses
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

// refuse calls back with err on a goroutine other than the caller's. close waits for it.
func (q *queue) refuse(done func(int64, error), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		go done(0, err)
		return
	}
	q.refusals.Go(func() { done(0, err) })
}

// take waits for requests and returns the first ones, about limit bytes. It returns nil once the
// queue refuses requests and is empty.
func (q *queue) take(limit int) *commit {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.requests) == 0 && q.refuses == nil {
		q.arrived.Wait()
	}
	n, size := 0, 0
	for n < len(q.requests) && size < limit {
		size += q.requests[n].size
		n++
	}
	if n == 0 {
		return nil
	}
	c := &commit{requests: q.requests[:n:n], offsets: make([]int64, n)}
	q.requests = q.requests[n:]
	q.taken = append(q.taken, c)
	return c
}

// finish gives the caller sole ownership of c. It reports false if c was abandoned.
func (q *queue) finish(c *commit) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.taken, c)
	if i < 0 {
		return false
	}
	q.taken = slices.Delete(q.taken, i, i+1)
	return true
}

// abandon refuses further requests with err and returns all unfinished ones.
func (q *queue) abandon(err error) (left []request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, c := range q.taken {
		left = append(left, c.requests...)
	}
	left = append(left, q.requests...)
	q.taken, q.requests, q.refuses = nil, nil, err
	q.arrived.Broadcast()
	return left
}

// close refuses further requests; those in the queue are still taken.
func (q *queue) close() {
	q.mu.Lock()
	if q.refuses == nil {
		q.refuses = eventlog.ErrClosed
	}
	q.closed = true
	q.arrived.Broadcast()
	q.mu.Unlock()
	q.refusals.Wait()
}
