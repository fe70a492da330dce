package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"platen.dev/browserpool/pagetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// permits reports whether a policy permits an address on port 80.
func permits(p Policy, address string) bool {
	return p.Permits(netip.AddrPortFrom(netip.MustParseAddr(address), 80))
}

// Every range that is not the public internet is refused from its first to its last address. The neighbouring addresses
// are permitted, unless they belong to another such range.
func TestPermits(t *testing.T) {
	for _, c := range []struct{ before, first, last, after string }{
		{"", "0.0.0.0", "0.255.255.255", "1.0.0.0"},
		{"9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"},
		{"100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"},
		{"126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"},
		{"168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17"},
		{"169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"},
		{"172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"},
		{"191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"},
		{"192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"},
		{"192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"},
		{"192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"},
		{"198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"},
		{"198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"},
		{"203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"},
		{"223.255.255.255", "224.0.0.0", "239.255.255.255", ""},
		{"", "240.0.0.0", "255.255.255.255", ""},
		{"", "::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"},
		{"2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"},
		{"2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"},
		{"2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"},
		{"3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"},
		{"3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ""},
	} {
		for address, want := range map[string]bool{c.before: true, c.first: false, c.last: false, c.after: true} {
			if address != "" && permits(Policy{}, address) != want {
				t.Errorf("Permits(%s) is %v", address, !want)
			}
		}
	}
}

// Addresses typical of attacks, by the names of their ranges.
func TestPermitsNoWayInside(t *testing.T) {
	for _, address := range []string{
		"127.0.0.1", "169.254.169.254", "100.100.100.200", "192.0.0.192", "255.255.255.255",
		"::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:7f00:1", "64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1",
		"100::1", "2001::1", "2001:0:ffff::1", "2001:2::1", "2001:10::1", "2001:20::1", "2002:7f00:1::1", "5f00::1",
		"fbff::1", "fc00::1", "fd00:ec2::254", "fdff::1", "fe00::1", "fe7f::1", "fe80::1", "febf::1", "fec0::1", "feff::1", "ff02::1",
		"fe80::1%eth0", "2606:4700::1111%eth0",
	} {
		if permits(Policy{}, address) {
			t.Errorf("%s is permitted", address)
		}
	}
	for _, address := range []string{"1.1.1.1", "8.8.8.8", "2606:4700:4700::1111", "2a00:1450::1", "2001:4860:4860::8888"} {
		if !permits(Policy{}, address) {
			t.Errorf("%s is refused", address)
		}
	}
	if (Policy{}).Permits(netip.AddrPortFrom(netip.Addr{}, 80)) {
		t.Error("no address is permitted")
	}
}

// The additional refused ranges are refused even where more is allowed.
func TestRefuse(t *testing.T) {
	refuse := prefixes("10.9.0.0/16", "1.1.1.0/24")
	policy := Policy{Allow: prefixes("10.0.0.0/8"), Refuses: func(a netip.AddrPort) bool { return contains(refuse, a.Addr()) }}
	for address, want := range map[string]bool{"10.8.255.255": true, "10.9.0.0": false, "10.10.0.0": true, "1.1.0.255": true, "1.1.1.1": false, "1.1.2.0": true} {
		if got := permits(policy, address); got != want {
			t.Errorf("Permits(%s) = %v", address, got)
		}
	}
}

// Addresses that come and go are refused while they exist, whatever is allowed.
func TestRefusedWhileThere(t *testing.T) {
	peer := netip.MustParseAddr("8.8.4.4")
	up := false
	policy := Policy{Allow: prefixes("8.8.0.0/16"), Refuses: func(a netip.AddrPort) bool { return up && a.Addr() == peer }}
	for _, up = range []bool{false, true, false} {
		if _, err := policy.Resolve(t.Context(), "8.8.4.4", 80); errors.Is(err, ErrBlocked) != up {
			t.Errorf("while up is %t: %v", up, err)
		}
		if !permits(policy, "8.8.8.8") {
			t.Error("another is refused")
		}
	}
}

func TestIsPublic(t *testing.T) {
	for address, want := range map[string]bool{"8.8.8.8": true, "2606:4700::1": true, "10.1.2.3": false, "127.0.0.1": false, "fd00::1": false} {
		if IsPublic(netip.MustParseAddr(address)) != want {
			t.Errorf("IsPublic(%s) is %t", address, !want)
		}
	}
	if IsPublic(netip.Addr{}) {
		t.Error("no address is public")
	}
}

// Only the ranges that the operator allows are exempt.
func TestAllow(t *testing.T) {
	policy := Policy{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/8")}}
	for address, want := range map[string]bool{"10.1.2.3": true, "10.2.0.0": false, "fd00::1": true, "fc00::1": false, "127.0.0.1": false} {
		if got := permits(policy, address); got != want {
			t.Errorf("Permits(%s) = %v", address, got)
		}
	}
}

// The ranges that the operator denies are refused even where more is allowed, and on the public internet.
func TestDeny(t *testing.T) {
	policy := Policy{Allow: prefixes("10.0.0.0/8"), Deny: prefixes("10.9.0.0/16", "1.1.1.0/24", "2606:4700::/32")}
	for address, want := range map[string]bool{
		"10.8.255.255": true, "10.9.0.0": false, "10.9.255.255": false, "10.10.0.0": true,
		"1.1.0.255": true, "1.1.1.0": false, "1.1.2.0": true, "2606:4700::1": false, "2606:4701::1": true,
	} {
		if got := permits(policy, address); got != want {
			t.Errorf("Permits(%s) = %v", address, got)
		}
	}
}

// Only a range that consists of loopback addresses exempts these.
func TestAllowLoopback(t *testing.T) {
	for allow, want := range map[string]bool{
		"127.0.0.0/8": true, "127.0.0.1/32": true, "126.0.0.0/7": false, "0.0.0.0/0": false, "127.0.0.1/7": false, "::/0": false, "::1/128": false,
	} {
		if got := permits(Policy{Allow: prefixes(allow)}, "127.0.0.1"); got != want {
			t.Errorf("%s makes 127.0.0.1 permitted: %t", allow, got)
		}
	}
	for allow, want := range map[string]bool{"::1/128": true, "::/127": false, "::/0": false, "127.0.0.0/8": false} {
		if got := permits(Policy{Allow: prefixes(allow)}, "::1"); got != want {
			t.Errorf("%s makes ::1 permitted: %t", allow, got)
		}
	}
	everything := Policy{Allow: prefixes("0.0.0.0/0", "::/0")}
	for _, address := range []string{"0.0.0.0", "::", "::ffff:127.0.0.1", "::ffff:10.0.0.1"} {
		if permits(everything, address) {
			t.Errorf("%s is permitted, and leads to this machine or hides an address", address)
		}
	}
}

// The addresses of this machine's interfaces are refused, whatever is allowed. Package
// browserpool/page shows the same on a machine with a public address.
func TestOwnAddresses(t *testing.T) {
	own, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	everything := Policy{Allow: prefixes("0.0.0.0/0", "::/0")}
	for _, a := range own {
		if prefix := netip.MustParsePrefix(a.String()); permits(everything, prefix.Addr().String()) {
			t.Errorf("%s is permitted", prefix)
		}
	}
	if !permits(everything, "10.254.253.252") {
		t.Error("everything is refused, so this proves nothing")
	}
}

// Who exempts the addresses of NAT64, as a network of IPv6 alone must, opens the internet, but nothing that is refused as IPv4.
func TestTranslated(t *testing.T) {
	peer := netip.MustParseAddr("9.9.9.9")
	policy := Policy{Allow: prefixes("64:ff9b::/96"), Deny: prefixes("1.1.1.0/24"), Refuses: func(a netip.AddrPort) bool { return a.Addr() == peer }}
	for address, want := range map[string]bool{
		"64:ff9b::8.8.8.8": true, "64:ff9b::1.1.0.255": true, "64:ff9b::1.1.1.1": false, "64:ff9b::9.9.9.9": false, "64:ff9b::127.0.0.1": false,
		"64:ff9b::10.0.0.1": false, "64:ff9b::169.254.169.254": false, "64:ff9b::": false, "64:ff9b:1::8.8.8.8": false,
	} {
		if got := permits(policy, address); got != want {
			t.Errorf("Permits(%s) = %v", address, got)
		}
	}
	if permits(Policy{Allow: prefixes("::/0")}, "64:ff9b::10.0.0.1") {
		t.Error("a private address is permitted by a range of IPv6")
	}
	if !permits(Policy{Allow: prefixes("64:ff9b::/96", "10.0.0.0/8")}, "64:ff9b::10.0.0.1") {
		t.Error("a private address that is exempted, too, is refused")
	}
}

func TestResolve(t *testing.T) {
	for _, host := range []string{"localhost", "127.0.0.1", "::1", "169.254.169.254"} {
		if _, err := (Policy{}).Resolve(context.Background(), host, 80); !errors.Is(err, ErrBlocked) {
			t.Errorf("%s: got %v, want ErrBlocked", host, err)
		}
	}
	got, err := Policy{}.Resolve(context.Background(), "8.8.8.8", 80)
	if err != nil || len(got) != 1 || got[0] != netip.MustParseAddr("8.8.8.8") {
		t.Errorf("got %v, %v", got, err)
	}
	var unknown *net.DNSError
	if _, err := (Policy{}).Resolve(context.Background(), "nothing.invalid", 80); !errors.As(err, &unknown) {
		t.Errorf("an unknown name gives %v", err)
	}
}

// A name of this machine, such as localhost with both of its addresses, is reached where the policy permits it. Any other name
// with a refused address is refused entirely.
func TestResolveThisMachine(t *testing.T) {
	dns := pagetest.NewDNS(t, map[string][][]string{
		"this.machine.": {{"127.0.0.1", "::1"}},
		"mixed.":        {{"8.8.8.8", "127.0.0.1", "::1"}},
		"inside.":       {{"8.8.8.8", "10.0.0.1"}},
	})
	for _, tc := range []struct {
		host, allow string
		want        []netip.Addr // nil for ErrBlocked
	}{
		{"this.machine.", "127.0.0.0/8", []netip.Addr{netip.MustParseAddr("127.0.0.1")}},
		{"this.machine.", "::1/128", []netip.Addr{netip.MustParseAddr("::1")}},
		{"this.machine.", "127.0.0.2/32", nil},
		{"mixed.", "127.0.0.0/8", nil},
		{"inside.", "127.0.0.0/8", nil},
	} {
		got, err := Policy{Allow: prefixes(tc.allow), Resolver: dns.Resolver()}.Resolve(t.Context(), tc.host, 80)
		if !slices.Equal(got, tc.want) || (err == nil) != (tc.want != nil) || err != nil && !errors.Is(err, ErrBlocked) {
			t.Errorf("%s with %s: got %v, %v, want %v", tc.host, tc.allow, got, err, tc.want)
		}
	}
}
