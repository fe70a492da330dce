package browserpool

import (
	"cmp"
	"log/slog"
	"net/netip"
	"runtime"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
)

// Config says how a pool runs. System is required; every other zero field means its default.
type Config struct {
	// Slots is how many quick and slow leases there are at once; 0 means two per core and one
	// more. Slow leases have half of them.
	Slots int
	// Remotes is how many remote leases there are at once, each with a browser of its own; 0
	// means six per core, or fewer if memory is short. Most of them wait for a network.
	Remotes int
	// KeepRemote is how long an idle browser is kept for an account while another account could use it, and the longest gap between the
	// account's jobs for which it is kept; 0 means 2 s.
	KeepRemote time.Duration
	// AllowEgress, DenyEgress, EgressPorts and RefusesEgress are the fields Allow, Deny, Ports and Refuses of the pages' egress.Policy.
	AllowEgress, DenyEgress []netip.Prefix
	EgressPorts             []egress.PortRange
	RefusesEgress           func(netip.AddrPort) bool
	// EgressLimits bound the traffic of a page's connections, each and together.
	EgressLimits egress.Limits
	// ChromePath is the browser binary; empty means to look for chromium-headless-shell.
	ChromePath string
	// UserAgent is sent to servers; empty means that of a windowed browser of the same version.
	UserAgent string
	// NoSandbox, BrowserUser and AsRoot are fields of chromium.Options: NoSandbox, User and AsRoot.
	NoSandbox   bool
	BrowserUser string
	AsRoot      bool
	// TempDir holds the browsers' profiles; empty means the system's.
	TempDir string
	// RecycleJobs, RecycleBytes and RecycleAge say when a browser is replaced: after
	// that many jobs, above that much memory (PSS) or after that long. 0 means
	// 10,000 jobs, 512 MiB per slot (a document of 200 KB takes 125) and 6 h; a
	// negative value means never.
	RecycleJobs  int
	RecycleBytes int64
	RecycleAge   time.Duration
	// CPU bounds the processor time of a lease, of all its processes and threads together; 0
	// means 90 s. Beyond it, the job ends with page.ErrTimeout.
	CPU time.Duration
	// PageBytes bounds the memory that a lease uses, and TotalBytes that of all leases together.
	// 0 means a third of the latter, at most 4 GiB, and 8 GiB. Beyond its own bound, a job ends with page.ErrTooLarge; beyond the
	// common one, the largest ends and may be tried again.
	PageBytes, TotalBytes int64
	// MaxData bounds, in bytes, what each process of a browser may ask for, used or not; a page
	// that asks for more crashes, and no other page with it. It catches what grows faster than
	// PageBytes is measured. 0 means 4 GiB more than PageBytes, negative no bound.
	MaxData int64
	// ShrinkAfter is how long pages must be idle before they release the memory of their last jobs; 0 means 1 s.
	ShrinkAfter time.Duration
	// KeepPages is how long pages are kept idle; the most recently used stay. 0 means 1 min.
	KeepPages time.Duration
	// CheckEvery is how often a browser's health, memory and age are checked; 0 means 10 s.
	CheckEvery time.Duration
	// HealthTimeout is how long a browser may take to answer such a check before it
	// is killed as hung; 0 means 10 s.
	HealthTimeout time.Duration
	// SelfTestEvery is the least interval between self-tests, in which a check has the browser print a small document
	// beside the jobs. A browser that fails twice in a row is replaced. 0 means 1 min, negative never.
	SelfTestEvery time.Duration
	// System runs the pool's actor.
	System *actor.ActorSystem
	// Logger receives the life of the browsers; nil discards.
	Logger *slog.Logger
}

// browserOptions are those that all browsers of the pool have in common.
func (c Config) browserOptions() chromium.Options {
	return chromium.Options{
		Path: c.ChromePath, UserAgent: c.UserAgent, NoSandbox: c.NoSandbox, User: c.BrowserUser, AsRoot: c.AsRoot, TempDir: c.TempDir,
		MaxData: c.MaxData, Logger: c.Logger,
	}
}

func (c Config) withDefaults() Config {
	c.Slots = cmp.Or(c.Slots, 2*runtime.NumCPU()+1)
	c.CPU = cmp.Or(c.CPU, 90*time.Second)
	c.TotalBytes = cmp.Or(c.TotalBytes, 8<<30)
	c.PageBytes = cmp.Or(c.PageBytes, min(c.TotalBytes/3, 4<<30))
	c.Remotes = cmp.Or(c.Remotes, max(2, min(6*runtime.NumCPU(), int(c.TotalBytes>>28))))
	c.KeepRemote = cmp.Or(c.KeepRemote, 2*time.Second)
	c.RecycleJobs = cmp.Or(c.RecycleJobs, 10_000)
	c.RecycleBytes = cmp.Or(c.RecycleBytes, int64(c.Slots)<<29)
	c.RecycleAge = cmp.Or(c.RecycleAge, 6*time.Hour)
	c.MaxData = cmp.Or(c.MaxData, c.PageBytes+4<<30)
	c.ShrinkAfter = cmp.Or(c.ShrinkAfter, time.Second)
	c.KeepPages = cmp.Or(c.KeepPages, time.Minute)
	c.CheckEvery = cmp.Or(c.CheckEvery, 10*time.Second)
	c.HealthTimeout = cmp.Or(c.HealthTimeout, 10*time.Second)
	c.SelfTestEvery = cmp.Or(c.SelfTestEvery, time.Minute)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// keptBytes limits the memory of a browser that is kept for an account. All of those together may use half as much as all leases.
func (c Config) keptBytes() int64 { return c.TotalBytes / int64(2*c.Remotes) }
