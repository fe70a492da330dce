package node

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"

	"platen.dev/actors/cluster"
	"platen.dev/browserpool/egress"
	"platen.dev/edge"
)

// EgressConfig says which addresses and ports documents, webhooks and deliveries may reach.
type EgressConfig struct {
	// EgressAllow exempts address ranges from the refusal of non-public addresses when pages are loaded.
	EgressAllow []netip.Prefix `toml:"egress_allow"`
	// EgressDeny refuses further address ranges; it overrides EgressAllow.
	EgressDeny []netip.Prefix `toml:"egress_deny"`
	// EgressPorts are the only ports that pages, webhooks and deliveries reach; empty means 80, 443, and from 1024 on all except those of well-known
	// services.
	EgressPorts []egress.PortRange `toml:"egress_ports"`
}

// Ranges is a repeatable flag of address ranges.
type Ranges []netip.Prefix

// String implements pflag.Value.
func (r *Ranges) String() string {
	texts := make([]string, len(*r))
	for i, prefix := range *r {
		texts[i] = prefix.String()
	}
	return strings.Join(texts, ",")
}

// Type implements pflag.Value.
func (r *Ranges) Type() string { return "ranges" }

// Set implements pflag.Value: it adds ranges, with commas between them.
func (r *Ranges) Set(s string) error {
	for text := range strings.SplitSeq(s, ",") {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return errors.New(wrongRange(text))
		}
		*r = append(*r, prefix.Masked())
	}
	return nil
}

// guard knows what documents must not reach, even if the operator exempts the address.
type guard struct {
	cfg EgressConfig
	// nodes are the addresses of the cluster's nodes, own the ports of this one, servers those of Kafka and ClickHouse.
	nodes        nodeAddresses
	own, servers ports
}

func newGuard(cfg Config) *guard {
	g := &guard{cfg: cfg.EgressConfig}
	g.servers.add(cfg.servers()...)
	return g
}

// policy returns the policy for all connections that callers cause.
func (g *guard) policy() egress.Policy {
	return egress.Policy{Allow: g.cfg.EgressAllow, Deny: g.cfg.EgressDeny, Ports: g.cfg.EgressPorts, Refuses: g.refuses}
}

// resolve checks the addresses of a host that a document is to be loaded from by the rules of the browsers' proxy. Only the proxy checks ports: the
// API accepts any.
func (g *guard) resolve(ctx context.Context, host string) error {
	policy := g.policy()
	policy.Ports = []egress.PortRange{{First: 443, Last: 443}}
	_, err := policy.Resolve(ctx, host, 443)
	if errors.Is(err, egress.ErrBlocked) {
		return edge.ErrBlocked
	}
	return err
}

// refuses reports whether a node of the cluster, or a server only for nodes, is at an address and port.
func (g *guard) refuses(at netip.AddrPort) bool {
	addr := at.Addr()
	return g.nodes.has(addr) ||
		addr.IsLoopback() && g.own.has(at.Port()) ||
		!egress.IsPublic(addr) && g.servers.has(at.Port())
}

// nodeAddresses are the addresses of the cluster's nodes: the nodes may trust one another's. Loopback addresses of nodes on one machine are left out:
// their ports are refused. It is safe for concurrent use.
type nodeAddresses struct {
	mu  sync.RWMutex
	all map[netip.Addr]bool // guarded by mu
}

// set replaces the addresses by those of the members.
func (a *nodeAddresses) set(members []cluster.Member) {
	all := map[netip.Addr]bool{}
	for _, m := range members {
		actors, _ := netip.ParseAddrPort(m.Actors) // if it is a host name, the gossip address counts
		for _, addr := range []netip.Addr{m.Gossip.Unmap(), actors.Addr().Unmap()} {
			if addr.IsValid() && !addr.IsLoopback() {
				all[addr] = true
			}
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = all
}

// has reports whether a node is at an address.
func (a *nodeAddresses) has(addr netip.Addr) bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.all[addr]
}

// ports is a set of ports. It is safe for concurrent use.
type ports struct {
	mu  sync.RWMutex
	all map[uint16]bool // guarded by mu
}

// add adds the ports of addresses, host:port, that are numbers other than 0.
func (p *ports) add(addresses ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = map[uint16]bool{}
	}
	for _, address := range addresses {
		_, text, _ := net.SplitHostPort(address)
		if port, err := strconv.ParseUint(text, 10, 16); err == nil && port != 0 {
			p.all[uint16(port)] = true
		}
	}
}

func (p *ports) has(port uint16) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.all[port]
}
