package transport

import (
	"net"
	"net/netip"
	"sync"

	"platen.dev/events/limit"
)

// Connections limits the connections that clients may have open. Zero is no limit.
type Connections struct {
	// Most is the limit for all together.
	Most int
	// PerAddress is the limit for one client: an IPv4 address, or an IPv6 /64 network. Loopback addresses and Trusted are exempt.
	PerAddress int
	// Trusted are the networks of proxies, which speak for many clients.
	Trusted []netip.Prefix
}

// Gate counts connections by client, and admits them within the limits.
type Gate struct {
	limits Connections

	mu      sync.Mutex
	open    int
	by      map[netip.Addr]int
	refused int64
}

// NewGate returns a gate with limits.
func NewGate(limits Connections) *Gate { return &Gate{limits: limits} }

// Trusts reports whether an address is a proxy's.
func (c Connections) Trusts(addr netip.Addr) bool {
	for _, network := range c.Trusted {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}

// limits reports whether the limit per client applies to an address.
func (c Connections) limits(addr netip.Addr) bool {
	return c.PerAddress > 0 && !addr.IsLoopback() && !c.Trusts(addr)
}

// Enter lets a connection in, or reports that there are too many. leave must be called when it is closed,
// and may be called more than once.
func (g *Gate) Enter(remote net.Addr) (leave func(), ok bool) {
	addr, known := limit.AddressOf(remote)
	from, limited := limit.Client(addr), known && g.limits.limits(addr)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.limits.Most > 0 && g.open >= g.limits.Most || limited && g.by[from] >= g.limits.PerAddress {
		g.refused++
		return nil, false
	}
	g.open++
	if !limited {
		return sync.OnceFunc(g.leave), true
	}
	if g.by == nil {
		g.by = map[netip.Addr]int{}
	}
	g.by[from]++
	return sync.OnceFunc(func() { g.leaveFrom(from) }), true
}

func (g *Gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open--
}

func (g *Gate) leaveFrom(client netip.Addr) {
	g.leave()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.by[client]--; g.by[client] == 0 {
		delete(g.by, client)
	}
}

// Figures are how many connections are open and how many were refused.
func (g *Gate) Figures() (open int, refused int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open, g.refused
}
