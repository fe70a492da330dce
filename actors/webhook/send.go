package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"platen.dev/browserpool/egress"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// Message is a webhook that is ready to be sent.
type Message struct {
	ID, URL string
	Body    []byte
	// Secrets sign it, the newest first.
	Secrets []string
	Headers []Header
}

// Outcome is what an attempt has come to.
type Outcome struct {
	events.WebhookAttempt
	// RetryAfter is in seconds.
	RetryAfter int64
}

// Client sends messages.
type Client struct {
	transport *http.Transport
	prefix    string
	agent     string
	now       func() time.Time
}

// NewClient returns a client that reaches the addresses that the policy permits, and no others:
// each attempt resolves the host anew and connects to the address that was checked.
func NewClient(policy egress.Policy, prefix, agent string, now func() time.Time) *Client {
	return &Client{prefix: prefix, agent: agent, now: now, transport: &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			ctx, cancel := context.WithTimeoutCause(ctx, contract.WebhookConnect, errConnect)
			defer cancel()
			conn, err := policy.Dial(ctx, network, address)
			if err != nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return conn, err
		},
		TLSHandshakeTimeout:    contract.WebhookConnect,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: contract.WebhookAnswer,
	}}
}

var errConnect = fmt.Errorf("no connection within %s", contract.WebhookConnect)

// Send sends a message once. It does not follow redirects.
func (c *Client) Send(ctx context.Context, m Message) (o Outcome) {
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, contract.WebhookTimeout)
	defer cancel()
	response, err := c.post(ctx, m)
	if err == nil {
		o.Status, o.RetryAfter = response.StatusCode, c.retryAfter(response.Header.Get("Retry-After"))
		o.Answer = answer(response.Body)
		_ = response.Body.Close() // what matters was read
	} else {
		o.Error = kept(reason(ctx, err)) // a certificate may say anything
	}
	o.Millis = time.Since(start).Milliseconds()
	return o
}

func (c *Client) post(ctx context.Context, m Message) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return nil, errURL
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "User-Agent": {c.agent}}
	for _, h := range m.Headers {
		h.set(r.Header)
	}
	if err := sign(r.Header, c.prefix, m.ID, c.now(), m.Body, m.Secrets); err != nil {
		return nil, err
	}
	return c.transport.RoundTrip(r)
}

var errURL = errors.New("the URL is damaged")

// answer reads the beginning of a response, and keeps the beginning of that. A receiver that sends
// no more has answered all the same.
func answer(body io.Reader) string {
	b, _ := io.ReadAll(io.LimitReader(body, contract.WebhookAnswer))
	return kept(string(b))
}

// kept is the beginning of a text that a receiver may have written, fit for the log.
func kept(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), contract.WebhookKept)], "")
}

// retryAfter is the pause that a header asks for, in seconds.
func (c *Client) retryAfter(text string) int64 {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		return max(0, seconds)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(0, int64(at.Sub(c.now()).Seconds()))
}

// reason says why there was no response, without the URL: it may be a secret.
func reason(ctx context.Context, err error) string {
	var dns *net.DNSError
	var wrong *tls.CertificateVerificationError
	var network *net.OpError
	switch {
	case errors.Is(err, egress.ErrBlocked):
		return "the address is not allowed"
	case errors.Is(err, errConnect):
		return errConnect.Error()
	case errors.As(err, &dns):
		return "the name of the host could not be resolved"
	case errors.As(err, &wrong):
		return "the certificate is not valid: " + wrong.Err.Error()
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Sprintf("no response within %s", contract.WebhookTimeout)
	case errors.As(err, &network):
		return "the connection failed: " + network.Err.Error()
	}
	return "no response: " + err.Error()
}
