package browserpool

import (
	"slices"

	"platen.dev/browserpool/page"
	"platen.dev/events"
)

// This file is the scheduler's part that grants leases and takes them back.

func (s *scheduler) onRequest(r *request) {
	if s.closed {
		r.reply <- nil
		return
	}
	s.waiting = append(s.waiting, r)
	s.grant()
}

// grant gives idle pages to the requests that have waited longest, among those that may
// have one.
func (s *scheduler) grant() {
	for {
		next := s.next()
		if next < 0 {
			return
		}
		pages := s.takeIdle()
		if pages == nil {
			return
		}
		r := s.waiting[next]
		s.waiting = slices.Delete(s.waiting, next, next+1)
		lease := &Lease{pool: s.pool, request: r, in: s.serving, pages: pages}
		s.serving.leased++
		s.leases[r] = lease
		r.reply <- lease
	}
}

// next is the index of the waiting request that is next, negative if none may have a
// lease. Of several slots, slow leases leave one to quick ones.
func (s *scheduler) next() int {
	slots, slow := s.pool.config.Slots, 0
	if len(s.leases) >= slots {
		return -1
	}
	for r := range s.leases {
		if r.lane != events.Quick {
			slow++
		}
	}
	quickOnly := slow >= max(1, slots-1)
	return slices.IndexFunc(s.waiting, func(r *request) bool { return r.lane == events.Quick || !quickOnly })
}

// takeIdle returns pages that are ready and alive, nil if there are none. Pages that
// crashed while they were idle are replaced. The end of a browser shows here before it is
// reported.
func (s *scheduler) takeIdle() *page.Set {
	for s.serving != nil && !s.serving.isGone() && len(s.serving.idle) > 0 {
		last := len(s.serving.idle) - 1
		pages := s.serving.idle[last]
		s.serving.idle = s.serving.idle[:last]
		if !pages.Ended() {
			return pages
		}
		s.reopen(s.serving, pages, true)
	}
	return nil
}

// onWithdrawn forgets a request, or takes back the pages of a holder that is gone. The
// pages may be in the middle of anything, so they are discarded.
func (s *scheduler) onWithdrawn(m withdrawn) {
	if i := slices.Index(s.waiting, m.request); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		return
	}
	if lease := s.leases[m.request]; lease != nil {
		s.end(lease, true)
	}
}

func (s *scheduler) onReturned(m returned) {
	if s.leases[m.lease.request] != nil { // else it was taken back before
		s.end(m.lease, m.lease.pages.Spoiled())
	}
}

// end ends a lease and has its pages reopened.
func (s *scheduler) end(lease *Lease, discard bool) {
	in := lease.in
	delete(s.leases, lease.request)
	in.leased--
	in.jobs++
	s.stats.Jobs++
	if !discard {
		s.failures = 0
	}
	if lease.pages.Crashed() {
		s.stats.Crashes++
	}
	s.reopen(in, lease.pages, discard)
	s.grant()
}

// reopen makes pages ready for their next job, or opens others in their place. A browser
// that no longer serves gets none; its last lease retires it.
func (s *scheduler) reopen(in *instance, pages *page.Set, discard bool) {
	if in != s.serving {
		s.retireIfUnused(in)
		return
	}
	in.reopening++
	s.pool.help(func() { s.pool.tell(s.pool.reopen(in, pages, discard)) })
}

func (s *scheduler) onReopened(m reopened) {
	m.in.reopening--
	switch {
	case m.pages == nil:
		m.in.browser.Kill() // it is sick or gone: another takes over when its end is reported
	case m.in != s.serving:
		s.retireIfUnused(m.in)
	default:
		if m.replaced {
			s.stats.Discarded++
		}
		m.in.idle = append(m.in.idle, m.pages)
		s.grant()
	}
}
