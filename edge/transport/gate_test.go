package transport

import (
	"net"
	"net/netip"
	"testing"
)

func from(addr string) net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(addr), 1))
}

// Connections are limited per client and in all, and closed ones free their place.
func TestGate(t *testing.T) {
	g := NewGate(Connections{Most: 10, PerAddress: 2, Trusted: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/30")}})
	enter := func(addr string, want bool) func() {
		t.Helper()
		leave, ok := g.Enter(from(addr))
		if ok != want {
			t.Errorf("%s: let in %t, want %t", addr, ok, want)
		}
		return leave
	}
	leave := enter("192.0.2.9", true)
	enter("192.0.2.9", true)
	enter("192.0.2.9", false)
	enter("::ffff:192.0.2.9", false)
	leave()
	leave()
	enter("::ffff:192.0.2.9", true)
	enter("192.0.2.9", false)
	enter("2001:db8::1", true)
	enter("2001:db8::2", true)
	enter("2001:db8:0:0:ffff::3", false)
	enter("2001:db8:0:1::1", true)
	for range 3 {
		enter("192.0.2.3", true) // a trusted proxy
	}
	enter("127.0.0.1", true)
	last := enter("::1", true)
	enter("::1", false)
	enter("192.0.2.3", false)
	last()
	enter("127.0.0.2", true)
	if open, refused := g.Figures(); open != 10 || refused != 6 {
		t.Errorf("%d are open, %d were refused", open, refused)
	}
}
