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
	idle      time.Duration // how long a request may make no progress
	pause     time.Duration // before the second attempt; each further pause is longer by it
	// say is told what is waited for when that has lasted for quiet, and again when it changes; nil is told nothing.
	say   func(string)
	quiet time.Duration
	own   *own // nil for another's server
}

// own is the server of a process that nobody else uses.
type own struct {
	// full returns why it takes no jobs, stuck why it renders none; nil if it does. A conversion fails by either instead of waiting.
	full, stuck func() error
	// fetched is told the id of a job whose file has come.
	fetched func(id string)
}

// idleTime is how long a request may make no progress: nothing of it is sent, and nothing of the answer comes.
const idleTime = 2 * time.Minute

func newClient(base, key string) client {
	return client{base: strings.TrimRight(base, "/"), key: key, http: &http.Client{CheckRedirect: stay}, idle: idleTime, pause: time.Second / 2, quiet: 2 * time.Second}
}

// stay refuses redirects to another server: it would be sent the key. One from http to https of the same host is followed.
func stay(req *http.Request, via []*http.Request) error {
	switch from, to := via[0].URL, req.URL; {
	case len(via) >= 10:
		return &refusal{text: "the server redirects too often"}
	case from.Scheme == to.Scheme && from.Host == to.Host, from.Scheme == "http" && to.Scheme == "https" && from.Hostname() == to.Hostname():
		return nil
	default:
		return &refusal{text: fmt.Sprintf("the server redirects to %s://%s: if that is meant, name it with --server", to.Scheme, to.Host)}
	}
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
	if c.own != nil {
		if err := c.own.full(); err != nil {
			return nil, job, fmt.Errorf("nothing can be converted: %w", err)
		}
	}
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
	if err == nil && c.own != nil {
		c.own.fetched(id)
	}
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
		if c.own != nil {
			if err := c.own.stuck(); err != nil {
				return job, fmt.Errorf("nothing can be rendered: %w", err)
			}
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
	after  time.Duration // how long the answer says to wait, 0 if it does not
	text   string
}

// Error implements error.
func (r *refusal) Error() string { return r.text }

// longestWait is the longest time that a request is held back for. A limit that lasts longer, as that of a month's quota, is better known.
const longestWait = 2 * time.Minute

// passes reports whether another attempt may succeed soon. Proxies limit without saying for how long.
func (r *refusal) passes() bool {
	switch r.status {
	case 429, 502, 503, 504:
		return r.after <= longestWait
	}
	return false
}

// refusalOf reads an answer that refuses a request.
func refusalOf(answer *http.Response, text []byte) *refusal {
	r := &refusal{status: answer.StatusCode, text: problemText(answer.Status, text)}
	told := answer.Header.Get("Retry-After")
	seconds, err := strconv.ParseInt(told, 10, 32)
	if r.after = time.Duration(seconds) * time.Second; err != nil {
		r.after = 0
		if at, err := http.ParseTime(told); err == nil {
			r.after = max(0, time.Until(at))
		}
	}
	if r.after > longestWait {
		r.text += fmt.Sprintf(" (the server says to try again in %s)", r.after.Round(time.Minute))
	}
	return r
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

// progress is a body of which every piece that is read is noticed.
type progress struct {
	io.Reader
	made func()
}

func (p progress) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if n > 0 {
		p.made()
	}
	return n, err
}

var errIdle = errors.New("the server does not answer")

func (c client) once(ctx context.Context, method, path string, body []byte, once string) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(c.idle, func() { cancel(errIdle) })
	defer idle.Stop()
	made := func() { idle.Reset(c.idle) }
	text, err := c.exchange(ctx, method, path, body, once, made)
	if err != nil && errors.Is(context.Cause(ctx), errIdle) {
		err = fmt.Errorf("%s: %w for %s", c.base, errIdle, c.idle)
	}
	return text, err
}

// exchange sends a request and reads its answer. made is called when something of them is on its way.
func (c client) exchange(ctx context.Context, method, path string, body []byte, once string, made func()) ([]byte, error) {
	sent := func() (io.ReadCloser, error) { return io.NopCloser(progress{bytes.NewReader(body), made}), nil }
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, nil)
	if err != nil {
		return nil, err
	}
	if len(body) > 0 {
		req.ContentLength, req.GetBody = int64(len(body)), sent
		req.Body, _ = sent()
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
	text, err := io.ReadAll(io.LimitReader(progress{answer.Body, made}, maxAnswer+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxAnswer:
		return nil, fmt.Errorf("the answer has more than %d bytes", maxAnswer)
	case answer.StatusCode/100 != 2:
		return nil, refusalOf(answer, text)
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
