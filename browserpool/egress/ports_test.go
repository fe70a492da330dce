package egress

import (
	"net/netip"
	"testing"
)

// The default ports are those of the web, and unprivileged ones without a well-known service.
func TestDefaultPorts(t *testing.T) {
	for port, want := range map[uint16]bool{
		0: false, 1: false, 22: false, 25: false, 79: false, 80: true, 81: false, 442: false, 443: true, 444: false, 1023: false, 1024: true,
		2048: true, 2049: false, 2050: true, 2374: true, 2375: false, 2380: false, 2381: true, 3000: true, 3306: false, 5432: false, 6379: false, 6443: false,
		8080: true, 8443: true, 9092: false, 9200: false, 10080: false, 10250: false, 11211: false, 27017: false, 65535: true,
	} {
		if got := (Policy{}).Permits(netip.AddrPortFrom(netip.MustParseAddr("8.8.8.8"), port)); got != want {
			t.Errorf("port %d is permitted: %t", port, got)
		}
	}
}

// If the operator names ports, only these are allowed, even at exempt addresses.
func TestPorts(t *testing.T) {
	policy := Policy{Ports: []PortRange{{443, 443}, {8000, 8002}}, Allow: prefixes("10.0.0.0/8")}
	for _, address := range []string{"8.8.8.8", "10.0.0.1"} {
		for port, want := range map[uint16]bool{80: false, 443: true, 7999: false, 8000: true, 8002: true, 8003: false} {
			if got := policy.Permits(netip.AddrPortFrom(netip.MustParseAddr(address), port)); got != want {
				t.Errorf("port %d of %s is permitted: %t", port, address, got)
			}
		}
	}
}

func TestParsePorts(t *testing.T) {
	for text, want := range map[string]PortRange{
		"80": {80, 80}, "1-65535": {1, 65535}, "8000-8000": {8000, 8000},
		"": {}, "0": {}, "0-80": {}, "65536": {}, "1-65536": {}, "81-80": {}, "-": {}, "80-": {}, "-80": {}, "http": {}, "80-90-100": {}, " 80": {},
	} {
		var got PortRange
		err := got.UnmarshalText([]byte(text))
		if got != want || (err == nil) != (want != PortRange{}) {
			t.Errorf("%q is %v, %v", text, got, err)
		}
		if err == nil && text != "8000-8000" && got.String() != text {
			t.Errorf("%q is written as %q", text, got)
		}
	}
}
