package nemesis

import (
	"net/netip"
	"testing"
)

func packetTo(addr string) []byte {
	p := make([]byte, 28)
	p[0] = 4<<4 | 5
	to := netip.MustParseAddr(addr).As4()
	copy(p[16:], to[:])
	return p
}

// Only whole IPv4 packets to a host of the network are forwarded.
func TestDestination(t *testing.T) {
	n := &Network{hosts: make([]*Host, 3)}
	for name, tc := range map[string]struct {
		packet []byte
		host   int
		ok     bool
	}{
		"first host":      {packetTo("10.213.0.1"), 0, true},
		"last host":       {packetTo("10.213.0.3"), 2, true},
		"no host yet":     {packetTo("10.213.0.4"), 0, false},
		"network":         {packetTo("10.213.0.0"), 0, false},
		"broadcast":       {packetTo("10.213.0.255"), 0, false},
		"another network": {packetTo("10.214.0.1"), 0, false},
		"IPv6":            {append([]byte{6 << 4}, make([]byte, 60)...), 0, false},
		"cut off":         {packetTo("10.213.0.1")[:19], 0, false},
	} {
		host, ok := n.destination(tc.packet)
		if ok != tc.ok || ok && host != tc.host {
			t.Errorf("%s: got %d %v, want %d %v", name, host, ok, tc.host, tc.ok)
		}
	}
}
