// Package outbound makes requests to servers that callers name: webhook receivers and callers' own
// storage. Each request resolves the host anew, is checked by the egress policy that also applies
// to pages, and connects to the address that was checked. It follows no redirects.
package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"platen.dev/browserpool/egress"
)

// maxHeader bounds the header of a response in bytes.
const maxHeader = 64 << 10

// Transport makes requests. A server that answers with another protocol fails: its connection would outlive the request's time limit.
type Transport struct{ *http.Transport }

// NewTransport returns a transport whose connections serve one request each. connect bounds the time
// to connect, and separately the TLS handshake.
func NewTransport(policy egress.Policy, connect time.Duration) Transport {
	return Transport{&http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			ctx, cancel := context.WithTimeoutCause(ctx, connect, errConnect(connect))
			defer cancel()
			conn, err := policy.Dial(ctx, network, address)
			if err != nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return conn, err
		},
		TLSHandshakeTimeout:    connect,
		ExpectContinueTimeout:  time.Second,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
	}}
}

// RoundTrip makes a request.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.Transport.RoundTrip(r)
	if err == nil && response.StatusCode == http.StatusSwitchingProtocols {
		_ = response.Body.Close() // the connection itself
		return nil, errSwitched
	}
	return response, err
}

var errSwitched = errors.New("the server switches to another protocol (status 101)")

// errConnect means that no connection was made in time.
type errConnect time.Duration

func (e errConnect) Error() string { return fmt.Sprintf("no connection within %s", time.Duration(e)) }

// Reason says why a request with the given time limit got no response. It does not name the URL,
// which may be secret.
func Reason(ctx context.Context, err error, limit time.Duration) string {
	var dns *net.DNSError
	var wrong *tls.CertificateVerificationError
	var network *net.OpError
	var connect errConnect
	switch {
	case errors.Is(err, egress.ErrBlocked), errors.As(err, &dns): // which of the two is not disclosed
		return "the host cannot be resolved to an address and port that are allowed"
	case errors.As(err, &connect):
		return connect.Error()
	case errors.As(err, &wrong):
		return Kept("the certificate is not valid: " + wrong.Err.Error())
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Sprintf("no response within %s", limit)
	case errors.As(err, &network):
		return "the connection failed: " + network.Err.Error()
	}
	return Kept("no response: " + err.Error())
}

// MaxKept bounds, in bytes, how much is kept of a text that a server may have written.
const MaxKept = 1 << 10

// Kept returns the beginning of a text that a server may have written, fit for the log.
func Kept(s string) string { return strings.ToValidUTF8(s[:min(len(s), MaxKept)], "") }
