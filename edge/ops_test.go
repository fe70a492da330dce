package edge

import (
	"net"
	"net/netip"
	"testing"
)

// A connection is from this machine if it comes from a loopback address, or from the address that it goes to.
func TestSameMachine(t *testing.T) {
	at := func(text string) net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(text)) }
	for _, tc := range []struct {
		remote, local string
		want          bool
	}{
		{"127.0.0.1:40000", "127.0.0.1:9090", true},
		{"127.0.0.1:40000", "10.0.0.5:9090", true},
		{"10.0.0.5:40000", "10.0.0.5:9090", true},
		{"[::ffff:10.0.0.5]:40000", "10.0.0.5:9090", true},
		{"[::1]:40000", "[::1]:9090", true},
		{"[fd00::5]:40000", "[fd00::5]:9090", true},
		{"10.0.0.6:40000", "10.0.0.5:9090", false},
		{"[fd00::6]:40000", "[fd00::5]:9090", false},
	} {
		if got := sameMachine(at(tc.remote), at(tc.local)); got != tc.want {
			t.Errorf("%s to %s: %t", tc.remote, tc.local, got)
		}
	}
	if unix := (&net.UnixAddr{Name: "x", Net: "unix"}); sameMachine(unix, unix) {
		t.Error("a socket without addresses")
	}
}
