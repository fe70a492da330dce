package browserpool

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
)

// Config says how a pool is to run. The zero value is usable.
type Config struct {
	// Slots is the number of pages that work at once; 0 means two per core and one more:
	// documents wait for networks and for one another's steps, which needs no core, and
	// slow leases leave one to the quick.
	Slots int
	// AllowEgress exempts address ranges from the refusal of non-public addresses.
	AllowEgress []netip.Prefix
	// RefuseEgress adds ranges to the refused ones, for instance the cluster's own public addresses.
	RefuseEgress []netip.Prefix
	// RefusesEgress tells of further refused addresses, asked anew for every connection;
	// nil refuses none.
	RefusesEgress func(netip.Addr) bool
	// EgressLimits bound what the connections of a page may take, each and together.
	EgressLimits egress.Limits
	// Resolver looks up the names that documents go to; nil means net.DefaultResolver.
	Resolver *net.Resolver
	// ChromePath is the browser binary; empty means to look for chromium-headless-shell.
	ChromePath string
	// NoSandbox switches Chromium's sandbox off for users other than root; for root it is always off.
	NoSandbox bool
	// TempDir holds the browsers' profiles; empty means the system's.
	TempDir string
	// RecycleJobs, RecycleBytes and RecycleAge say when a browser is replaced: after
	// that many jobs, above that much memory (PSS) or after that long. 0 means
	// 10,000 jobs, 512 MiB per slot (a large document at work takes 300) and 6 h; a
	// negative value means never.
	RecycleJobs  int
	RecycleBytes int64
	RecycleAge   time.Duration
	// MaxData bounds what each of a browser's processes may allocate; a page that asks
	// for more crashes, and with it no other. 0 means 3 GiB, negative no bound.
	MaxData int64
	// CheckEvery is how often a browser's health, memory and age are looked at; 0 means 10 s.
	CheckEvery time.Duration
	// HealthTimeout is how long a browser may take to answer such a look before it
	// is killed as hung; 0 means 10 s.
	HealthTimeout time.Duration
	// SelfTestEvery is how often, at most, such a look has the browser print a small
	// document, on a page beside those of the jobs. One that fails twice in a row is
	// replaced. 0 means 1 min, negative never.
	SelfTestEvery time.Duration
	// System runs the pool's actor; nil means a system of its own.
	System *actor.ActorSystem
	// Logger receives the life of the browsers; nil discards.
	Logger *slog.Logger
}

func (c Config) withDefaults() Config {
	c.Slots = orElse(c.Slots, 2*runtime.NumCPU()+1)
	c.RecycleJobs = orElse(c.RecycleJobs, 10_000)
	c.RecycleBytes = orElse(c.RecycleBytes, int64(c.Slots)<<29)
	c.RecycleAge = orElse(c.RecycleAge, 6*time.Hour)
	c.MaxData = orElse(c.MaxData, 3<<30)
	c.CheckEvery = orElse(c.CheckEvery, 10*time.Second)
	c.HealthTimeout = orElse(c.HealthTimeout, 10*time.Second)
	c.SelfTestEvery = orElse(c.SelfTestEvery, time.Minute)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

func orElse[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}

// Stats is the pool at one moment. The counters never go down.
type Stats struct {
	// Slots is how many jobs may run at once, Leased how many do, Waiting how many queue.
	Slots, Leased, Waiting int
	// BrowserPID is the process id of the browser in service, 0 while there is none.
	BrowserPID int
	// BrowserBytes is the memory of that browser (PSS) when last measured.
	BrowserBytes int64
	// Jobs counts the leases given back, Crashes the crashed pages, Discarded the pages not reused.
	Jobs, Crashes, Discarded int64
	// Recycles counts browsers replaced by plan, Restarts those replaced because they died.
	Recycles, Restarts int64
	// SelfTests counts the self-tests, SelfTestFailures those that failed.
	SelfTests, SelfTestFailures int64
	// EgressBlocked counts requests of pages refused by the egress policy.
	EgressBlocked int64
}

// Pool lends pages of headless browsers. All methods may be called from any goroutine.
type Pool struct {
	config Config
	gate   *egress.Gate
	system *actor.ActorSystem
	pid    *actor.PID
	done   chan struct{} // closed when the actor has ended

	life    context.Context // ends when the pool is killed
	kill    context.CancelFunc
	helpers sync.WaitGroup // goroutines started for the actor
	end     sync.Once
}

// Open starts a pool and its first browser, and returns once that is ready for
// work. It fails with chromium.ErrNotInstalled when there is no browser.
func Open(config Config) (*Pool, error) {
	config = config.withDefaults()
	policy := egress.Policy{Allow: config.AllowEgress, Refuse: config.RefuseEgress, Refuses: config.RefusesEgress, Resolver: config.Resolver}
	gate := egress.NewGate(policy, config.EgressLimits, config.Logger)
	p := &Pool{config: config, gate: gate, system: config.System, done: make(chan struct{})}
	p.life, p.kill = context.WithCancel(context.Background())
	first, err := p.launch()
	if err != nil {
		p.kill()
		gate.Wait()
		return nil, fmt.Errorf("open browser pool: %w", err)
	}
	if p.system == nil {
		p.system = newSystem(config.Logger)
	}
	p.spawn(first)
	return p, nil
}

// newSystem makes a system whose dead letters, which a closing pool may leave,
// keep nothing running.
func newSystem(logger *slog.Logger) *actor.ActorSystem {
	return actor.NewActorSystem(
		actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return logger }),
		actor.WithDeadLetterThrottleInterval(time.Millisecond),
	)
}

// spawn starts the actor. If it ever panics it is stopped rather than restarted:
// its state is what it knows of running processes.
func (p *Pool) spawn(first *instance) {
	stop := actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })
	props := actor.PropsFromProducer(func() actor.Actor { return newKeeper(p, first) })
	p.pid = p.system.Root.WithGuardian(stop).SpawnPrefix(props, "browserpool")
	p.watch(first)
	p.tick()
}

// Close lets the running jobs finish, refuses the waiting ones with ErrClosed,
// and ends the browsers. When ctx ends first, the running jobs are killed. It
// returns when nothing of the pool runs any more. A second call waits like the first.
func (p *Pool) Close(ctx context.Context) {
	p.end.Do(func() { p.close(ctx) })
}

func (p *Pool) close(ctx context.Context) {
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
	if p.config.System == nil {
		p.system.Shutdown()
	}
}

// Stats returns the pool's figures; zeros once it is closed.
func (p *Pool) Stats() Stats {
	answer := make(chan Stats, 1)
	p.tell(asking{answer})
	select {
	case stats := <-answer:
		stats.EgressBlocked = p.gate.Blocked()
		return stats
	case <-p.done:
		return Stats{}
	}
}

// tell sends the actor a message; one that has ended hears nothing.
func (p *Pool) tell(message any) {
	select {
	case <-p.done:
	default:
		p.system.Root.Send(p.pid, message)
	}
}

// help runs work for the actor on a goroutine that Close waits for.
func (p *Pool) help(work func()) {
	p.helpers.Go(work)
}

// launch starts a browser with its pages. The browser itself reaches nothing; each
// page has a proxy of its own.
func (p *Pool) launch() (*instance, error) {
	ctx, cancel := context.WithTimeout(p.life, launchTimeout)
	defer cancel()
	browser, err := chromium.Start(ctx, chromium.Options{
		Path: p.config.ChromePath, NoSandbox: p.config.NoSandbox, TempDir: p.config.TempDir,
		MaxData: p.config.MaxData, Logger: p.config.Logger,
	})
	if err != nil {
		return nil, err
	}
	in := &instance{browser: browser, born: time.Now()}
	for range p.config.Slots + spares {
		page, err := openPage(ctx, browser, p.gate)
		if err != nil {
			browser.Kill()
			browser.Close(ctx)
			return nil, err
		}
		in.idle = append(in.idle, page)
	}
	return in, nil
}

// watch tells the actor when a browser is gone, after clearing up behind it.
func (p *Pool) watch(in *instance) {
	p.help(func() {
		<-in.browser.Gone()
		in.browser.Close(p.life)
		p.tell(ended{in})
	})
}

// examine looks at a browser, and has it prove itself if told. One that does not answer is killed.
func (p *Pool) examine(in *instance, prove bool) measured {
	ctx, cancel := context.WithTimeout(p.life, p.config.HealthTimeout)
	defer cancel()
	m := measured{in: in}
	if err := in.browser.Ping(ctx); err != nil && p.life.Err() == nil {
		p.config.Logger.Warn("browser does not answer", "pid", in.browser.PID(), "error", err)
		in.browser.Kill()
		prove = false
	}
	if prove {
		m.proof = p.prove(ctx, in)
		m.proved = m.proof == nil || !in.gone() && p.life.Err() == nil // its end is nothing against it
	}
	m.bytes = in.browser.Memory()
	return m
}

// tick makes the actor look at health, memory and age from time to time.
func (p *Pool) tick() {
	p.help(func() {
		ticker := time.NewTicker(p.config.CheckEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				p.tell(checking{})
			case <-p.life.Done():
				return
			}
		}
	})
}
