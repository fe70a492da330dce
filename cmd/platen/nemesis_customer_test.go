//go:build integration

package main

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

// callerServer is the callers' own server. It receives their webhooks and their files, and refuses
// some of the first attempts.
type callerServer struct {
	s         *storm
	url       string
	authority string // the PEM file of the authority that signed its certificate

	mu       sync.Mutex // guards what follows
	rand     *rand.Rand
	asked    map[string]bool // paths
	webhooks map[string]receivedWebhook
	files    map[int][]byte // by the numbers of their jobs
}

// receivedWebhook is the webhook of a job.
type receivedWebhook struct {
	id, body string
	times    int
}

func startCallerServer(s *storm) *callerServer {
	address := s.network.Host("self").Addr.String()
	c := testkit.MakeCertificates(s.t, net.ParseIP(address))
	server := &callerServer{
		s: s, url: "https://" + address, authority: c.Authority, rand: s.rand(3000),
		asked: map[string]bool{}, webhooks: map[string]receivedWebhook{}, files: map[int][]byte{},
	}
	pair, err := tls.LoadX509KeyPair(c.Server, c.Key)
	s.must(err)
	listener, err := tls.Listen("tcp", address+":443", &tls.Config{Certificates: []tls.Certificate{pair}})
	s.must(err)
	go func() { _ = http.Serve(listener, server) }() // ends with the world
	return server
}

// ServeHTTP implements http.Handler.
func (c *callerServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	content, err := io.ReadAll(r.Body)
	if err != nil {
		return // the node went away
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Method == http.MethodPut {
		c.put(r, content)
	} else {
		c.receive(r, string(content))
	}
	first := !c.asked[r.URL.Path]
	c.asked[r.URL.Path] = true
	if first && c.rand.IntN(6) == 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

func (c *callerServer) put(r *http.Request, content []byte) {
	n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/file/"))
	if err == nil {
		err = jobOf(n).check(content)
	}
	if err != nil {
		c.s.fault("wrong file", "%s was put: %v", r.URL.Path, err)
	}
	c.files[n] = content
}

// receive checks that a job has one webhook, however often it comes.
func (c *callerServer) receive(r *http.Request, body string) {
	var fields struct {
		Job string `json:"job_id"`
	}
	if err := json.Unmarshal([]byte(body), &fields); err != nil {
		c.s.fault("wrong webhook", "%q: %v", body, err)
		return
	}
	got := receivedWebhook{r.Header.Get("Webhook-Id"), body, 1}
	if before, again := c.webhooks[fields.Job]; again {
		if before.id != got.id || before.body != body {
			c.s.fault("wrong webhook", "first %s %s, then %s %s", before.id, before.body, got.id, body)
		}
		got.times += before.times
	}
	c.webhooks[fields.Job] = got
}

func (c *callerServer) webhook(id events.JobID) receivedWebhook {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.webhooks[id.String()]
}

func (c *callerServer) file(n int) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.files[n]
}

// delivers reports whether the file of job number n goes to the caller's server.
func delivers(n int) bool { return n%7 == 0 }

// announced adds the webhook and the delivery of job number n to its request.
func (c *callerServer) announced(body map[string]any, n int) map[string]any {
	body["webhook_url"] = fmt.Sprintf("%s/webhook/%d", c.url, n)
	if delivers(n) {
		body["delivery"] = map[string]any{"url": fmt.Sprintf("%s/file/%d", c.url, n)}
	}
	return body
}

// toldJob is a job whose outcome its caller is told, as the journal has it.
type toldJob struct {
	delivered bool   // its file goes to the caller's server
	file      string // the stored file on its way, "" once it is deleted
	attempts  int    // to send the webhook
	outcome   events.WebhookOutcome
	next      events.Instant
}

// auditWebhooks folds the journal. It has the jobs with a webhook.
func (s *storm) auditWebhooks(l eventlog.Log) map[events.JobID]*toldJob {
	all := map[events.JobID]*toldJob{}
	eachAccepted(s.t, l, func(e events.Envelope) {
		for _, ev := range e.Events {
			s.auditWebhook(all, ev)
		}
	})
	return all
}

func (s *storm) auditWebhook(all map[events.JobID]*toldJob, ev events.Event) {
	switch ev := ev.(type) {
	case events.JobQueued:
		if len(ev.Webhook) > 0 {
			all[ev.Job] = &toldJob{delivered: ev.Delivered}
		}
	case events.UploadBegun:
		all[ev.Job].file = ev.File.Name
	case events.FileDeleted:
		if w := all[ev.Job]; w != nil {
			w.file = ""
		}
	case events.WebhookAttempted:
		w := all[ev.Job]
		if w == nil || w.outcome != "" || ev.Number != w.attempts+1 {
			s.fault("wrong in the journal", "job %s: %+v after %+v", ev.Job, ev, w)
			return
		}
		w.attempts, w.outcome, w.next = ev.Number, ev.Outcome, ev.Next
	}
}

// retrySoon is longer than the pause before the second attempt to send a webhook, and shorter than
// that before the third.
const retrySoon = 30 * time.Second

// toldPatience is longer than a deletion that failed waits before it is tried again.
const toldPatience = 2 * time.Minute

// checkWebhooks checks that the outcome of each job has arrived, or its next attempt has a time, and
// that no delivered file is kept.
func (s *storm) checkWebhooks(l eventlog.Log) (all map[events.JobID]*toldJob) {
	var open, waiting []string
	s.pass(toldPatience, func() bool {
		all, open, waiting = s.auditWebhooks(l), nil, nil
		for id, w := range all {
			switch {
			case w.file != "":
				open = append(open, id.String())
			case w.outcome == events.WebhookDelivered:
			case w.next > events.At(time.Now().Add(retrySoon)):
				waiting = append(waiting, id.String())
			default:
				open = append(open, id.String())
			}
		}
		return len(open) == 0
	})
	if len(open) > 0 {
		s.fault("no webhook", "%d jobs have ended, and nobody was told, or their delivered files are kept: %.500s", len(open), strings.Join(open, " "))
	}
	twice := 0
	for id, w := range all {
		got := s.callers.webhook(id)
		if w.outcome == events.WebhookDelivered && got.times == 0 {
			s.fault("no webhook", "that of job %s counts as delivered, and nobody received it", id)
		}
		if got.times > 1 {
			twice++
		}
	}
	s.say("%d webhooks: %d arrived more than once, %d wait for their next attempt", len(all), twice, len(waiting))
	return all
}

// checkDelivered checks that a delivered file is the caller's, and is not kept. The clients do not
// know the number of a job whose response was lost.
func (s *storm) checkDelivered(id events.JobID, job crowdJob, known bool) {
	if known && s.callers.file(job.number) == nil {
		s.fault("wrong file", "that of job %s, number %d, was delivered and has not arrived", id, job.number)
	}
}
