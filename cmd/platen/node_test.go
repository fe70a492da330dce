package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"platen.dev/actors/command"
	"platen.dev/actors/shard"
	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events"
	"platen.dev/events/apikey"
	"platen.dev/events/contract"
	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

// TestDrain stops a node with SIGTERM while jobs wait and render. The node must report
// that it is not ready and end with status 0, and its next start must finish what it
// accepted.
func TestDrain(t *testing.T) {
	testkit.Long(t)
	m := newMachine(t, "--dev")
	p := m.start(t)
	key := client{m.devKey(t, events.PlanBusiness)}
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
	testkit.Eventually(t, "a node that stops is not ready", func() bool { return readiness(p.address) != 200 })
	p.awaitStopped(t)
	w.down(p.address)
	accepted, done := w.progress()
	t.Logf("stopped after %s with %d jobs accepted, %d seen done", time.Since(began).Round(time.Millisecond), accepted, done)
	p = m.start(t)
	w.up(p.address)
	w.await(t, "all jobs are done", func() bool { return len(w.jobs) == 40 && w.done == 40 })
	w.stop()
	w.checkFaults(t)
	checkSettled(t, m, p, key, w)
}

// readiness returns the status of /readyz on a new connection, 0 if the connection is
// refused.
func readiness(address string) int {
	fresh := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := fresh.Get(address + "/readyz")
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// TestStopWithSilentConnections keeps connections open on which nothing is ever sent, as
// load balancers do. They must not delay a node that stops.
func TestStopWithSilentConnections(t *testing.T) {
	m := newMachine(t)
	p := m.start(t)
	for range 3 {
		connect(t, strings.TrimPrefix(p.address, "http://"))
	}
	began := time.Now()
	p.stop(t)
	if took := time.Since(began); took > 20*time.Second { // a node that waits for them takes all of its 25 s
		t.Errorf("the node took %s to stop", took)
	}
}

// connect opens a connection and keeps it open until the test ends.
func connect(t *testing.T, address string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
}

// TestStartOfALostRender puts into the log a StartRender of a node that died before it
// was decided. The job must be taken from that node at once, not at the attempt's
// deadline.
func TestStartOfALostRender(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // nodes in processes of their own
	m := newMachine(t, "--dev")
	m.start(t).stop(t)
	key := client{m.devKey(t, events.PlanBusiness)}
	hash, _ := apikey.Hash(key.key)
	job := events.NewJobID()
	m.withLog(t, func(l eventlog.Log) {
		sendAll(t, l, "acc_dev_business",
			events.Submission{SubmitJob: events.SubmitJob{Job: job, Key: node.DevKeyID(hash), Operation: events.HTMLToPDF}, Content: events.Content{HTML: "<p>x</p>", Print: events.PrintOptions{Paper: contract.Paper{Format: "A4"}}}},
			events.StartRender{Job: job, Attempt: events.NewAttemptID(), Node: "node-dead"})
	})
	p := m.start(t)
	awaitFile(t, key, p.address, job)
	p.stop(t)
	m.audit(t).check(t, []events.JobID{job})
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

// TestLostReply sends a command whose reply cannot reach the gateway. The gateway must
// find it in the read model, long before testkit.Patience ends.
func TestLostReply(t *testing.T) {
	n := nodetest.Start(t, nodetest.Config(t), node.Options{})
	elsewhere := testkit.System(t)
	elsewhere.ProcessRegistry.Address = "127.0.0.1:1"
	unreachable, err := shard.NewGateway(shard.GatewayConfig{Log: n.Log(), Replica: n.Replica(), System: elsewhere, Patience: node.ReplyTimeout, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	reply, err := unreachable.Do("acc_test", events.CreateAccount{Plan: events.PlanFree, Anchor: 1})
	if err != nil || reply.Code != events.Accepted {
		t.Errorf("got %v %v, want accepted", reply, err)
	}
	if took := time.Since(began); took > node.ReplyTimeout/2 {
		t.Errorf("the reply came after %s", took)
	}
}

// TestOneNodePerDirectory starts a second node on a data directory that is in use.
func TestOneNodePerDirectory(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // nodes in processes of their own
	m := newMachine(t)
	p := m.start(t)
	second := m.launch(t)
	if err := <-second.exited; err == nil {
		t.Error("a second node on the same directory ended without an error")
	}
	if got := second.out.Text(); !strings.Contains(got, "start data directory") || !strings.Contains(got, m.data) || !strings.Contains(got, "another platen uses the directory") {
		t.Errorf("the second node wrote %q, which does not say that another process holds %s", got, m.data)
	}
	if got := readiness(p.address); got != 200 {
		t.Errorf("the first node: got readiness %d, want 200", got)
	}
	if got := m.admin(t, "account", "list"); !strings.Contains(got, "ACCOUNT") {
		t.Errorf("the first node's admin interface answers %q", got)
	}
}

// TestUnreachableKafka starts a node whose brokers do not exist.
func TestUnreachableKafka(t *testing.T) {
	nobody := testkit.FreePorts(t, 1)[0]
	cfg := nodetest.Config(t)
	cfg.Kafka.Brokers = []string{nobody}
	began := time.Now()
	_, err := node.Start(t.Context(), cfg, node.Options{})
	if err == nil || !strings.Contains(err.Error(), "start log") || !strings.Contains(err.Error(), nobody) {
		t.Errorf("got %v, want an error that names the log and %s", err, nobody)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s to say so", took)
	}
}

// TestEgress renders a page with an image from this machine, which is fetched only if the
// operator allows it.
func TestEgress(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // nodes in processes of their own
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
			m := newMachine(t, append([]string{"--dev"}, tc.flags...)...)
			p := m.start(t)
			key := client{m.devKey(t, events.PlanPro)}
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

// TestDevKeys starts a node twice. The demo keys are made once, for every plan, in a file
// that only its owner may read.
func TestDevKeys(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // nodes in processes of their own
	m := newMachine(t, "--dev")
	var files [2]string
	for i := range files {
		p := m.start(t)
		b, err := os.ReadFile(node.DevKeysPath(m.data))
		if err != nil {
			t.Fatal(err)
		}
		files[i] = string(b)
		for _, plan := range events.Plans() {
			if got := authenticated(p.address, m.devKey(t, plan)); got != 404 {
				t.Errorf("start %d, key of %s: got %d, want 404 for a job that is not there", i, plan, got)
			}
			if got := strings.Count(m.admin(t, "key", "list", "acc_dev_"+string(plan)), "key_dev_"); got != 1 {
				t.Errorf("start %d: account of %s has %d keys, want 1", i, plan, got)
			}
		}
		p.stop(t)
	}
	if files[0] != files[1] {
		t.Errorf("the keys changed with a restart")
	}
	info, err := os.Stat(node.DevKeysPath(m.data))
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode of the key file: got %v %v, want -rw-------", info.Mode(), err)
	}
}

// authenticated asks for a job that does not exist: 404 for a valid key, 401 for any
// other.
func authenticated(address, key string) int {
	status, _, _ := client{key}.do("GET", address+"/jobs/"+events.NewJobID().String(), nil)
	return status
}
