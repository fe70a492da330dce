package delivery

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"platen.dev/actors/outbound"
	"platen.dev/browserpool/egress"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// Client uploads files.
type Client struct {
	transport outbound.Transport
	agent     string
}

// NewClient returns a client that reaches only the addresses that the policy permits.
func NewClient(policy egress.Policy, agent string) *Client {
	return &Client{outbound.NewTransport(policy, contract.UploadConnect), agent}
}

// outcome is the result of an attempt.
type outcome struct {
	events.UploadAttempt
	// refused is set if the policy refuses the address.
	refused bool
}

// put uploads size bytes to a presigned URL, with trace headers. An error is one of reading the
// content, which says nothing about the storage.
func (c *Client) put(ctx context.Context, to string, trace events.Trace, content io.Reader, size int64) (o outcome, err error) {
	start := time.Now()
	limit := contract.UploadTimeout(size)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	source := &source{Reader: content}
	r, err := request(ctx, to, source, size)
	if err != nil {
		o.Error = err.Error()
		return o, nil
	}
	r.Header.Set("User-Agent", c.agent)
	outbound.Trace(r.Header, trace)
	response, err := c.transport.RoundTrip(r)
	switch {
	case err == nil:
		o.Status = response.StatusCode
		_ = response.Body.Close() // only the status matters: a body may repeat the URL
	case source.err != nil:
		return o, source.err
	default:
		o.Error, o.refused = outbound.Reason(ctx, err, limit), errors.Is(err, egress.ErrBlocked)
	}
	o.Millis = time.Since(start).Milliseconds()
	return o, nil
}

// refusable is the size in bytes from which the storage must agree, or stay silent for a second,
// before a file is sent.
const refusable = 1 << 20

var errURL = errors.New("the URL is damaged")

// request returns a PUT to exactly the given URL: its signature may cover every byte of path and
// query, and the host without the default https port.
func request(ctx context.Context, to string, content io.Reader, size int64) (*http.Request, error) {
	u, err := contract.ParseURL(to, "https")
	if err != nil {
		return nil, errURL
	}
	if size == 0 {
		content = http.NoBody // otherwise its length would count as unknown
	}
	target := target(to)
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, u.String(), content)
	if err != nil {
		return nil, errURL
	}
	if r.URL.RequestURI() != target {
		path, query, _ := strings.Cut(target, "?")
		r.URL = &url.URL{Scheme: u.Scheme, Host: u.Host, Opaque: path, RawQuery: query}
	}
	r.Host = strings.TrimSuffix(u.Host, ":443")
	r.Header = http.Header{}
	r.ContentLength = size
	if size > refusable {
		r.Header.Set("Expect", "100-continue") // so that a refusal comes before the file is sent
	}
	return r, nil
}

// target returns the path and query of a URL as written.
func target(to string) string {
	_, rest, _ := strings.Cut(to, "://")
	rest, _, _ = strings.Cut(rest, "#")
	at := strings.IndexAny(rest, "/?")
	if at < 0 {
		return "/"
	}
	if rest[at] == '?' {
		return "/" + rest[at:]
	}
	return rest[at:]
}

// source records errors of reading the content.
type source struct {
	io.Reader
	err error
}

// Read implements io.Reader.
func (s *source) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
