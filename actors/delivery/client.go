package delivery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
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
	r, err := request(ctx, to, size)
	if err != nil {
		o.Error = err.Error()
		return o, nil
	}
	r.Header.Set("User-Agent", c.agent)
	outbound.Trace(r.Header, trace)
	status, sent, err := c.send(r, content)
	if status == http.StatusExpectationFailed && sent == 0 && r.Header.Get("Expect") != "" { // RFC 9110, 10.1.1
		r.Header.Del("Expect")
		status, sent, err = c.send(r, content)
	}
	switch broken, is := errors.AsType[*contentError](err); {
	case is:
		return o, broken.error
	case err != nil:
		o.Error, o.refused = outbound.Reason(ctx, err, limit), errors.Is(err, egress.ErrBlocked)
	case contract.Succeeded(status) && sent < size:
		o.Error = fmt.Sprintf("HTTP status %d came before the whole file was sent", status)
	default:
		o.Status = status
	}
	o.Millis = time.Since(start).Milliseconds()
	return o, nil
}

// send sends content as the body of a request, once, and returns the status of the answer and how many bytes of the content were taken for it.
func (c *Client) send(r *http.Request, content io.Reader) (status int, sent int64, err error) {
	source := &source{content: content}
	r.Body = http.NoBody // otherwise its length would count as unknown
	if r.ContentLength > 0 {
		r.Body = io.NopCloser(source)
	}
	response, err := c.transport.RoundTrip(r)
	if err == nil {
		status = response.StatusCode
		_ = response.Body.Close() // only the status matters: a body may repeat the URL
	}
	sent, broken := source.end()
	if broken != nil && (err != nil || contract.Succeeded(status)) {
		err = &contentError{broken}
	}
	return status, sent, err
}

// contentError is an error of reading the content.
type contentError struct{ error }

// refusable is the size in bytes from which the storage must agree, or stay silent for a second,
// before a file is sent.
const refusable = 1 << 20

var errURL = errors.New("the URL is damaged")

// request returns a PUT to exactly the given URL: its signature may cover every byte of path and
// query, and the host without the default https port.
func request(ctx context.Context, to string, size int64) (*http.Request, error) {
	u, err := contract.ParseURL(to, "https")
	if err != nil {
		return nil, errURL
	}
	target := target(to)
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, u.String(), nil)
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

// errEnded ends what the transport reads after it has answered.
var errEnded = errors.New("the request has ended")

// source is the content of one request. The transport may still be reading it when the answer has come.
type source struct {
	content io.Reader

	mu    sync.Mutex // guards the rest, and is held while content is read
	sent  int64
	err   error
	ended bool
}

// Read implements io.Reader.
func (s *source) Read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return 0, errEnded
	}
	n, err := s.content.Read(b)
	if s.sent += int64(n); err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// end has the content read no longer, and returns how many bytes were read, and the error of reading it.
func (s *source) end() (sent int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	return s.sent, s.err
}
