package browserpool

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/browserpool/chromium"
	"platen.dev/events"
)

const (
	// spares are the pages beyond the slots: one is ready while another is reset.
	spares        = 1
	launchTimeout = 30 * time.Second
	// From the second failure in a row, starts are delayed, twice as long each time.
	firstBackoff = 100 * time.Millisecond
	lastBackoff  = 10 * time.Second
)

// The messages of the keeper. Those with a noun are requests of holders, those
// with a participle report what has happened.
type (
	// A request is answered once, unless it is withdrawn; nil means the pool is closed.
	request struct {
		lane   events.Lane
		answer chan *Lease
	}
	withdrawing struct{ request *request } // the context of a request or lease ended
	returning   struct{ lease *Lease }
	asking      struct{ answer chan<- Stats }
	closing     struct{}
	killing     struct{}

	opened struct {
		in   *instance
		page *page
	} // page is nil when it could not be opened
	launched struct {
		in  *instance
		err error
	}
	ended    struct{ in *instance } // the browser is gone and cleared up
	starting struct{}               // the backoff is over
	checking struct{}
	measured struct {
		in     *instance
		bytes  int64
		proved bool  // a self-test has ended, with
		proof  error // what was wrong, nil for nothing
	}
)

// instance is one running browser with its pages. All but the browser belongs to the keeper.
type instance struct {
	browser  *chromium.Browser
	born     time.Time
	idle     []*page
	opening  int // pages being opened or reset
	leased   int
	jobs     int
	bytes    int64
	examined bool      // an examination is under way
	proved   time.Time // when the last self-test began
	failures int       // self-tests failed in a row
	retired  bool      // it is being closed
}

func (in *instance) gone() bool {
	select {
	case <-in.browser.Gone():
		return true
	default:
		return false
	}
}

// keeper is the actor that keeps the books of a pool: who holds which page, who
// waits, which browser serves and which ones only finish what they began. Slow
// work is done by helper goroutines that report back with messages.
//
// For the serving instance, idle + opening + leased pages are always as many as
// there are slots and spares.
type keeper struct {
	pool *Pool

	serving   *instance // nil while no browser is ready
	instances []*instance
	launching bool
	failures  int // failed starts and dead browsers since the last good job
	backoff   *time.Timer

	waiting []*request
	leases  map[*request]*Lease
	stats   Stats
	closed  bool
}

func newKeeper(pool *Pool, first *instance) *keeper {
	return &keeper{
		pool: pool, serving: first, instances: []*instance{first},
		leases: map[*request]*Lease{},
	}
}

// Receive dispatches one message.
func (k *keeper) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *request:
		k.onRequest(m)
	case withdrawing:
		k.onWithdrawing(m)
	case returning:
		k.onReturning(m)
	case asking:
		m.answer <- k.snapshot()
	case opened:
		k.onOpened(m)
	case launched:
		k.onLaunched(m)
	case ended:
		k.onEnded(m)
	case starting:
		k.launch()
	case checking:
		k.onChecking()
	case measured:
		k.onMeasured(m)
	case closing:
		k.onClosing()
	case killing:
		k.onKilling()
	case *actor.Stopped:
		k.onStopped()
	}
	k.leaveWhenDone(c)
}

func (k *keeper) onRequest(r *request) {
	if k.closed {
		r.answer <- nil
		return
	}
	k.waiting = append(k.waiting, r)
	k.grant()
}

// grant gives idle pages to those who have waited longest among those who may have one.
func (k *keeper) grant() {
	for {
		i := k.first()
		if i < 0 {
			return
		}
		page := k.takeIdle()
		if page == nil {
			return
		}
		r := k.waiting[i]
		k.waiting = slices.Delete(k.waiting, i, i+1)
		lease := &Lease{pool: k.pool, request: r, page: page, in: k.serving}
		k.serving.leased++
		k.leases[r] = lease
		r.answer <- lease
	}
}

// first is the place in the queue of the request that is next, or negative: slow
// ones leave a slot to the quick ones, if there are several.
func (k *keeper) first() int {
	slots, slow := k.pool.config.Slots, 0
	if len(k.leases) >= slots {
		return -1
	}
	for r := range k.leases {
		if r.lane != events.Quick {
			slow++
		}
	}
	full := slow >= max(1, slots-1)
	return slices.IndexFunc(k.waiting, func(r *request) bool { return r.lane == events.Quick || !full })
}

// takeIdle returns a page that is ready and alive, or nil. One that crashed while
// idle is replaced. The end of a browser shows here before it is reported.
func (k *keeper) takeIdle() *page {
	for k.serving != nil && !k.serving.gone() && len(k.serving.idle) > 0 {
		last := len(k.serving.idle) - 1
		page := k.serving.idle[last]
		k.serving.idle = k.serving.idle[:last]
		if !page.ended() {
			return page
		}
		k.restore(k.serving, page, true)
	}
	return nil
}

// onWithdrawing forgets a request, or takes back the page of a holder that is
// gone. The page may be in the middle of anything, so it is discarded.
func (k *keeper) onWithdrawing(m withdrawing) {
	if i := slices.Index(k.waiting, m.request); i >= 0 {
		k.waiting = slices.Delete(k.waiting, i, i+1)
		return
	}
	if lease := k.leases[m.request]; lease != nil {
		k.settle(lease, true)
	}
}

func (k *keeper) onReturning(m returning) {
	if k.leases[m.lease.request] != nil { // else it was taken back before
		k.settle(m.lease, m.lease.page.spoiled)
	}
}

// settle ends a lease and sees to it that the slot has a page again.
func (k *keeper) settle(lease *Lease, discard bool) {
	in := lease.in
	delete(k.leases, lease.request)
	in.leased--
	in.jobs++
	k.stats.Jobs++
	if !discard {
		k.failures = 0
	}
	if lease.page.crashed() || lease.crashed.Load() {
		k.stats.Crashes++
	}
	k.restore(in, lease.page, discard)
	k.grant()
}

// restore makes a page ready for its next job, or replaces it. A browser that no
// longer serves gets none; its last page closes it.
func (k *keeper) restore(in *instance, old *page, discard bool) {
	if in != k.serving {
		k.retireIfUnused(in)
		return
	}
	in.opening++
	k.pool.help(func() {
		page, err := old.renew(k.pool.life, discard)
		if err != nil {
			k.pool.config.Logger.Warn("page not opened", "pid", in.browser.PID(), "error", err)
		}
		k.pool.tell(opened{in, page})
	})
}

func (k *keeper) onOpened(m opened) {
	m.in.opening--
	switch {
	case m.page == nil:
		m.in.browser.Kill() // sick or gone: another takes over when its end is reported
	case m.in != k.serving:
		k.retireIfUnused(m.in)
	default:
		if m.page.fresh {
			k.stats.Discarded++
			m.page.fresh = false
		}
		m.in.idle = append(m.in.idle, m.page)
		k.grant()
	}
}
