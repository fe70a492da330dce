package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"platen.dev/actors/webhook"
	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// hook is a request that a receiver of webhooks got.
type hook struct {
	path   string
	header http.Header
	body   string
	fields map[string]any
}

// hooks receives webhooks and answers with a status.
type hooks struct {
	url    string
	got    chan hook
	status atomic.Int64
}

func newHooks(t *testing.T) *hooks {
	h := &hooks{got: make(chan hook, 100)}
	h.status.Store(200)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" { // a page to render
			return
		}
		b, _ := io.ReadAll(r.Body)
		got := hook{path: r.URL.String(), header: r.Header, body: string(b)}
		if err := json.Unmarshal(b, &got.fields); err != nil {
			t.Errorf("body %q: %v", b, err)
		}
		w.WriteHeader(int(h.status.Load()))
		h.got <- got
	}))
	t.Cleanup(s.Close)
	h.url = s.URL
	return h
}

func (h *hooks) next(t *testing.T) hook {
	t.Helper()
	select {
	case got := <-h.got:
		return got
	case <-testkit.Context(t).Done():
		t.Fatal("no webhook arrived")
		return hook{}
	}
}

// signed checks both signatures of a webhook as a receiver does, with one of the secrets.
func (h hook) signed(t *testing.T, secret string, position int) {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) != 32 {
		t.Fatalf("secret %q: %v", secret, err)
	}
	sum := func(key []byte, text string) []byte {
		m := hmac.New(sha256.New, key)
		m.Write([]byte(text))
		return m.Sum(nil)
	}
	at := h.header.Get("Webhook-Timestamp")
	standard := strings.Fields(h.header.Get("Webhook-Signature"))
	if want := "v1," + base64.StdEncoding.EncodeToString(sum(key, h.header.Get("Webhook-Id")+"."+at+"."+h.body)); len(standard) <= position || standard[position] != want {
		t.Errorf("webhook-signature %q, want %q at %d", standard, want, position)
	}
	older := strings.Split(h.header.Get("Acme-Signature"), ",")
	if want := "v1=" + hex.EncodeToString(sum([]byte(secret), at+"."+h.body)); len(older) <= position+1 || older[0] != "t="+at || older[position+1] != want {
		t.Errorf("Acme-Signature %q, want %q at %d", older, want, position+1)
	}
	if h.header.Get("Acme-Timestamp") != at {
		t.Errorf("Acme-Timestamp %q, want %q", h.header.Get("Acme-Timestamp"), at)
	}
}

// inProcessNode is a node with a clock of its own, which may reach loopback addresses.
type inProcessNode struct {
	cfg   node.Config
	ahead atomic.Int64
	said  *nodetest.Output // what it logs
	*node.Node
	*machine
	client
}

func startInProcessNode(t *testing.T, configure ...func(*node.Config)) *inProcessNode {
	n := &inProcessNode{cfg: nodetest.Config(t), said: nodetest.NewOutput()}
	n.cfg.EgressAllow, n.cfg.Dev = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, true
	n.cfg.PublicURL, n.cfg.WebhookPrefix = "https://pdf.example", "Acme"
	for _, change := range configure {
		change(&n.cfg)
	}
	n.start(t)
	n.machine = &machine{data: n.cfg.Data}
	n.client = client{n.machine.devKey(t, events.PlanBusiness)}
	return n
}

func (n *inProcessNode) start(t *testing.T) {
	t.Helper()
	now := func() time.Time { return time.Now().Add(time.Duration(n.ahead.Load())) }
	var err error
	if n.Node, err = node.Start(t.Context(), n.cfg, node.Options{Now: now, Logger: slog.New(slog.NewTextHandler(n.said, nil))}); err != nil {
		t.Fatal(err)
	}
	started := n.Node
	t.Cleanup(func() { _ = started.Close() }) // it may be closed already
}

func (n *inProcessNode) submit(t *testing.T, body map[string]any) events.JobID {
	t.Helper()
	id, status, err := n.client.post("http://"+n.Address()+"/html-to-pdf", body)
	if err != nil || status != 202 {
		t.Fatalf("submit: %d, %v", status, err)
	}
	return id
}

func (n *inProcessNode) account(t *testing.T) string {
	t.Helper()
	for line := range strings.Lines(n.machine.admin(t, "account", "list")) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[1] == "business" {
			return fields[0]
		}
	}
	t.Fatal("no account on the business plan")
	return ""
}

// A job's outcome is posted with the same id and body until the receiver accepts it, even across a
// restart of the node.
func TestWebhook(t *testing.T) {
	n, receiver := startInProcessNode(t), newHooks(t)
	secret := strings.TrimSpace(n.machine.admin(t, "webhook", "secret", "show", n.account(t)))
	receiver.status.Store(500)
	id := n.submit(t, map[string]any{"html": "<p>x</p>", "webhook_url": receiver.url + "/hook?token=Kr0kodil"})
	first := receiver.next(t)
	first.signed(t, secret, 0)
	want := map[string]any{
		"type": "job.finished", "job_id": id.String(), "status": "done", "test": false, "error_code": nil, "error_detail": nil, "pages_count": 1.0,
		"file_url": "https://pdf.example/jobs/" + id.String() + "/download", "timestamp": first.fields["finished_at"],
	}
	for name, value := range want {
		if first.fields[name] != value {
			t.Errorf("%s: %v, want %v", name, first.fields[name], value)
		}
	}
	if metrics, _ := first.fields["metrics"].(map[string]any); len(first.fields) != 14 || metrics["file_size_bytes"] == 0.0 || first.fields["expires_at"] == nil {
		t.Errorf("body %s", first.body)
	}
	if first.path != "/hook?token=Kr0kodil" || first.header.Get("Webhook-Id") == "" {
		t.Errorf("%s %v", first.path, first.header)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	n.ahead.Store(int64(6 * time.Second)) // after the first pause
	receiver.status.Store(204)
	n.start(t)
	second := receiver.next(t)
	second.signed(t, secret, 0)
	if second.body != first.body || second.header.Get("Webhook-Id") != first.header.Get("Webhook-Id") {
		t.Errorf("the second attempt differs:\n%s %s\n%s %s", first.header.Get("Webhook-Id"), first.body, second.header.Get("Webhook-Id"), second.body)
	}
	if first.header.Get("Webhook-Timestamp") == second.header.Get("Webhook-Timestamp") {
		t.Error("the second attempt has the signature of the first")
	}
	n.checkAttempts(t, id, first.header.Get("Webhook-Id"))
	if list := n.machine.admin(t, "webhook", "attempts", id.String()); strings.Count(list, "\n") != 3 || !strings.Contains(list, "delivered") {
		t.Errorf("attempts:\n%s", list)
	}
	n.machine.admin(t, "webhook", "redeliver", id.String())
	receiver.next(t).signed(t, secret, 0)
	testkit.Eventually(t, "the redelivery is recorded", func() bool {
		return strings.Count(n.machine.admin(t, "webhook", "attempts", id.String()), "delivered") == 2
	})
	if status, body, err := n.client.do("POST", n.jobURL(id)+"/webhooks/redeliver", nil); status != 202 {
		t.Errorf("redeliver: %d %s %v", status, body, err)
	}
	third := receiver.next(t)
	third.signed(t, secret, 0)
	if third.body != first.body || third.header.Get("Webhook-Id") != first.header.Get("Webhook-Id") {
		t.Errorf("the redelivery differs: %s %s", third.header.Get("Webhook-Id"), third.body)
	}
}

func (n *inProcessNode) jobURL(id events.JobID) string {
	return "http://" + n.Address() + "/jobs/" + id.String()
}

// checkAttempts waits until the log of a webhook shows a failure and a delivery.
func (n *inProcessNode) checkAttempts(t *testing.T, id events.JobID, webhook string) {
	t.Helper()
	var log struct {
		ID       string `json:"webhook_id"`
		Attempts []struct {
			Number, Status int
			Outcome        string
			Next           *string `json:"next_attempt_at"`
		}
	}
	testkit.Eventually(t, "both attempts are recorded", func() bool {
		status, body, err := n.client.do("GET", n.jobURL(id)+"/webhooks", nil)
		if err != nil || status != 200 || json.Unmarshal(body, &log) != nil {
			t.Fatalf("attempts: %d %s %v", status, body, err)
		}
		return len(log.Attempts) == 2
	})
	first, second := log.Attempts[0], log.Attempts[1]
	if log.ID != webhook || first.Number != 1 || first.Status != 500 || first.Outcome != "" || first.Next == nil ||
		second.Number != 2 || second.Status != 204 || second.Outcome != "delivered" || second.Next != nil {
		t.Errorf("attempts: %+v", log)
	}
}

// A receiver that is down for four days gets ten attempts, each with the same id and body, and the
// webhook is given up.
func TestWholeSchedule(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	n, receiver := startInProcessNode(t), newHooks(t)
	receiver.status.Store(500)
	id := n.submit(t, map[string]any{"html": "<p>x</p>", "webhook_url": receiver.url, "test": true})
	var first hook
	pauses := contract.WebhookPauses()
	for i := range pauses {
		got := receiver.next(t)
		if i == 0 {
			first = got
		}
		if got.body != first.body || got.header.Get("Webhook-Id") != first.header.Get("Webhook-Id") {
			t.Errorf("attempt %d: %s %s", i+1, got.header.Get("Webhook-Id"), got.body)
		}
		n.awaitAttempts(t, id, i+1)
		if i+1 < len(pauses) {
			n.ahead.Add(int64(pauses[i+1] * 11 / 10)) // the pause may be a tenth longer
		}
	}
	list := n.machine.admin(t, "webhook", "attempts", id.String())
	if strings.Count(list, "given-up") != 1 || strings.Count(list, "failed") != len(pauses)-1 {
		t.Errorf("attempts:\n%s", list)
	}
	n.ahead.Add(int64(48 * time.Hour))
	n.machine.admin(t, "account", "usage", n.account(t)) // the node has read and decided more by then
	if len(receiver.got) > 0 {
		t.Error("a webhook that was given up is sent")
	}
}

// An operator sends the webhooks of an account again: all since a time, or those that failed.
func TestRedeliverMany(t *testing.T) {
	n, receiver := startInProcessNode(t), newHooks(t)
	delivered := n.submit(t, map[string]any{"html": "<p>x</p>", "webhook_url": receiver.url, "test": true})
	receiver.next(t)
	n.awaitAttempts(t, delivered, 1)
	receiver.status.Store(500)
	failed := n.submit(t, map[string]any{"html": "<p>x</p>", "webhook_url": receiver.url, "test": true})
	receiver.next(t)
	n.awaitAttempts(t, failed, 1)
	n.submit(t, map[string]any{"html": "<p>x</p>", "test": true}) // without a webhook
	receiver.status.Store(200)
	of := n.account(t)
	for _, c := range []struct {
		flags []string
		want  []events.JobID
	}{
		{[]string{"--failed"}, []events.JobID{failed}},
		{[]string{"--failed", "--since", "1h"}, nil}, // it was delivered just now
		{[]string{"--since", "1h"}, []events.JobID{delivered, failed}},
		{[]string{"--since", time.Now().Add(time.Hour).Format(time.RFC3339)}, nil},
	} {
		said := n.machine.admin(t, append([]string{"webhook", "redeliver", "--account", of}, c.flags...)...)
		if want := fmt.Sprintf("%d webhooks of account %s are sent again\n", len(c.want), of); said != want {
			t.Errorf("%v: %q, want %q", c.flags, said, want)
		}
		got := map[any]bool{}
		for range c.want {
			got[receiver.next(t).fields["job_id"]] = true
		}
		for _, id := range c.want {
			if !got[id.String()] {
				t.Errorf("%v: job %s is missing in %v", c.flags, id, got)
			}
			n.awaitDelivered(t, id)
		}
	}
	var out, errs strings.Builder
	for _, args := range [][]string{{}, {"--failed"}, {"--account", of}, {"--account", of, "--since", "soon"}, {"--account", of, "--failed", failed.String()}, {events.NewJobID().String()}} {
		if err := run(append(append([]string{"admin", "webhook", "redeliver"}, args...), "--data", n.machine.data), &out, &errs); err == nil {
			t.Errorf("%v: accepted: %s", args, &out)
		}
	}
}

// awaitAttempts waits until a number of attempts to send a webhook is recorded.
func (n *inProcessNode) awaitAttempts(t *testing.T, id events.JobID, attempts int) {
	t.Helper()
	testkit.Eventually(t, "the attempts are recorded", func() bool {
		return strings.Count(n.machine.admin(t, "webhook", "attempts", id.String()), "\n") == attempts+1
	})
}

// awaitDelivered waits until the last attempt recorded is a delivery.
func (n *inProcessNode) awaitDelivered(t *testing.T, id events.JobID) {
	t.Helper()
	testkit.Eventually(t, "the delivery is recorded", func() bool {
		lines := strings.Split(strings.TrimSpace(n.machine.admin(t, "webhook", "attempts", id.String())), "\n")
		return strings.Contains(lines[len(lines)-1], "delivered")
	})
}

// Without a webhook there is nothing to show, and before the end nothing to send.
func TestNoWebhook(t *testing.T) {
	n := startInProcessNode(t)
	id := n.submit(t, map[string]any{"html": "<p>x</p>"})
	for _, c := range []struct{ method, path string }{{"GET", "/webhooks"}, {"POST", "/webhooks/redeliver"}} {
		if status, body, _ := n.client.do(c.method, n.jobURL(id)+c.path, nil); status != 404 || !strings.Contains(string(body), "NO_WEBHOOK") {
			t.Errorf("%s %s: %d %s", c.method, c.path, status, body)
		}
		if status, body, _ := n.client.do(c.method, n.jobURL(events.NewJobID())+c.path, nil); status != 404 || !strings.Contains(string(body), "JOB_NOT_FOUND") {
			t.Errorf("%s %s of an unknown job: %d %s", c.method, c.path, status, body)
		}
	}
	page := map[string]any{"url": "http://" + n.Address() + "/docs", "webhook_url": "https://example.com/", "render": map[string]any{"wait_after_load_ms": 10_000}}
	slow, status, err := n.client.post("http://"+n.Address()+"/url-to-pdf", page)
	if status != 202 {
		t.Fatalf("submit: %d %v", status, err)
	}
	if status, body, _ := n.client.do("POST", n.jobURL(slow)+"/webhooks/redeliver", nil); status != 409 || !strings.Contains(string(body), "JOB_NOT_ENDED") {
		t.Errorf("redeliver before the end: %d %s", status, body)
	}
}

// Failed jobs and test jobs report as well.
func TestWebhookOfOtherJobs(t *testing.T) {
	n, receiver := startInProcessNode(t), newHooks(t)
	n.submit(t, map[string]any{"html": "<p>x</p>", "webhook_url": receiver.url, "test": true})
	if got := receiver.next(t).fields; got["type"] != "job.finished" || got["test"] != true {
		t.Errorf("test job: %v", got)
	}
	page := map[string]any{"url": receiver.url, "webhook_url": receiver.url, "render": map[string]any{"wait_for_selector": "#never", "page_load_timeout_ms": 300}}
	_, status, err := n.client.post("http://"+n.Address()+"/url-to-pdf", page)
	if status != 202 {
		t.Fatalf("submit: %d %v", status, err)
	}
	if f := receiver.next(t).fields; f["type"] != "job.failed" || f["status"] != "failed" || f["error_code"] == nil || f["expires_at"] != nil || f["file_url"] != nil || f["metrics"] != nil {
		t.Errorf("failed job: %v", f)
	}
}

// During a rotation both secrets sign, the new one first; after it only the new one. Headers are
// sent until they are deleted.
func TestWebhookSettings(t *testing.T) {
	n, receiver := startInProcessNode(t), newHooks(t)
	account := n.account(t)
	old := strings.TrimSpace(n.machine.admin(t, "webhook", "secret", "show", account))
	n.machine.admin(t, "webhook", "headers", "set", account, "authorization", "Bearer first")
	n.machine.admin(t, "webhook", "headers", "set", account, "Authorization", "Bearer second")
	fresh := strings.Fields(n.machine.admin(t, "webhook", "secret", "rotate", account, "--overlap", "1h"))[0]
	job := map[string]any{"html": "<p>x</p>", "webhook_url": receiver.url}
	n.submit(t, job)
	got := receiver.next(t)
	got.signed(t, fresh, 0)
	got.signed(t, old, 1)
	if values := got.header.Values("Authorization"); len(values) != 1 || values[0] != "Bearer second" {
		t.Errorf("Authorization: %q", values)
	}
	if list := n.machine.admin(t, "webhook", "headers", "list", account); strings.TrimSpace(list) != "Authorization" {
		t.Errorf("headers: %s", list)
	}
	n.machine.admin(t, "webhook", "headers", "delete", account, "AUTHORIZATION")
	n.ahead.Store(int64(61 * time.Minute))
	n.submit(t, job)
	got = receiver.next(t)
	got.signed(t, fresh, 0)
	if n := len(strings.Fields(got.header.Get("Webhook-Signature"))); n != 1 || got.header.Get("Authorization") != "" {
		t.Errorf("after the rotation: %d signatures, Authorization %q", n, got.header.Get("Authorization"))
	}
	for _, wrong := range [][]string{
		{"secret", "rotate", account, "--overlap", "59m"},
		{"secret", "rotate", account, "--overlap", "121h"},
		{"secret", "show", "acc_none"},
		{"headers", "set", account, "Host", "x"},
		{"headers", "set", account, "Acme-Signature", "x"},
		{"headers", "delete", account, "X-None"},
	} {
		args := append(append([]string{"admin", "webhook"}, wrong...), "--data", n.cfg.Data)
		if err := run(args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
}

// Anything that arrives is shown with its verdict.
func TestShowWebhooks(t *testing.T) {
	secret := webhook.NewSecret()
	for name, c := range map[string]struct{ secret, body, want string }{
		"without a secret":  {"", "{}", "\n{}\n"},
		"a wrong signature": {secret, "{}", "the signature is wrong"},
		"no JSON":           {"", "\x1b[31m", `"\x1b[31m"`},
	} {
		var out strings.Builder
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/", strings.NewReader(c.body))
		r.Header.Set("webhook-timestamp", fmt.Sprint(time.Now().Unix()))
		showWebhooks(&out, c.secret, 503).ServeHTTP(w, r)
		if w.Code != 503 || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %d %q", name, w.Code, out.String())
		}
	}
	w := httptest.NewRecorder()
	showWebhooks(io.Discard, "", 204).ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat("x", maxWebhook+1))))
	if w.Code != 400 {
		t.Errorf("a body that is too large: %d", w.Code)
	}
	for _, wrong := range [][]string{{"webhook"}, {"webhook", "send"}, {"webhook", "listen", "x"}, {"webhook", "listen", "--answer", "100"}, {"webhook", "listen", "--answer", "600"}} {
		if err := run(wrong, io.Discard, io.Discard); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
}
