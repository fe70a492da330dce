package main

import (
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/command"
	"platen.dev/actors/shard"
	"platen.dev/edge/apikey"
	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// TestDrain stops a node with SIGTERM while jobs wait and render: it must say that
// it is not ready, end well, and its next start must finish what it accepted.
func TestDrain(t *testing.T) {
	h := newHome(t, "--dev")
	p := h.start(t)
	key := client{h.devKey(t, events.PlanBusiness)}
	w := startWorkload(t, key)
	w.up(p.address)
	w.allow(40)
	w.await(t, "some jobs are done", func() bool { return w.done > 0 && len(w.jobs) >= 20 })
	if got := readiness(p.address); got != 200 {
		t.Errorf("/readyz before the signal: got %d, want 200", got)
	}
	began := time.Now()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a node that stops is ready", func() bool { return readiness(p.address) != 200 })
	p.awaitStopped(t)
	w.down(p.address)
	accepted, done := w.progress()
	t.Logf("stopped after %s with %d jobs accepted, %d seen done", time.Since(began).Round(time.Millisecond), accepted, done)
	p = h.start(t)
	w.up(p.address)
	w.await(t, "all jobs are done", func() bool { return len(w.jobs) == 40 && w.done == 40 })
	w.stop()
	w.checkFaults(t)
	checkSettled(t, h, p, key, w)
}

// readiness is the status of /readyz to a new connection, 0 when it is refused.
func readiness(address string) int {
	fresh := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := fresh.Get(address + "/readyz")
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// TestStopWithSilentConnections keeps connections open on which nothing is ever
// sent, as load balancers do: they must not hold up a node that stops.
func TestStopWithSilentConnections(t *testing.T) {
	h := newHome(t)
	p := h.start(t)
	for range 3 {
		connect(t, strings.TrimPrefix(p.address, "http://"))
	}
	began := time.Now()
	p.stop(t)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the node took %s to stop", took)
	}
}

// connect opens a connection and holds it for the length of the test.
func connect(t *testing.T, address string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
}

// TestStartOfALostRender finds in the log a StartRender of a node that died before
// it was decided: the job must be taken from that node at once, not at its deadline.
func TestStartOfALostRender(t *testing.T) {
	h := newHome(t, "--dev")
	h.start(t).stop(t)
	key := client{h.devKey(t, events.PlanBusiness)}
	hash, _ := apikey.Hash(key.key)
	job := events.NewJobID()
	h.withLog(t, func(l eventlog.Log) {
		sendAll(t, l, "acc_dev_business",
			events.Submission{SubmitJob: events.SubmitJob{Job: job, Key: demoKeyID(hash), Operation: events.HTMLToPDF}, Content: events.Content{HTML: "<p>x</p>", Print: events.PrintOptions{Format: "A4"}}},
			events.StartRender{Job: job, Attempt: events.NewAttemptID(), Node: "node-dead"})
	})
	p := h.start(t)
	awaitFile(t, key, p.address, job)
	p.stop(t)
	h.books(t).check(t, []events.JobID{job})
}

// sendAll appends commands to an account's shard and waits until they are durable.
func sendAll(t *testing.T, l eventlog.Log, account events.AccountID, bodies ...events.CommandBody) {
	t.Helper()
	durable := make(chan error, len(bodies))
	for _, body := range bodies {
		c := events.Command{ID: events.NewCommandID(), Account: account, At: events.At(time.Now()), Body: body}
		command.Append(l, c, func(_ int64, err error) { durable <- err })
	}
	for range bodies {
		if err := <-durable; err != nil {
			t.Fatal(err)
		}
	}
}

// TestLostReply sends a command whose reply cannot reach the one who waits for it:
// the read model must tell, long before patience ends.
func TestLostReply(t *testing.T) {
	cfg := NewConfig()
	cfg.Data, cfg.Listen = t.TempDir(), "127.0.0.1:0"
	quiet := slog.New(slog.DiscardHandler)
	n, err := Start(t.Context(), cfg, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = n.Close() }()
	elsewhere := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet }))
	elsewhere.ProcessRegistry.Address = "127.0.0.1:1"
	unreachable, err := shard.NewGateway(shard.GatewayConfig{Log: n.log, Replica: n.replica, System: elsewhere, Patience: replyPatience, Now: n.now})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	reply, err := unreachable.Do("acc_test", events.CreateAccount{Plan: events.PlanFree, Anchor: 1})
	if err != nil || reply.Code != events.Accepted {
		t.Errorf("got %v %v, want accepted", reply, err)
	}
	if took := time.Since(began); took > replyPatience/2 {
		t.Errorf("the reply came after %s", took)
	}
}

// TestOneNodePerDirectory starts a second node on a data directory in use.
func TestOneNodePerDirectory(t *testing.T) {
	h := newHome(t)
	p := h.start(t)
	second := h.launch(t)
	if err := <-second.exited; err == nil {
		t.Error("a second node on the same directory ended without an error")
	}
	if got := second.out.text(); !strings.Contains(got, "start log") || !strings.Contains(got, h.data) || !strings.Contains(got, "another platen uses the directory") {
		t.Errorf("the second node wrote %q, which does not say that another process holds %s", got, h.data)
	}
	if got := readiness(p.address); got != 200 {
		t.Errorf("the first node: got readiness %d, want 200", got)
	}
	if got := h.admin(t, "account", "list"); !strings.Contains(got, "ACCOUNT") {
		t.Errorf("the first node's admin interface answers %q", got)
	}
}

// TestUnreachableKafka starts a node whose brokers are not there.
func TestUnreachableKafka(t *testing.T) {
	nobody := freePorts(t, 1)[0]
	cfg := NewConfig()
	cfg.Data, cfg.Kafka.Brokers = t.TempDir(), []string{nobody}
	began := time.Now()
	_, err := Start(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "start log") || !strings.Contains(err.Error(), nobody) {
		t.Errorf("got %v, want an error that names the log and %s", err, nobody)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s to say so", took)
	}
}

// TestEgress renders a page with an image of this machine's, which is fetched only
// where the operator allows it.
func TestEgress(t *testing.T) {
	for name, tc := range map[string]struct {
		flags   []string
		fetched bool
	}{
		"refused": {nil, false},
		"allowed": {[]string{"--egress-allow", "127.0.0.0/8"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var fetches atomic.Int64
			site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { fetches.Add(1) }))
			defer site.Close()
			h := newHome(t, append([]string{"--dev"}, tc.flags...)...)
			p := h.start(t)
			key := client{h.devKey(t, events.PlanFree)}
			id, status, err := key.post(p.address+"/html-to-pdf", map[string]string{"html": `<p>x</p><img src="` + site.URL + `/x.png">`})
			if status != 202 {
				t.Fatalf("submit: %d %v", status, err)
			}
			awaitFile(t, key, p.address, id)
			if got := fetches.Load() > 0; got != tc.fetched {
				t.Errorf("fetched: got %v, want %v", got, tc.fetched)
			}
		})
	}
}

// TestDevKeys starts a node twice: the demo keys are made once, for every plan, and
// for their owner's eyes only.
func TestDevKeys(t *testing.T) {
	h := newHome(t, "--dev")
	var files [2]string
	for i := range files {
		p := h.start(t)
		b, err := os.ReadFile(devKeysPath(h.data))
		if err != nil {
			t.Fatal(err)
		}
		files[i] = string(b)
		for _, plan := range events.Plans() {
			if got := authenticated(p.address, h.devKey(t, plan)); got != 404 {
				t.Errorf("start %d, key of %s: got %d, want 404 for a job that is not there", i, plan, got)
			}
			if got := strings.Count(h.admin(t, "key", "list", "acc_dev_"+string(plan)), "key_dev_"); got != 1 {
				t.Errorf("start %d: account of %s has %d keys, want 1", i, plan, got)
			}
		}
		p.stop(t)
	}
	if files[0] != files[1] {
		t.Errorf("the keys changed with a restart")
	}
	info, err := os.Stat(devKeysPath(h.data))
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode of the key file: got %v %v, want -rw-------", info.Mode(), err)
	}
}

// authenticated asks for a job that is not there: 404 to a valid key, 401 to another.
func authenticated(address, key string) int {
	status, _, _ := client{key}.do("GET", address+"/jobs/"+events.NewJobID().String(), nil)
	return status
}
