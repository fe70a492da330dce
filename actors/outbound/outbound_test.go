package outbound

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"platen.dev/browserpool/egress"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events/testkit"
)

// A name that has moved to a private address is refused, though it was allowed a moment before; so is
// one with a private address among others.
func TestNameThatMoves(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	dns := pagetest.NewDNS(t, map[string][][]string{
		"moves.test.": {{"127.0.0.1"}, {"10.0.0.1"}}, "both.test.": {{"127.0.0.1", "10.0.0.1"}},
	})
	transport := NewTransport(egress.Policy{Allow: pagetest.Loopback, Resolver: dns.Resolver()}, time.Minute)
	request := func(host string) error {
		r, err := http.NewRequestWithContext(testkit.Context(t), "POST", "http://"+host+":"+port, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := transport.RoundTrip(r)
		if err == nil {
			_ = response.Body.Close()
		}
		return err
	}
	if err := request("moves.test"); err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"moves.test", "both.test"} {
		err := request(host)
		if !errors.Is(err, egress.ErrBlocked) || Reason(t.Context(), err, time.Minute) != "the host cannot be resolved to an address and port that are allowed" {
			t.Errorf("%s: %v", host, err)
		}
	}
}

// A name that does not exist is refused in the same words as one that leads inside.
func TestReasonTellsNoNames(t *testing.T) {
	inside, unknown := egress.ErrBlocked, &net.DNSError{Err: "no such host", IsNotFound: true}
	if a, b := Reason(t.Context(), inside, time.Minute), Reason(t.Context(), unknown, time.Minute); a != b {
		t.Errorf("inside: %q, unknown: %q", a, b)
	}
}

// What is kept of a text is valid, and bounded.
func TestKept(t *testing.T) {
	for text, want := range map[string]string{
		"a\xffb": "ab", "": "", strings.Repeat("x", MaxKept) + "y": strings.Repeat("x", MaxKept),
		strings.Repeat("x", MaxKept-1) + "ä": strings.Repeat("x", MaxKept-1),
	} {
		if got := Kept(text); got != want {
			t.Errorf("%d bytes: kept %d, want %d", len(text), len(got), len(want))
		}
	}
}
