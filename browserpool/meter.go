package browserpool

import (
	"fmt"
	"time"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/page"
	"platen.dev/events"
)

const (
	// meterEvery is how often the use of processors and memory is measured while there are
	// leases; shorter ones go unmeasured.
	meterEvery = 250 * time.Millisecond
	// yieldAfter is the processor time after which a lease's pages get the lowest priority, which those of slow leases have from the start.
	yieldAfter = 2 * time.Second
	// maxThreads is how many threads a process may have. A page without workers has 10 to 30.
	maxThreads = 100
)

// errShort ends the largest page when all pages together use too much memory. The page may
// well be within its own bounds, so its job is tried again.
var errShort = fmt.Errorf("%w: all pages together use too much memory", page.ErrCrashed)

// meter enforces the bounds of leases. It belongs to one goroutine.
type meter struct {
	pool *Pool
	// last is the usage of all browsers at the last tick, nil if that was not measured.
	last map[int]chromium.Group
	// begun is the processor time of a lease's processes when it was first seen.
	begun map[*Lease]time.Duration
}

// leases asks the scheduler for the current leases.
func (p *Pool) leases() []*Lease {
	reply := make(chan []*Lease, 1)
	p.tell(leasesRequest{reply})
	select {
	case all := <-reply:
		return all
	case <-p.done:
		return nil
	}
}

// reading is the usage of a lease.
type reading struct {
	lease *Lease
	chromium.Usage
	pids []int // of shared pages
}

func (m *meter) measure(leases []*Lease) {
	if len(leases) == 0 {
		m.last, m.begun = nil, nil
		return
	}
	groups := map[int]bool{}
	for _, l := range leases {
		groups[l.in.browser.PID()] = true
	}
	now := chromium.ReadUsage(groups)
	begun := map[*Lease]time.Duration{}
	var all []reading
	for _, l := range leases {
		r := read(l, now)
		var known bool
		if begun[l], known = m.begun[l]; !known {
			begun[l] = min(r.CPU, read(l, m.last).CPU)
			if m.last[l.in.browser.PID()] == nil {
				begun[l] = r.CPU
			}
		}
		r.CPU -= begun[l]
		all = append(all, r)
	}
	m.last, m.begun = now, begun
	m.enforce(all)
}

// read sums up the usage of a lease's processes; a remote lease has all of its browser's.
func read(l *Lease, groups map[int]chromium.Group) reading {
	group := groups[l.in.browser.PID()]
	r := reading{lease: l}
	if l.in.remote {
		r.Usage = group.Total()
		return r
	}
	for _, pid := range l.pages.Renderers() {
		if u, runs := group[pid]; runs {
			r.Add(u)
			r.pids = append(r.pids, pid)
		}
	}
	return r
}

// enforce ends leases that are beyond a bound, and lets those yield that have used much.
func (m *meter) enforce(all []reading) {
	var total int64
	var largest reading
	for _, r := range all {
		total += r.Bytes
		if r.Bytes >= largest.Bytes {
			largest = r
		}
		if err := m.pool.config.exceeded(r.Usage); err != nil {
			r.lease.over(err)
		}
		if slow := r.lease.request.lane == events.Slow; r.CPU > yieldAfter && !slow && !r.lease.yielded.Swap(true) {
			r.yield()
		}
	}
	if total > m.pool.config.TotalBytes {
		largest.lease.over(errShort)
	}
}

// yield gives the pages of a lease the lowest priority.
func (r reading) yield() {
	if r.lease.in.remote {
		r.lease.in.browser.Yield()
		return
	}
	for _, pid := range r.pids {
		chromium.Yield(pid)
	}
}

// exceeded returns the bound that a usage exceeds, as an error; nil if none.
func (c Config) exceeded(u chromium.Usage) error {
	switch {
	case u.Threads > maxThreads:
		return page.Because(fmt.Errorf("%w: %d threads in a process", page.ErrTooLarge, maxThreads), "The page has more than %d threads in a process.", maxThreads)
	case u.CPU > c.CPU:
		return page.Because(fmt.Errorf("%w: %v of processor time", page.ErrTimeout, c.CPU), "The page used more than %v of processor time.", c.CPU)
	case u.Bytes > c.PageBytes:
		return page.Because(fmt.Errorf("%w: %d MiB of memory", page.ErrTooLarge, c.PageBytes>>20), "The page used more than %d MiB of memory.", c.PageBytes>>20)
	}
	return nil
}
