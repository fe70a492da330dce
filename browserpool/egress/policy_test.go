package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Every range that is not the public internet is refused at both its ends, and
// what lies just outside is not.
func TestPermits(t *testing.T) {
	for _, refusedAddr := range []string{
		"0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1", "127.255.255.255",
		"169.254.0.0", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.0.255", "192.0.2.1", "192.168.0.1",
		"192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255",
		"240.0.0.1", "255.255.255.255",
		"::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1",
		"2001::1", "2001:0:ffff::1", "2001:db8::1", "2002:7f00:1::1", "fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1",
		"feff::1", "ff02::1", "fe80::1%eth0", "2606:4700::1111%eth0",
	} {
		if (Policy{}).Permits(netip.MustParseAddr(refusedAddr)) {
			t.Errorf("%s is permitted", refusedAddr)
		}
	}
	for _, permitted := range []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "128.0.0.1", "169.253.255.255",
		"172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "198.17.255.255", "198.20.0.0", "223.255.255.255",
		"2606:4700:4700::1111", "2a00:1450::1", "2001:4860:4860::8888", "2003::1",
	} {
		if !(Policy{}).Permits(netip.MustParseAddr(permitted)) {
			t.Errorf("%s is refused", permitted)
		}
	}
	if (Policy{}).Permits(netip.Addr{}) {
		t.Error("no address is permitted")
	}
}

// What the operator allows is exempt, and nothing else.
func TestAllow(t *testing.T) {
	policy := Policy{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/8")}}
	for address, want := range map[string]bool{"10.1.2.3": true, "10.2.0.0": false, "fd00::1": true, "fc00::1": false, "127.0.0.1": false} {
		if got := policy.Permits(netip.MustParseAddr(address)); got != want {
			t.Errorf("Permits(%s) = %v", address, got)
		}
	}
}

func TestResolve(t *testing.T) {
	for _, host := range []string{"localhost", "127.0.0.1", "::1", "169.254.169.254"} {
		if _, err := (Policy{}).Resolve(context.Background(), host); !errors.Is(err, ErrBlocked) {
			t.Errorf("%s: got %v, want ErrBlocked", host, err)
		}
	}
	got, err := Policy{}.Resolve(context.Background(), "8.8.8.8")
	if err != nil || len(got) != 1 || got[0] != netip.MustParseAddr("8.8.8.8") {
		t.Errorf("got %v, %v", got, err)
	}
	var unknown *net.DNSError
	if _, err := (Policy{}).Resolve(context.Background(), "nothing.invalid"); !errors.As(err, &unknown) {
		t.Errorf("an unknown name gives %v", err)
	}
}
