package edge

import (
	"net/netip"
	"testing"

	"github.com/valyala/fasthttp"
)

// A client's address is the last that is forwarded and not a trusted proxy's: what comes before it may be made up.
func TestForwardedFor(t *testing.T) {
	s := newServer(Config{}, patient)
	s.cfg.Connections.Trusted = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:1::/48")}
	for name, tc := range map[string]struct {
		lines []string
		want  string
	}{
		"one proxy":              {[]string{"192.0.2.1"}, "192.0.2.1"},
		"made up":                {[]string{"198.51.100.7, 192.0.2.1"}, "192.0.2.1"},
		"two proxies":            {[]string{"198.51.100.7, 192.0.2.1, 10.0.0.2"}, "192.0.2.1"},
		"two proxies, two lines": {[]string{"198.51.100.7, 192.0.2.1", "2001:db8:1::2"}, "192.0.2.1"},
		"with a port":            {[]string{"192.0.2.1:40123"}, "192.0.2.1"},
		"IPv6 with a port":       {[]string{"[2001:db8::7]:40123"}, "2001:db8::7"},
		"IPv4 as IPv6":           {[]string{"::ffff:192.0.2.1"}, "192.0.2.1"},
		"proxies only":           {[]string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		"not an address":         {[]string{"192.0.2.1, unknown"}, "10.0.0.1"},
		"nothing":                {nil, "10.0.0.1"},
	} {
		var h fasthttp.RequestHeader
		for _, line := range tc.lines {
			h.Add("X-Forwarded-For", line)
		}
		if got := s.forwardedFor(&h, netip.MustParseAddr("10.0.0.1")).String(); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
