package main

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// workload submits jobs and follows them while nodes are killed and restarted. Submitters
// use up an allowance that the test raises. A poller follows every accepted job until it
// is done.
type workload struct {
	clients []client // take turns with the jobs

	mu        sync.Mutex
	moved     chan struct{} // closed and replaced with every change
	addresses []string      // of the nodes that listen
	allowance int           // how many jobs may be accepted so far
	underWay  int           // submits that have begun and not ended
	turns     int           // submits begun, for the round robin
	jobs      []trackedJob  // accepted
	done      int
	lost      int // submits without a response
	limited   int // answers 429
	refused   int // answers 503
	slowest   time.Duration
	failures  []string
	stopping  bool
	running   sync.WaitGroup
}

// trackedJob is an accepted job.
type trackedJob struct {
	id   events.JobID
	from client
	done bool
}

const submitters = 8

// retryPause is the pause before a request is sent again.
const retryPause = 20 * time.Millisecond

func startWorkload(t *testing.T, clients ...client) *workload {
	w := &workload{clients: clients, moved: make(chan struct{})}
	for range submitters {
		w.running.Go(w.submitOn)
	}
	w.running.Go(w.poll)
	t.Cleanup(w.stop)
	return w
}

// change changes the state and wakes those who wait for a change.
func (w *workload) change(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
	close(w.moved)
	w.moved = make(chan struct{})
}

// when waits until a condition is true, which it checks with the lock held. It gives up
// when the workload stops or testkit.Patience ends.
func (w *workload) when(so func() bool) bool {
	deadline := time.After(2 * testkit.Patience)
	for {
		w.mu.Lock()
		fulfilled, stopping, moved := so(), w.stopping, w.moved
		w.mu.Unlock()
		if fulfilled || stopping {
			return fulfilled && !stopping
		}
		select {
		case <-moved:
		case <-deadline:
			return false
		}
	}
}

// await is when for tests: it fails the test if the condition does not come true.
func (w *workload) await(t *testing.T, what string, so func() bool) {
	t.Helper()
	if !w.when(so) {
		w.mu.Lock()
		defer w.mu.Unlock()
		t.Fatalf("never: %s (%d accepted, %d done, %d lost, %d refused, faults %q)", what, len(w.jobs), w.done, w.lost, w.refused, w.failures)
	}
}

// up and down record where nodes listen.
func (w *workload) up(address string) {
	w.change(func() { w.addresses = append(w.addresses, address) })
}

func (w *workload) down(address string) {
	w.change(func() {
		var left []string
		for _, a := range w.addresses {
			if a != address {
				left = append(left, a)
			}
		}
		w.addresses = left
	})
}

// allow lets n more jobs be submitted.
func (w *workload) allow(n int) { w.change(func() { w.allowance += n }) }

// progress returns how many jobs were accepted and done so far.
func (w *workload) progress() (accepted, done int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.jobs), w.done
}

// left returns how many jobs of the allowance are not accepted yet.
func (w *workload) left() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.allowance - len(w.jobs)
}

// stop ends the goroutines.
func (w *workload) stop() {
	w.change(func() { w.stopping = true })
	w.running.Wait()
}

// submitOn submits until the workload stops.
func (w *workload) submitOn() {
	for w.when(func() bool { return w.free() && len(w.addresses) > 0 }) {
		if begin, ok := w.begin(); ok {
			begin()
		}
	}
}

// free reports whether the allowance permits another submit. It is called with mu held.
func (w *workload) free() bool { return len(w.jobs)+w.underWay < w.allowance }

// submitOne submits until one more job is accepted, on top of the allowance.
func (w *workload) submitOne(from client) {
	accepted := false
	for !accepted && w.when(func() bool { return len(w.addresses) > 0 }) {
		w.mu.Lock()
		n := w.turns
		w.turns++
		w.underWay++
		address := w.addresses[n%len(w.addresses)]
		w.mu.Unlock()
		accepted = w.submit(from, address, n)
	}
	w.allow(1)
}

// begin takes a turn: a job's number, a customer and a node.
func (w *workload) begin() (submit func(), ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.free() || len(w.addresses) == 0 {
		return nil, false
	}
	n := w.turns
	w.turns++
	w.underWay++
	from, address := w.clients[n%len(w.clients)], w.addresses[n%len(w.addresses)]
	return func() { _ = w.submit(from, address, n) }, true
}

// submit sends a job once and records the outcome.
func (w *workload) submit(from client, address string, n int) (accepted bool) {
	began := time.Now()
	id, status, err := from.submit(address, n)
	took := time.Since(began)
	w.change(func() {
		w.underWay--
		switch {
		case unreachable(err): // never sent
		case err != nil:
			w.lost++
		case status == 202:
			w.jobs = append(w.jobs, trackedJob{id: id, from: from})
			w.slowest = max(w.slowest, took)
		case status == 429:
			w.limited++
		case status == 503:
			w.refused++
		default:
			w.failures = append(w.failures, fmt.Sprintf("submit to %s: %d", address, status))
		}
	})
	if status != 202 {
		<-time.After(retryPause) // it asked to retry later
	}
	return status == 202
}

func unreachable(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

const (
	// pollPace and pollJobs keep one customer's polls within the rate of the business plan.
	pollPace = 50 * time.Millisecond
	pollJobs = 2
)

// poll follows the accepted jobs until the workload stops: the oldest first.
func (w *workload) poll() {
	ticker := time.NewTicker(pollPace)
	defer ticker.Stop()
	for w.when(func() bool { return w.done < len(w.jobs) && len(w.addresses) > 0 }) {
		w.mu.Lock()
		jobs, address := append([]trackedJob(nil), w.jobs...), w.addresses[w.turns%len(w.addresses)]
		w.mu.Unlock()
		looked := 0
		for i, j := range jobs {
			if !j.done && looked < pollJobs*len(w.clients) {
				w.look(i, j, address)
				looked++
			}
		}
		<-ticker.C
	}
}

func (w *workload) look(i int, j trackedJob, address string) {
	status, answered, err := j.from.status(address, j.id)
	ended := status == events.StatusDone || status == events.StatusFailed
	if !answered || (err == nil && !ended) {
		return
	}
	w.change(func() {
		if ended {
			w.jobs[i].done = true
			w.done++
		}
		if err != nil || status != events.StatusDone {
			w.failures = append(w.failures, fmt.Sprintf("job %s at %s: %s %v", j.id, address, status, err))
		}
	})
}

// checkFaults fails the test for every response that no customer should get.
func (w *workload) checkFaults(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.failures {
		t.Error(f)
	}
}

// accepted returns the ids of the jobs that got a 202.
func (w *workload) accepted() (ids []events.JobID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, j := range w.jobs {
		ids = append(ids, j.id)
	}
	return ids
}
