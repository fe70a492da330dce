package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/valyala/fasthttp"
)

// A client asks for a job's status after firstPoll, and then at intervals growing up to lastPoll,
// like a considerate one.
const (
	firstPoll = 5 * time.Millisecond
	lastPoll  = 40 * time.Millisecond
)

// client is one user of the API, with its own connection.
type client struct {
	http *fasthttp.Client
	p    *process
	key  string
}

func newClient(p *process) *client {
	return &client{&fasthttp.Client{MaxConnsPerHost: 1}, p, p.key}
}

func (c *client) do(method, path, body string, want int) ([]byte, error) {
	status, answer, err := c.ask(method, path, body)
	if err == nil && status != want {
		err = fmt.Errorf("%s %s: %d %s", method, path, status, answer)
	}
	return answer, err
}

func (c *client) ask(method, path, body string) (status int, answer []byte, err error) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(c.p.base + path)
	req.Header.SetMethod(method)
	req.Header.Set("X-API-Key", c.key)
	req.SetBodyString(body)
	if err := c.http.Do(req, resp); err != nil {
		return 0, nil, err
	}
	return resp.StatusCode(), append([]byte(nil), resp.Body()...), nil
}

func (c *client) get(path string) ([]byte, error) { return c.do("GET", path, "", 200) }

func (c *client) submit(body string) (id string, err error) { return c.create("html-to-pdf", body) }

func (c *client) create(operation, body string) (id string, err error) {
	b, err := c.do("POST", "/"+operation, body, 202)
	if err != nil {
		return "", err
	}
	return jobID(b)
}

// jobID returns the job that a response names; "" if it names none.
func jobID(body []byte) (string, error) {
	var named struct {
		JobID string `json:"job_id"`
	}
	err := json.Unmarshal(body, &named)
	return named.JobID, err
}

// wait polls until the job is done.
func (c *client) wait(id string) ([]byte, error) {
	for pause := firstPoll; ; pause = min(pause*3/2, lastPoll) {
		b, err := c.get("/jobs/" + id)
		if err != nil {
			return nil, err
		}
		var job struct{ Status string }
		if err := json.Unmarshal(b, &job); err != nil {
			return nil, err
		}
		switch job.Status {
		case "done":
			return b, nil
		case "failed":
			return nil, fmt.Errorf("job failed: %s", b)
		}
		time.Sleep(pause)
	}
}
