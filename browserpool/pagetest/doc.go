// Package pagetest has what the tests of packages browserpool and page share: servers
// that pages load from, and readers of the PDFs that come out.
package pagetest

import (
	"net/netip"
	"testing"
	"time"
)

// Loopback is the address range of the servers in this package, which an egress policy
// has to allow.
var Loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// Patience is a time that only a hanging test exceeds, on however busy a machine.
const Patience = 2 * time.Minute

// Await receives within Patience; what names the event in the failure.
func Await[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(Patience):
		t.Fatalf("waited too long for %s", what)
		panic("unreachable")
	}
}
