//go:build integration

package cluster

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"platen.dev/deploy/hosttest"
	"platen.dev/events/testkit"
)

// client is one outside, which knows the addresses of all proxies and takes the next one if it cannot connect to one.
type client struct {
	http *http.Client
	key  string
}

// newClient makes a client that trusts the authority of the cluster.
func newClient(t *testing.T, authority string) *client {
	t.Helper()
	text, err := os.ReadFile(authority)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		t.Fatalf("%s has no certificate", authority)
	}
	var turn atomic.Int64
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		var errs []error
		for range hosts {
			d := net.Dialer{Timeout: time.Second}
			conn, err := d.DialContext(ctx, network, net.JoinHostPort(hosttest.AddressOf(number(int(turn.Add(1)%hosts))), "443"))
			if err == nil {
				return conn, nil
			}
			errs = append(errs, err)
		}
		return nil, errors.Join(errs...)
	}
	return &client{http: &http.Client{
		Timeout:   30 * time.Second,
		Transport: &http.Transport{DialContext: dial, TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: publicName}, DisableKeepAlives: true},
	}}
}

// do sends a request. The error says that there was no whole answer.
func (c *client) do(ctx context.Context, method, path string, body []byte, idempotency string) (status int, answer []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, "https://"+publicName+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("X-API-Key", c.key)
	req.Header.Set("Content-Type", "application/json")
	if idempotency != "" {
		req.Header.Set("Idempotency-Key", idempotency)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

// submit submits a job as good clients do: what got no answer, or one that says "later", is sent again under the same
// idempotency key. The error says that the service refused it, or the context ended. Tries counts the requests.
func (c *client) submit(ctx context.Context, path string, body any) (job string, tries int, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return "", 0, err
	}
	key := uuid.NewString()
	var last string
	for {
		tries++
		status, answer, err := c.do(ctx, "POST", path, text, key)
		var accepted struct {
			Job string `json:"job_id"`
		}
		switch {
		case err == nil && status == http.StatusAccepted:
			err = json.Unmarshal(answer, &accepted)
			return accepted.Job, tries, err
		case err == nil && status < 500 && status != http.StatusTooManyRequests:
			return "", tries, fmt.Errorf("%s: %d %s", path, status, answer)
		}
		last = fmt.Sprintf("%d %.200s %v", status, answer, err)
		if err := pause(ctx); err != nil {
			return "", tries, fmt.Errorf("%w; the last answer was %s", err, last)
		}
	}
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(500 * time.Millisecond):
		return nil
	}
}

// status returns what the API says of a job, "" if it says nothing now.
func (c *client) status(ctx context.Context, job string) string {
	code, answer, err := c.do(ctx, "GET", "/jobs/"+job, nil, "")
	var fields struct {
		Status string `json:"status"`
		Error  string `json:"error_code"`
	}
	if err != nil || code >= 500 || code == http.StatusTooManyRequests {
		return ""
	}
	if err := json.Unmarshal(answer, &fields); err != nil || code != http.StatusOK {
		return fmt.Sprintf("%d %s", code, answer)
	}
	if fields.Error != "" {
		return fields.Status + " " + fields.Error
	}
	return fields.Status
}

// settled waits until the API says of a job that it has ended, or something else, and returns that.
func (c *client) settled(t *testing.T, job string) (last string) {
	t.Helper()
	testkit.Becomes(func() bool {
		last = c.status(t.Context(), job)
		return last != "" && last != "queued" && last != "rendering" && last != "uploading"
	})
	return last
}

// awaitDone waits until a job has ended, which must be with a file.
func (c *client) awaitDone(t *testing.T, job string) {
	t.Helper()
	if last := c.settled(t, job); last != "done" {
		t.Fatalf("job %s is %q", job, last)
	}
}

// file downloads the file of a job that is done, again while the service says "later".
func (c *client) file(t *testing.T, job string) (file []byte) {
	t.Helper()
	var status int
	var err error
	if !testkit.Becomes(func() bool {
		status, file, err = c.do(t.Context(), "GET", "/jobs/"+job+"/download", nil, "")
		return err == nil && status < 500 && status != http.StatusTooManyRequests
	}) || status != http.StatusOK {
		t.Errorf("the file of job %s: %d %.200q %v", job, status, file, err)
	}
	return file
}
