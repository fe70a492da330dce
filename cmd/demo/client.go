package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// client calls the HTTP API with one key. Its jobs report their outcome to hook.
type client struct{ base, key, hook string }

// job is the part of a JobStatusResponse that the demo reads.
type job struct {
	Status    string `json:"status"`
	Pages     int    `json:"pages_count"`
	ErrorCode string `json:"error_code"`
	Metrics   struct {
		Bytes int64 `json:"file_size_bytes"`
		Total int64 `json:"total_duration_ms"`
	} `json:"metrics"`
}

func (j job) ended() bool { return j.Status == "done" || j.Status == "failed" }

func (c *client) submit(ctx context.Context, d document) (id string, err error) {
	body, err := d.body(c.hook)
	if err != nil {
		return "", err
	}
	var created struct {
		JobID string `json:"job_id"`
	}
	b, err := c.do(ctx, http.MethodPost, "/"+d.operation, body, http.StatusAccepted)
	if err == nil {
		err = json.Unmarshal(b, &created)
	}
	return created.JobID, err
}

func (c *client) status(ctx context.Context, id string) (j job, err error) {
	b, err := c.do(ctx, http.MethodGet, "/jobs/"+id, nil, http.StatusOK)
	if err == nil {
		err = json.Unmarshal(b, &j)
	}
	return j, err
}

func (c *client) download(ctx context.Context, id string) ([]byte, error) {
	return c.do(ctx, http.MethodGet, "/jobs/"+id+"/download", nil, http.StatusOK)
}

// do sends a request and returns the body of a response with the wanted status; any other is an error.
func (c *client) do(ctx context.Context, method, path string, body []byte, want int) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-API-Key", c.key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode != want {
		return nil, fmt.Errorf("%s %s: %s: %.500s", method, path, resp.Status, text)
	}
	return text, nil
}
