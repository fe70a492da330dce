package edge

import (
	"context"
	"net"
	"reflect"
	"testing"
)

// A name inside is refused as one that does not exist is. What says itself where it is, is told.
func TestNamesInsideAreNotTold(t *testing.T) {
	answer := func(address string, err error) *problem {
		s := &Server{cfg: Config{Resolve: func(context.Context, string, uint16) error { return err }}}
		return s.checkPage(address)
	}
	unknown := answer("http://db.internal/", &net.DNSError{Err: "no such host", IsNotFound: true})
	if inside := answer("http://db.internal/", ErrBlocked); unknown == nil || inside == ssrfBlocked || !reflect.DeepEqual(inside, unknown) {
		t.Errorf("inside: %+v, unknown: %+v", inside, unknown)
	}
	for _, host := range []string{"127.0.0.1", "[::1]", "localhost", "LocalHost", "localhost.", "8.8.8.8:22"} {
		if got := answer("http://"+host+"/", ErrBlocked); got != ssrfBlocked {
			t.Errorf("%s: %+v", host, got)
		}
	}
}

// The port is that of the URL, or of its scheme.
func TestPageHostPort(t *testing.T) {
	for address, want := range map[string]uint16{"http://a.test/": 80, "https://a.test/": 443, "https://a.test:8443/": 8443, "http://[::1]:81/": 81} {
		if _, got, wrong := pageHost(address); got != want || wrong != "" {
			t.Errorf("%s has the port %d (%s)", address, got, wrong)
		}
	}
}
