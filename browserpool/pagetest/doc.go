// Package pagetest has what tests of pages share: the servers that pages load from, a DNS server, and the comparison of
// printed pages with golden pictures.
package pagetest

import "net/netip"

// Loopback is the address range of the servers in this package, which an egress policy
// has to allow.
var Loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
