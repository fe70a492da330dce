package webhook

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"platen.dev/actors/outbound"
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
	// Trace is where the job belongs; zero if it is not traced.
	Trace events.Trace
}

// Outcome is the result of an attempt.
type Outcome struct {
	events.WebhookAttempt
	// RetryAfter is in seconds.
	RetryAfter int64
}

// Client sends messages.
type Client struct {
	transport outbound.Transport
	prefix    string
	agent     string
	now       func() time.Time
	timeout   time.Duration // of an attempt
}

// NewClient returns a client that reaches only the addresses that the policy permits.
func NewClient(policy egress.Policy, prefix, agent string, now func() time.Time) *Client {
	return &Client{outbound.NewTransport(policy, contract.WebhookConnect), prefix, agent, now, contract.WebhookTimeout}
}

// Send sends a message once. It does not follow redirects.
func (c *Client) Send(ctx context.Context, m Message) (o Outcome) {
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	response, err := c.post(ctx, m)
	if err == nil {
		o.Status, o.RetryAfter = response.StatusCode, c.retryAfter(response.Header.Get("Retry-After"))
		o.Answer = answer(response.Body)
		_ = response.Body.Close() // everything needed was read
	} else {
		o.Error = outbound.Reason(ctx, err, c.timeout)
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
	outbound.Trace(r.Header, m.Trace)
	if err := sign(r.Header, c.prefix, m.ID, c.now(), m.Body, m.Secrets); err != nil {
		return nil, err
	}
	return c.transport.RoundTrip(r)
}

var errURL = errors.New("the URL is damaged")

// answer reads the beginning of a response, and keeps the beginning of that. A response that breaks
// off still counts as an answer.
func answer(body io.Reader) string {
	b, _ := io.ReadAll(io.LimitReader(body, contract.WebhookAnswer))
	return outbound.Kept(string(b))
}

// retryAfter returns the pause that a header asks for, in seconds.
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
