package browserpool

import (
	"maps"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/browserpool/page"
	"platen.dev/events"
)

// The messages that the scheduler receives. Its methods are in the order of this list:
// leases in grant.go, browsers in replace.go and remote.go, health checks in health.go.
type (
	// A request for a lease is answered once, unless it is withdrawn first; nil means
	// that the pool is closed.
	request struct {
		account events.AccountID
		lane    events.Lane
		reply   chan *Lease // buffered, so that a reply never blocks
	}
	// withdrawn means that the context of a request, or of the lease it led to, has ended.
	withdrawn struct{ request *request }
	// returned means that the holder has given a lease back.
	returned struct{ lease *Lease }
	// forgiven means that the account's penalty for exceeding a limit is over.
	forgiven struct{ request *request }
	// reopened means that pages are ready for their next job, or that others are, in their place or beside them.
	reopened struct {
		in       *instance
		lane     events.Lane // whose leases they are for
		pages    *page.Set   // nil if none could be opened
		replaced bool
		owner    events.AccountID // the only account that they may serve; empty for any
	}

	// launched means that a browser is ready, or why it is not.
	launched struct {
		in  *instance
		err error
	}
	// backoffOver means that the delay before starting a browser is over.
	backoffOver struct{}
	// launchedRemote and remoteBackoffOver are the same for browsers of remote leases.
	launchedRemote    launched
	remoteBackoffOver struct{}
	// gone means that a browser has ended and nothing of it is left.
	gone struct{ in *instance }

	// checkDue means that it is time for a health check.
	checkDue struct{}
	// settled means that the pool has been open for aheadAfter.
	settled struct{}
	// shrinkDue means that it is time to see which pages have been idle for long.
	shrinkDue struct{}
	// checked is the result of a health check.
	checked struct {
		in         *instance
		bytes      int64
		selfTested bool
		selfTest   error // what is wrong, if selfTested
	}

	// statsRequest asks for the pool's figures, leasesRequest for the leases.
	statsRequest  struct{ reply chan<- Stats }
	leasesRequest struct{ reply chan<- []*Lease }
	// closing ends the pool when its last lease has ended, killing ends it at once.
	closing struct{}
	killing struct{}
)

// scheduler is the actor that knows which job holds which pages, which jobs wait, which
// browser serves and which ones only finish what they began. All fields belong to the
// actor alone, so there are no locks. Slow work is done by helper goroutines that report
// back with messages.
//
// Invariant of the serving instance: it has at most slots + spares sets for quick leases, and slowSlots for slow ones. A remote instance has
// one set.
type scheduler struct {
	pool *Pool

	serving   *instance   // the browser that jobs share; nil while none is ready
	instances []*instance // all running browsers, including remote ones
	launching bool
	settled   bool // whether pages and browsers are opened ahead of need
	failures  int  // failed starts and dead browsers since the last good job
	backoff   *time.Timer

	launchingRemotes int
	remoteFailures   int                        // failed starts in a row
	remoteBackoff    *time.Timer                // nil unless it is running
	habits           map[events.AccountID]habit // of accounts with a recent remote lease

	waiting []*request // in order of arrival
	leases  map[*request]*Lease
	// offenders are leases that ended by exceeding a bound: they still count towards their accounts' shares for a while.
	offenders map[*request]bool
	stats     Stats
	closed    bool
}

func newScheduler(pool *Pool) *scheduler {
	return &scheduler{pool: pool, leases: map[*request]*Lease{}, offenders: map[*request]bool{}, habits: map[events.AccountID]habit{}}
}

// Receive dispatches one message.
func (s *scheduler) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *request:
		s.onRequest(m)
	case withdrawn:
		s.onWithdrawn(m)
	case returned:
		s.onReturned(m)
	case reopened:
		s.onReopened(m)
	case launched:
		s.onLaunched(m)
	case backoffOver:
		if s.serving == nil { // otherwise a successor was on its way when the browser died
			s.launch()
		}
	case launchedRemote:
		s.onLaunchedRemote(m)
	case remoteBackoffOver:
		s.onRemoteBackoffOver()
	case gone:
		s.onGone(m)
	case checkDue:
		s.onCheckDue()
	case settled:
		s.settled = true
		s.grant()
	case shrinkDue:
		s.onShrinkDue()
	case checked:
		s.onChecked(m)
	case statsRequest:
		m.reply <- s.snapshot()
	case leasesRequest:
		m.reply <- slices.Collect(maps.Values(s.leases))
	case closing:
		s.onClosing()
	case killing:
		s.onKilling()
	case forgiven:
		delete(s.offenders, m.request)
		s.grant()
	case *actor.Stopped:
		s.onStopped()
	}
	s.stopWhenDone(c)
}

func (s *scheduler) snapshot() Stats {
	stats := s.stats
	stats.Slots, stats.Remotes = s.pool.config.Slots, s.pool.config.Remotes
	stats.Leased, stats.Waiting = len(s.leases), len(s.waiting)
	for _, in := range s.instances {
		if in.remote {
			stats.RemoteBrowsers++
		}
	}
	if s.serving != nil {
		stats.BrowserPID, stats.BrowserBytes = s.serving.browser.PID(), s.serving.bytes
	}
	return stats
}

// onClosing refuses the waiting requests and lets the browsers end with their last leases.
func (s *scheduler) onClosing() {
	s.closed = true
	s.serving = nil
	for _, r := range s.waiting {
		r.reply <- nil
	}
	s.waiting = nil
	for _, t := range []*time.Timer{s.backoff, s.remoteBackoff} {
		if t != nil {
			t.Stop()
		}
	}
	for _, in := range s.instances {
		s.retireIfUnused(in)
	}
}

// onKilling ends everything immediately; leased pages count as returned.
func (s *scheduler) onKilling() {
	s.pool.kill()
	clear(s.leases)
	for _, in := range s.instances {
		in.browser.Kill()
	}
}

// stopWhenDone stops the actor of a closed pool once nothing is left to wait for.
func (s *scheduler) stopWhenDone(c actor.Context) {
	if s.closed && len(s.leases) == 0 && len(s.instances) == 0 && !s.launching && s.launchingRemotes == 0 {
		c.Stop(c.Self())
	}
}

func (s *scheduler) onStopped() {
	for _, in := range s.instances {
		in.browser.Kill()
	}
	close(s.pool.done)
}
