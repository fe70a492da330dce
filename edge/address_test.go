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
		s := &Server{cfg: Config{Resolve: func(context.Context, string) error { return err }}}
		return s.checkPage(address)
	}
	unknown := answer("http://db.internal/", &net.DNSError{Err: "no such host", IsNotFound: true})
	if inside := answer("http://db.internal/", ErrBlocked); unknown == nil || inside == ssrfBlocked || !reflect.DeepEqual(inside, unknown) {
		t.Errorf("inside: %+v, unknown: %+v", inside, unknown)
	}
	for _, host := range []string{"127.0.0.1", "[::1]", "localhost", "LocalHost", "localhost."} {
		if got := answer("http://"+host+"/", ErrBlocked); got != ssrfBlocked {
			t.Errorf("%s: %+v", host, got)
		}
	}
}
