// Package pagetest has the servers that pages load from in tests, one that resolves names, and the
// comparison of pictures of pages.
package pagetest

import "net/netip"

// Loopback is the address range of the servers in this package, which an egress policy
// has to allow.
var Loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
