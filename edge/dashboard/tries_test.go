package dashboard

import (
	"fmt"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/events/testkit"
)

// Attempts are counted by network: the owner of an IPv6 network has any number of addresses.
func TestTriesByNetwork(t *testing.T) {
	for name, tc := range map[string]struct {
		address func(n int) string
		want    int
	}{
		"an address":            {func(int) string { return "192.0.2.1" }, triesPerMinute},
		"addresses of IPv4":     {func(n int) string { return fmt.Sprintf("192.0.2.%d", n) }, 2 * triesPerMinute},
		"addresses of one /64":  {func(n int) string { return fmt.Sprintf("2001:db8::%x", n) }, triesPerMinute},
		"addresses of many /64": {func(n int) string { return fmt.Sprintf("2001:db8:0:%x::1", n) }, 2 * triesPerMinute},
	} {
		n, allowed := 0, 0
		d := New(Config{Logger: testkit.Silent(), Now: func() time.Time { return time.Unix(1_700_000_000, 0) }, Place: Place{
			ClientOf: func(*fasthttp.RequestCtx) (string, bool) { return tc.address(n), false },
		}})
		for n = range 2 * triesPerMinute {
			if d.mayTry(&fasthttp.RequestCtx{}) {
				allowed++
			}
		}
		if allowed != tc.want {
			t.Errorf("%s: %d attempts allowed, want %d", name, allowed, tc.want)
		}
	}
}
