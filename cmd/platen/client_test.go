package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"platen.dev/events"
)

// client is a customer with a key, who may call any node.
type client struct{ key string }

var transport = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// do sends a request and reads the whole response.
func (c client) do(method, url string, body any) (status int, answer []byte, err error) {
	b, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	resp, answer, err := c.request(method, url, b, nil)
	if err != nil {
		return 0, nil, err
	}
	return resp.StatusCode, answer, nil
}

// request sends a body with headers and reads the whole response.
func (c client) request(method, url string, body []byte, headers map[string]string) (*http.Response, []byte, error) {
	req, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("X-API-Key", c.key)
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	var sent atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }}
	resp, err := transport.Do(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil && sent.Load() { // if a retry by the transport cannot connect, the request was still sent
		err = fmt.Errorf("sent, and then: %s", err.Error()) // not wrapped: it is not unreachable
	}
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return resp, answer, err
}

// submit submits job number n: odd ones are Markdown, even ones HTML. The id is set if
// the status is 202.
func (c client) submit(address string, n int) (events.JobID, int, error) {
	path, body := "/html-to-pdf", map[string]string{"html": fmt.Sprintf("<h1>Job %d</h1><p>of many</p>", n)}
	if n%2 == 1 {
		path, body = "/markdown-to-pdf", map[string]string{"markdown": fmt.Sprintf("# Job %d\n\nof *many*\n", n)}
	}
	return c.post(address+path, body)
}

func (c client) post(url string, body any) (events.JobID, int, error) {
	return c.postWith(url, body, nil)
}

// postWith is post with headers.
func (c client) postWith(url string, body any, headers map[string]string) (events.JobID, int, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return events.JobID{}, 0, err
	}
	resp, answer, err := c.request("POST", url, b, headers)
	if err != nil {
		return events.JobID{}, 0, err
	}
	status := resp.StatusCode
	if status != 202 {
		return events.JobID{}, status, nil
	}
	var accepted struct {
		ID string `json:"job_id"`
	}
	if err := json.Unmarshal(answer, &accepted); err != nil {
		return events.JobID{}, status, err
	}
	id, err := events.ParseJobID(accepted.ID)
	return id, status, err
}

// status gets a job's status. answered is false if the node did not answer or asked to
// retry later.
func (c client) status(address string, id events.JobID) (s events.Status, answered bool, err error) {
	status, answer, err := c.do("GET", address+"/jobs/"+id.String(), nil)
	if err != nil || status == 503 || status == 429 {
		return "", false, nil
	}
	if status != 200 {
		return "", true, fmt.Errorf("status of %s: %d %s", id, status, answer)
	}
	var job struct {
		Status events.Status `json:"status"`
	}
	err = json.Unmarshal(answer, &job)
	return job.Status, true, err
}

// download checks that a job's file is a PDF. answered is false if the node asked to
// retry later.
func (c client) download(address string, id events.JobID) (answered bool, err error) {
	status, answer, err := c.do("GET", address+"/jobs/"+id.String()+"/download", nil)
	if status == 429 && strings.Contains(string(answer), "RATE_LIMIT_EXCEEDED") {
		return false, nil
	}
	if err == nil && (status != 200 || !strings.HasPrefix(string(answer), "%PDF-")) {
		err = fmt.Errorf("download of %s: %d %.40q", id, status, answer)
	}
	return true, err
}
