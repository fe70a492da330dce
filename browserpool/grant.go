package browserpool

import (
	"context"
	"slices"
	"time"

	"platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/limit"
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

// grant gives pages to the requests that may have some, in order of arrival.
func (s *scheduler) grant() {
	shared, remote := s.holdings()
	var wanted [events.Remote + 1]int // requests that only lack pages
	s.waiting = slices.DeleteFunc(s.waiting, func(r *request) bool {
		held, in := shared, s.serving
		if r.lane == events.Remote {
			held, in = remote, s.remote(r.account)
		}
		if !held.allows(r) {
			return false
		}
		held.add(r)
		pages := s.takeIdle(in, r.lane)
		if pages == nil {
			wanted[r.lane]++
			return false
		}
		s.lend(r, in, pages)
		return true
	})
	s.supplyPages(events.Quick, wanted[events.Quick], s.pool.config.Slots+spares)
	s.supplyPages(events.Slow, wanted[events.Slow], slowSlots(s.pool.config.Slots))
	s.supplyRemotes(wanted[events.Remote])
}

// aheadAfter is how long after the pool's start pages and browsers are opened ahead of need: a node that starts has use for all its cores.
const aheadAfter = time.Second

// supplyPages has the shared browser open pages of a lane, up to a number of sets: for each waiting request that may have some, and one set
// ahead of need. A page takes much of a node's start and as much memory as a small document, and most nodes never need all of them.
func (s *scheduler) supplyPages(lane events.Lane, wanted, limit int) {
	in := s.serving
	if in == nil || s.closed {
		return
	}
	stock := in.of(lane)
	if wanted == 0 && len(stock.idle) == 0 && s.settled {
		wanted = 1
	}
	for range min(wanted-stock.coming, limit-stock.all()) {
		stock.coming++
		s.pool.help(func() { s.pool.tell(s.pool.openMore(in, lane)) })
	}
}

func (s *scheduler) lend(r *request, in *instance, pages *page.Set) {
	lease := &Lease{pool: s.pool, request: r, in: in, began: time.Now(), pages: pages}
	lease.within, lease.over = context.WithCancelCause(context.Background())
	in.of(r.lane).leased++
	s.leases[r] = lease
	r.reply <- lease
}

// holding counts the leased slots of one kind.
type holding struct {
	slots, leased, slow int
	own                 map[events.AccountID]int
}

// holdings returns the leases of the browser that jobs share, and the remote ones.
func (s *scheduler) holdings() (shared, remote *holding) {
	shared = &holding{slots: s.pool.config.Slots, own: map[events.AccountID]int{}}
	remote = &holding{slots: s.pool.config.Remotes, own: map[events.AccountID]int{}}
	for r := range s.leases {
		if r.lane == events.Remote {
			remote.add(r)
		} else {
			shared.add(r)
		}
	}
	for r := range s.offenders {
		if r.lane == events.Remote {
			remote.own[r.account]++
		} else {
			shared.own[r.account]++
		}
	}
	return shared, remote
}

// pause is how long an account is charged with the slot in which it exceeded a bound: ending such pages and starting
// browsers to replace them costs others more than the page itself.
const pause = 10 * time.Second

// punish takes a slot from an account for a while.
func (s *scheduler) punish(r *request) {
	s.offenders[r] = true
	time.AfterFunc(pause, func() { s.pool.tell(forgiven{r}) })
}

func (h *holding) add(r *request) {
	h.leased++
	h.own[r.account]++
	if r.lane == events.Slow {
		h.slow++
	}
}

// allows reports whether a request may have a lease. Slow leases have half of the slots, as
// many as keep all processors busy, and an account its limit.Share.
func (h *holding) allows(r *request) bool {
	return limit.Share(h.own[r.account], h.slots-h.leased) && (r.lane != events.Slow || h.slow < slowSlots(h.slots))
}

// slowSlots is how many of the slots slow leases have.
func slowSlots(slots int) int { return max(1, slots/2) }

// takeIdle returns pages of a browser that are idle and alive, for a lease of a lane; nil if there are none. Pages that
// crashed while idle are replaced. It notices the end of a browser before that is reported.
func (s *scheduler) takeIdle(in *instance, lane events.Lane) *page.Set {
	for in != nil && !in.isGone() {
		pages := in.take(lane)
		if pages == nil || !pages.Ended() {
			return pages
		}
		s.reopen(in, pages, lane, true)
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
		s.end(m.lease, m.lease.pages.Spoiled() || m.lease.yielded.Load())
	}
}

// end ends a lease and has its pages reopened.
func (s *scheduler) end(lease *Lease, discard bool) {
	in := lease.in
	if lease.within.Err() != nil || lease.pages.Crashed() {
		s.punish(lease.request)
	}
	lease.over(nil)
	delete(s.leases, lease.request)
	in.of(lease.request.lane).leased--
	in.jobs++
	s.stats.Jobs++
	if !discard {
		s.failures = 0
	}
	if lease.pages.Crashed() {
		s.stats.Crashes++
	}
	if in.remote {
		s.endRemote(lease, discard)
	} else {
		s.reopen(in, lease.pages, lease.request.lane, discard)
	}
	s.grant()
}

// reopen makes pages ready for their next job, or opens others in their place. A browser
// that no longer serves gets none; its last lease retires it.
func (s *scheduler) reopen(in *instance, pages *page.Set, lane events.Lane, discard bool) {
	if in != s.serving {
		s.retireIfUnused(in)
		return
	}
	in.of(lane).coming++
	s.pool.help(func() { s.pool.tell(s.pool.reopen(in, pages, lane, discard)) })
}

func (s *scheduler) onReopened(m reopened) {
	m.in.of(m.lane).coming--
	switch {
	case m.pages == nil:
		m.in.browser.Kill() // it is unhealthy or gone: the report of its end starts another
	case m.in != s.serving && !m.in.remote, s.closed:
		s.retireIfUnused(m.in)
	default:
		if m.replaced {
			s.stats.Discarded++
		}
		if m.in.owner = m.owner; m.owner != "" {
			s.stats.RemotesKept++
		}
		m.in.put(m.lane, m.pages)
		s.grant()
	}
}
