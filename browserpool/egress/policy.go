// Package egress decides which network addresses documents may reach, and is
// the loopback forward proxy through which a browser reaches them. For each connection a
// name is resolved once, every address it has is checked, and the connection is made to
// a checked address: what the name resolves to a moment later has no effect.
package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrBlocked refuses a host that has a refused address, and a refused port.
var ErrBlocked = errors.New("address is blocked")

// dialTimeout bounds the attempt to reach one address.
const dialTimeout = 10 * time.Second

// refused are the ranges that are not the public internet, or that lead to
// addresses inside it by translation.
var refused = prefixes(
	"0.0.0.0/8",        // this network
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // carrier-grade NAT
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // Azure's host, which trusts its guests
	"169.254.0.0/16",   // link-local, cloud metadata
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocol assignments
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // 6to4 relays
	"192.168.0.0/16",   // private
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, broadcast
	// IPv6 outside 2000::/3 is not global unicast: all other kinds of addresses lead into private networks.
	"::/3",          // unspecified, loopback, IPv4-compatible, -mapped and -translated, NAT64, discard
	"4000::/2",      // unassigned, segment routing
	"8000::/1",      // unassigned, fc00::/7 unique local, fe80::/10 link-local, fec0::/10 site-local, ff00::/8 multicast
	"2001::/23",     // protocol assignments: Teredo, benchmarks, ORCHID
	"2001:db8::/32", // documentation
	"2002::/16",     // 6to4
	"3fff::/20",     // documentation
)

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}

// Policy says which addresses and ports may be reached. The zero Policy allows the web's ports
// on the public internet and nothing else. No policy allows addresses of this machine's own
// interfaces, because services that trust this machine may listen there; loopback addresses are
// allowed by a range of loopback addresses only. It may be used from any goroutine.
type Policy struct {
	// Allow exempts ranges from refusal, for instance an operator's own network. A range that
	// is to exempt loopback addresses must lie within 127.0.0.0/8, or be ::1/128.
	Allow []netip.Prefix
	// Deny refuses ranges in addition, and wins over Allow.
	Deny []netip.Prefix
	// Ports are the only ones allowed; empty means 80, 443, and those from 1024 on except well-known services.
	Ports []PortRange
	// Refuses reports whether an address and port are refused in addition, for instance because
	// a node of the cluster is there. It is called for every address, on any goroutine, and wins
	// over Allow; nil refuses none.
	Refuses func(netip.AddrPort) bool
	// Resolver looks names up; nil means net.DefaultResolver.
	Resolver *net.Resolver
}

// Permits reports whether a port of an address may be reached. An address with a zone, or one
// of IPv4 that is written as IPv6, may not.
func (p Policy) Permits(at netip.AddrPort) bool {
	addr := at.Addr()
	switch {
	case !addr.IsValid() || addr.Zone() != "" || addr.Is4In6():
		return false
	case !p.PermitsPort(at.Port()), contains(p.Deny, addr), p.Refuses != nil && p.Refuses(at):
		return false
	case translated.Contains(addr) && !p.Permits(netip.AddrPortFrom(beyond(addr), at.Port())):
		return false
	case addr.IsLoopback():
		return contains(slices.DeleteFunc(slices.Clone(p.Allow), isWiderThanLoopback), addr)
	case isOwn(addr):
		return false
	default:
		return contains(p.Allow, addr) || !contains(refused, addr)
	}
}

// translated are the addresses by which an IPv6 network reaches those of IPv4 (NAT64, RFC 6052): who exempts them means the internet, and not what
// this machine may not reach as IPv4.
var translated = netip.MustParsePrefix("64:ff9b::/96")

// beyond is the IPv4 address to which a translated one leads.
func beyond(addr netip.Addr) netip.Addr {
	b := addr.As16()
	return netip.AddrFrom4([4]byte(b[12:]))
}

// isWiderThanLoopback reports whether a range contains non-loopback addresses.
func isWiderThanLoopback(r netip.Prefix) bool {
	loopback := 8
	if r.Addr().Is6() {
		loopback = 128
	}
	return !r.Addr().IsLoopback() || r.Bits() < loopback
}

// IsPublic reports whether the range of an address belongs to the public internet.
func IsPublic(addr netip.Addr) bool { return addr.IsValid() && !contains(refused, addr) }

// isOwn reports whether an address currently belongs to this machine; interfaces come and go. If they cannot be listed,
// every address counts. The unspecified address leads to this machine.
func isOwn(addr netip.Addr) bool {
	own, err := net.InterfaceAddrs()
	if err != nil || addr.IsUnspecified() {
		return true
	}
	return slices.ContainsFunc(own, func(a net.Addr) bool {
		prefix, err := netip.ParsePrefix(a.String())
		return err != nil || prefix.Addr().Unmap() == addr
	})
}

func contains(ranges []netip.Prefix, addr netip.Addr) bool {
	for _, r := range ranges {
		if r.Contains(addr) {
			return true
		}
	}
	return false
}

// Resolve returns the addresses, at least one, of a host name or address literal; the port may be reached at each. A
// single refused address refuses the host with ErrBlocked, except for a name of this machine, such as localhost, which
// is reached at its permitted loopback addresses. A name without addresses is a *net.DNSError.
func (p Policy) Resolve(ctx context.Context, host string, port uint16) ([]netip.Addr, error) {
	addrs, err := p.lookup(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", host, err)
	}
	permitted := slices.DeleteFunc(slices.Clone(addrs), func(addr netip.Addr) bool { return !p.Permits(netip.AddrPortFrom(addr, port)) })
	if len(permitted) == 0 || len(permitted) < len(addrs) && !areLoopback(addrs) {
		return nil, fmt.Errorf("%s at %v, port %d: %w", host, addrs, port, ErrBlocked)
	}
	return permitted, nil
}

func areLoopback(addrs []netip.Addr) bool {
	return !slices.ContainsFunc(addrs, func(addr netip.Addr) bool { return !addr.IsLoopback() })
}

func (p Policy) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}, nil
	}
	if strings.HasSuffix(strings.ToLower(strings.TrimSuffix(host, ".")), ".invalid") { // RFC 6761, section 6.4: no need to ask a resolver
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	resolver := p.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	addrs, err := resolver.LookupNetIP(ctx, "ip", host)
	for i := range addrs {
		addrs[i] = addrs[i].Unmap() // the resolver may write IPv4 as IPv4-mapped
	}
	if err == nil && len(addrs) == 0 {
		err = &net.DNSError{Err: "no addresses", Name: host, IsNotFound: true}
	}
	return addrs, err
}

// Dial connects to host:port at the first of its checked addresses that answers. It has
// the form of a net.Dialer's DialContext, for use in an http.Transport.
func (p Policy) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("dial: port %q: %w", text, ErrBlocked)
	}
	addrs, err := p.Resolve(ctx, host, uint16(port))
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: dialTimeout}
	var failures error
	for _, addr := range addrs {
		conn, err := dialer.DialContext(ctx, network, netip.AddrPortFrom(addr, uint16(port)).String())
		if err == nil {
			return conn, nil
		}
		failures = errors.Join(failures, err)
	}
	return nil, failures
}
