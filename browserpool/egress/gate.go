package egress

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Limits bound what a tunnel, and all of a proxy together, may take. Zero fields mean the
// defaults. How long a server may take to answer is not among them: the page's own timeout ends
// the wait.
type Limits struct {
	// Life is how long one tunnel may last, default 5 min.
	Life time.Duration
	// Bytes is the most that one direction of a tunnel may carry, default 256 MiB.
	Bytes int64
	// Total is the most that all tunnels of one proxy may carry together, both ways, default
	// 512 MiB. Beyond it the proxy carries nothing more.
	Total int64
	// Refusal is the least time before a name is reported as unresolvable or refused, so that the timing does not tell which it is, default 200 ms.
	Refusal time.Duration
}

func (l Limits) withDefaults() Limits {
	if l.Life == 0 {
		l.Life = 5 * time.Minute
	}
	if l.Bytes == 0 {
		l.Bytes = 256 << 20
	}
	if l.Total == 0 {
		l.Total = 512 << 20
	}
	if l.Refusal == 0 {
		l.Refusal = 200 * time.Millisecond
	}
	return l
}

// Gate opens the proxies of a pool, which share its policy and limits. Each page has its own proxy: so traffic is
// counted per page, pages share no connections to servers, and a page's end ends all its requests.
type Gate struct {
	policy  Policy
	limits  Limits
	logger  *slog.Logger
	users   []uint32       // served ones; nil for all
	blocked atomic.Int64   // refused requests of all proxies
	proxies sync.WaitGroup // one count per open proxy
}

// NewGate makes a gate without proxies.
func NewGate(policy Policy, limits Limits, logger *slog.Logger) *Gate {
	return &Gate{policy: policy, limits: limits.withDefaults(), logger: logger}
}

// Open starts a proxy on a free loopback port. It ends with Close or, because a browser
// may die before its pages are closed, when gone is closed.
func (g *Gate) Open(gone <-chan struct{}) (*Proxy, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := newProxy(g, listener)
	g.proxies.Go(func() {
		select {
		case <-gone:
			p.Close()
		case <-p.served:
		}
	})
	return p, nil
}

// Blocked returns the number of requests that the policy has refused.
func (g *Gate) Blocked() int64 { return g.blocked.Load() }

// Refuses reports whether the policy refuses a host or its port now. It resolves names.
func (g *Gate) Refuses(ctx context.Context, host string, port uint16) bool {
	_, err := g.policy.Resolve(ctx, host, port)
	return errors.Is(err, ErrBlocked)
}

// Wait returns when every proxy has ended.
func (g *Gate) Wait() { g.proxies.Wait() }
