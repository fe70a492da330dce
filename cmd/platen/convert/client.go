package convert

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"
)

// client calls the HTTP API of a server with one key.
type client struct {
	base, key string
	http      *http.Client
	pause     time.Duration // before the second attempt; each further pause is longer by it
	// say is told what is waited for when that has lasted for quiet, and again when it changes; nil is told nothing.
	say   func(string)
	quiet time.Duration
}

// callTime is how long one request may take.
const callTime = 2 * time.Minute

func newClient(base, key string) client {
	return client{strings.TrimRight(base, "/"), key, &http.Client{Timeout: callTime}, time.Second / 2, nil, 2 * time.Second}
}

// made is a finished job.
type made struct {
	Status   string  `json:"status"`
	Error    *string `json:"error_code"`
	Detail   *string `json:"error_detail"`
	Pages    *int    `json:"pages_count"`
	Warnings []struct {
		Detail string `json:"detail"`
	} `json:"warnings"`
}

// convert makes the server convert a body by the operation at a path, and returns the file. It waits while the server has work to do, until ctx ends.
func (c client) convert(ctx context.Context, path string, body []byte) (file []byte, job made, err error) {
	id, err := c.submit(ctx, path, body)
	if err != nil {
		return nil, job, err
	}
	if job, err = c.await(ctx, id); err != nil {
		return nil, job, err
	}
	if job.Status != "done" {
		return nil, job, fmt.Errorf("%s: %s", deref(job.Error), cmp.Or(deref(job.Detail), "the conversion failed"))
	}
	file, err = c.call(ctx, "GET", "/jobs/"+id+"/download", nil, "")
	return file, job, err
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func (c client) submit(ctx context.Context, path string, body []byte) (id string, err error) {
	answer, err := c.call(ctx, "POST", path, body, rand.Text())
	if err != nil {
		return "", err
	}
	var created struct {
		ID string `json:"job_id"`
	}
	err = json.Unmarshal(answer, &created)
	return created.ID, err
}

// Pauses between polls of a job.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

func (c client) await(ctx context.Context, id string) (job made, err error) {
	begun, said := time.Now(), ""
	for pause := firstPause; ; pause = min(pause*5/4, lastPause) {
		answer, err := c.call(ctx, "GET", "/jobs/"+id, nil, "")
		if err == nil {
			err = json.Unmarshal(answer, &job)
		}
		if err != nil || job.Status == "done" || job.Status == "failed" {
			return job, err
		}
		if c.say != nil && job.Status != said && time.Since(begun) >= c.quiet {
			said = job.Status
			c.say(fmt.Sprintf("job %s: %s", id, said))
		}
		if err := wait(ctx, pause); err != nil {
			return job, err
		}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// attempts is how often a request is sent that gets no answer, or an answer that says to wait. A submit has the same key each time, and so makes one
// job.
const attempts = 5

// maxAnswer bounds a server's response, in bytes.
const maxAnswer = 256 << 20

// refusal is an answer that refuses a request.
type refusal struct {
	status int
	after  time.Duration
	text   string
}

// Error implements error.
func (r *refusal) Error() string { return r.text }

func (r *refusal) passes() bool {
	return r.status == 429 || r.status == 502 || r.status == 503 || r.status == 504
}

// call sends a request until it is answered, and returns the body of a 2xx.
func (c client) call(ctx context.Context, method, path string, body []byte, once string) (answer []byte, err error) {
	for n := 1; ; n++ {
		answer, err = c.once(ctx, method, path, body, once)
		var r *refusal
		refused := errors.As(err, &r)
		if err == nil || n == attempts || ctx.Err() != nil || refused && !r.passes() {
			return answer, err
		}
		pause := time.Duration(n) * c.pause
		if refused {
			pause = max(pause, r.after)
		}
		if c.say != nil && pause >= c.quiet {
			c.say(fmt.Sprintf("%v; trying again in %.0f s", err, pause.Seconds()))
		}
		if wait(ctx, pause) != nil {
			return answer, err
		}
	}
}

func (c client) once(ctx context.Context, method, path string, body []byte, once string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-API-Key", c.key)
	if once != "" {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", once)
	}
	answer, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxAnswer:
		return nil, fmt.Errorf("the answer has more than %d bytes", maxAnswer)
	case answer.StatusCode/100 != 2:
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		return nil, &refusal{answer.StatusCode, time.Duration(seconds) * time.Second, problemText(answer.Status, text)}
	}
	return text, nil
}

// problemText returns the text of a problem, for people.
func problemText(status string, body []byte) string {
	var p struct {
		Title  string `json:"title"`
		Detail any    `json:"detail"`
	}
	if json.Unmarshal(body, &p) != nil {
		return fmt.Sprintf("%s: %.300q", status, body)
	}
	violations, listed := p.Detail.([]any)
	if !listed {
		return fmt.Sprintf("%s: %v", cmp.Or(p.Title, status), p.Detail)
	}
	lines := make([]string, 0, len(violations))
	for _, v := range violations {
		lines = append(lines, violationText(v))
	}
	return strings.Join(lines, "; ")
}

// violationText says what is wrong with one field, by the name of its flag, and by its place within the flag's value.
func violationText(v any) string {
	fields, _ := v.(map[string]any)
	steps, _ := fields["loc"].([]any)
	path := make([]string, 0, len(steps))
	for _, step := range steps {
		path = append(path, fmt.Sprint(step))
	}
	name, within := flagName(strings.Join(path, ".")), ""
	for n := len(path) - 1; n > 0 && allFlags().Lookup(name) == nil; n-- {
		name, within = flagName(strings.Join(path[:n], ".")), strings.Join(path[n:], ".")+": "
	}
	switch {
	case allFlags().Lookup(name) != nil:
		return fmt.Sprintf("--%s: %s%v", name, within, fields["msg"])
	case len(path) == 2: // the input or a group of options, which has no flag
		return fmt.Sprint(fields["msg"])
	}
	return fmt.Sprintf("%s: %v", strings.TrimPrefix(strings.Join(path, "."), "body."), fields["msg"])
}

// allFlags are those of all options.
var allFlags = sync.OnceValue(func() *pflag.FlagSet { return declare(pflag.NewFlagSet("convert", pflag.ContinueOnError)).flags })
