package browserpool

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/browserpool/egress"
)

// Stats is a snapshot of the pool. Counters never decrease.
type Stats struct {
	// Slots is the limit of quick and slow leases, Remotes that of remote ones. Leased is how many leases there are, Waiting how many requests queue.
	Slots, Remotes, Leased, Waiting int
	// RemoteBrowsers is how many browsers of remote leases run.
	RemoteBrowsers int
	// BrowserPID is the process id of the browser in service, 0 while there is none.
	BrowserPID int
	// BrowserBytes is the memory of that browser (PSS) when last measured.
	BrowserBytes int64
	// Jobs counts the leases returned, Crashes the crashed pages, Discarded the page sets
	// that were not reused.
	Jobs, Crashes, Discarded int64
	// RemotesDiscarded counts the browsers that were ended because of a remote lease: its holder
	// went away, or its job failed in a way that may have harmed the browser.
	RemotesDiscarded int64
	// RemotesKept counts the remote leases after which the browser was kept for the account.
	RemotesKept int64
	// Recycles counts browsers replaced by plan, Restarts those replaced because they died.
	Recycles, Restarts int64
	// SelfTests counts the self-tests, SelfTestFailures those that failed.
	SelfTests, SelfTestFailures int64
	// EgressBlocked counts requests of pages that the egress policy refused.
	EgressBlocked int64
}

// Pool lends the pages of headless browsers. All methods may be called from any goroutine.
type Pool struct {
	// Fixed once the pool is open.
	config Config
	gate   *egress.Gate
	pid    *actor.PID    // of the scheduler
	done   chan struct{} // closed by the scheduler when it has ended

	life    context.Context // ends when the pool is killed
	kill    context.CancelFunc
	helpers sync.WaitGroup // goroutines that work for the scheduler
	closed  sync.Once
	version atomic.Pointer[string] // of the newest browser
}

// Version is the name and version of the browser, as it reports them.
func (p *Pool) Version() string { return *p.version.Load() }

// Open starts a pool and its first browser, and returns once that is ready. It fails
// with chromium.ErrNotInstalled when there is no browser.
func Open(config Config) (*Pool, error) {
	config = config.withDefaults()
	policy := egress.Policy{Allow: config.AllowEgress, Deny: config.DenyEgress, Ports: config.EgressPorts, Refuses: config.RefusesEgress}
	p := &Pool{config: config, gate: egress.NewGate(policy, config.EgressLimits, config.Logger), done: make(chan struct{})}
	if user, err := config.browserOptions().UserID(); err == nil { // else no browser starts
		p.gate.Serve(user)
	}
	p.life, p.kill = context.WithCancel(context.Background())
	first, err := p.launch()
	if err != nil {
		p.kill()
		p.gate.Wait()
		return nil, fmt.Errorf("open browser pool: %w", err)
	}
	p.spawn(first)
	return p, nil
}

// spawn starts the scheduler. If it ever panics, it is stopped rather than restarted:
// its state is all its knowledge of running processes.
func (p *Pool) spawn(first *instance) {
	stop := actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })
	props := actor.PropsFromProducer(func() actor.Actor { return newScheduler(p) })
	p.pid = p.config.System.Root.WithGuardian(stop).SpawnPrefix(props, "browserpool")
	p.tell(launched{in: first})
	time.AfterFunc(aheadAfter, func() { p.tell(settled{}) })
	p.periodically(p.config.CheckEvery, func() { p.tell(checkDue{}) })
	p.periodically(p.config.ShrinkAfter, func() { p.tell(shrinkDue{}) })
	m := meter{pool: p}
	p.periodically(meterEvery, func() { m.measure(p.leases()) })
}

// Close lets the running jobs finish, refuses the waiting ones with ErrClosed,
// and ends the browsers. When ctx ends first, the running jobs are killed. It
// returns when nothing of the pool runs any more. A second call waits like the first.
func (p *Pool) Close(ctx context.Context) {
	p.closed.Do(func() {
		p.tell(closing{})
		select {
		case <-p.done:
		case <-ctx.Done():
			p.tell(killing{})
			<-p.done
		}
		p.kill()
		p.helpers.Wait()
		p.gate.Wait()
	})
}

// Stats returns the pool's figures, zeros once it is closed.
func (p *Pool) Stats() Stats {
	reply := make(chan Stats, 1)
	p.tell(statsRequest{reply})
	select {
	case stats := <-reply:
		stats.EgressBlocked = p.gate.Blocked()
		return stats
	case <-p.done:
		return Stats{}
	}
}

// tell sends the scheduler a message; once it has ended, messages go nowhere.
func (p *Pool) tell(message any) {
	select {
	case <-p.done:
	default:
		p.config.System.Root.Send(p.pid, message)
	}
}

// help runs work for the scheduler on a goroutine that Close waits for.
func (p *Pool) help(work func()) { p.helpers.Go(work) }

// periodically does work repeatedly, on a goroutine of its own, until the pool ends.
func (p *Pool) periodically(every time.Duration, work func()) {
	p.help(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				work()
			case <-p.life.Done():
				return
			}
		}
	})
}
