package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// The responses to many concurrent requests, with the node killed in between, must be
// those of a service that handles one request after another. The clients record
// histories, and porcupine checks that they are linearizable.

// outcome is the end of one request as its client saw it.
type outcome struct {
	// status is 0 if no response came: the request may have taken effect or not. It is
	// void if it certainly had none, because it was never sent or was refused before it
	// was decided.
	status   int
	void     bool
	job      string
	replayed bool
	code     string
}

// history records requests with their outcomes.
type history struct {
	mu    sync.Mutex
	began time.Time
	ops   []porcupine.Operation
}

func (h *history) record(client int, call func() outcome) outcome {
	start := time.Since(h.began)
	o := call()
	end := time.Since(h.began)
	if o.status == 0 { // it may take effect at any later time
		end = 1 << 62
	}
	if o.void {
		return o
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: nil, Call: int64(start), Output: o, Return: int64(end)})
	return o
}

// dropRepeatedUnanswered keeps only the first of the requests without a response. They
// are equal, so any effect of another one may be the effect of the first. Without this
// the search would try them in every order.
func (h *history) dropRepeatedUnanswered() {
	first := slices.MinFunc(h.ops, func(a, b porcupine.Operation) int { return cmp.Compare(doubt(a), doubt(b)) })
	h.ops = slices.DeleteFunc(h.ops, func(op porcupine.Operation) bool {
		return op.Output.(outcome).status == 0 && op.Call != first.Call
	})
}

func doubt(op porcupine.Operation) int64 {
	if op.Output.(outcome).status == 0 {
		return op.Call
	}
	return 1 << 62
}

// narrow shrinks each request with a response to one moment. Both models only ever grow,
// so this changes no verdict: if an acceptance is possible at all, it is possible when
// the request was sent; if a replay or a refusal is, then when the response came.
func (h *history) narrow() {
	for i, op := range h.ops {
		switch o := op.Output.(outcome); {
		case o.status == 202 && !o.replayed:
			h.ops[i].Return = op.Call
		case o.status != 0:
			h.ops[i].Call = op.Return
		}
	}
}

// check checks the history against a model.
func (h *history) check(t *testing.T, model porcupine.NondeterministicModel) {
	t.Helper()
	h.narrow()
	if result := h.judge(model); result != porcupine.Ok {
		for _, op := range h.ops {
			t.Logf("%d to %d: %+v", op.Call, op.Return, op.Output)
		}
		t.Errorf("the history of %d requests is not linearizable: %s", len(h.ops), result)
	}
}

// judge says whether the history is linearizable. The result is unknown if the search takes
// more than a minute.
func (h *history) judge(model porcupine.NondeterministicModel) porcupine.CheckResult {
	return porcupine.CheckOperationsTimeout(model.ToModel(), h.ops, time.Minute)
}

// restarts is a node that is killed and restarted while requests continue.
type restarts struct {
	h *machine
	p *process

	mu      sync.RWMutex
	address string
}

func (r *restarts) where() string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.address
}

func (r *restarts) killOnce(t *testing.T) {
	t.Helper()
	r.p.kill()
	p := r.h.start(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.p, r.address = p, p.address
}

// sendAll has each client send one request, repeating it until there is a response. The
// node is killed when a quarter, a half and three quarters of the clients are done.
func (r *restarts) sendAll(t *testing.T, clients int, send func(address string, client int) outcome) *history {
	t.Helper()
	h := &history{began: time.Now()}
	answered := make(chan struct{}, clients)
	gate := make(chan struct{}) // holds the others back until the node was killed under the first
	var group sync.WaitGroup
	for client := range clients {
		group.Go(func() {
			if client >= clients/2 {
				<-gate
			}
			for h.record(client, func() outcome { return send(r.where(), client) }).status == 0 {
				<-time.After(retryPause)
			}
			answered <- struct{}{}
		})
	}
	for range clients / 4 {
		<-answered
	}
	r.killOnce(t)
	close(gate)
	<-answered
	r.killOnce(t)
	group.Wait()
	return h
}

// post submits a job and reads the response.
func post(key, address, idempotencyKey, html string) outcome {
	body, err := json.Marshal(map[string]string{"html": html})
	if err != nil {
		panic(err)
	}
	headers := map[string]string{}
	if idempotencyKey != "" {
		headers["Idempotency-Key"] = idempotencyKey
	}
	return outcomeOf(client{key}.request("POST", address+"/html-to-pdf", body, headers))
}

func outcomeOf(resp *http.Response, answer []byte, err error) outcome {
	if err != nil || resp.StatusCode == http.StatusServiceUnavailable {
		return outcome{void: unreachable(err)}
	}
	var fields struct {
		Job   string `json:"job_id"`
		Error string `json:"error"`
	}
	_ = json.Unmarshal(answer, &fields) // a body that is not valid JSON has no fields
	if fields.Error == "RATE_LIMIT_EXCEEDED" {
		return outcome{void: true}
	}
	return outcome{status: resp.StatusCode, job: fields.Job, code: fields.Error, replayed: resp.Header.Get("Idempotent-Replayed") == "true"}
}

const linearClients = 100

// TestOneKey has 100 clients send one request with one key, with the node killed in
// between: one job, one debit.
func TestOneKey(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // nodes in processes of their own
	m := newMachine(t, "--dev")
	p := m.start(t)
	key := m.devKey(t, events.PlanBusiness)
	r := &restarts{h: m, p: p, address: p.address}
	history := r.sendAll(t, linearClients, func(address string, _ int) outcome { return post(key, address, "order-4711", "<p>once</p>") })
	history.dropRepeatedUnanswered()
	history.check(t, oneJob())
	jobs := map[string]int{}
	for _, op := range history.ops {
		if o := op.Output.(outcome); o.status == 202 {
			jobs[o.job]++
		} else if o.status != 0 {
			t.Errorf("a client got %+v", o)
		}
	}
	if len(jobs) != 1 {
		t.Fatalf("the request made %d jobs", len(jobs))
	}
	for text := range jobs {
		id, err := events.ParseJobID(text)
		if err != nil {
			t.Fatal(err)
		}
		awaitFile(t, client{key}, r.where(), id)
	}
	if got := m.listedUnits(t, "acc_dev_business"); got != 1 {
		t.Errorf("%d units were debited", got)
	}
	t.Logf("%d requests of %d clients", len(history.ops), linearClients)
}

// unknownJob is a job whose id no client knows yet.
const unknownJob = "?"

// oneJob is the model of one idempotency key: the state is the job made, "" for none.
func oneJob() porcupine.NondeterministicModel {
	return porcupine.NondeterministicModel{
		Init: func() []any { return []any{""} },
		Step: func(state, _, output any) []any {
			made, o := state.(string), output.(outcome)
			switch {
			case o.status == 0 && made == "":
				return []any{"", unknownJob}
			case o.status == 0:
				return []any{made}
			case made == "" && !o.replayed, made == unknownJob && o.replayed, made == o.job && o.replayed:
				return []any{o.job}
			}
			return nil
		},
	}
}

// TestLimitsAreExact sends more jobs at once than the account may have, with the node
// killed in between: never one too many, and no refusal while there is room.
func TestLimitsAreExact(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // nodes in processes of their own
	hold := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hold }))
	defer slow.Close()
	defer close(hold)
	endless := fmt.Sprintf(`<p>x</p><img src="%s/never.png">`, slow.URL) // renders longer than the test takes
	for name, tc := range map[string]struct {
		plan events.Plan
		// used is how many jobs the account has had before, limit how many more it may have.
		used, limit int
		// clients is limited by the plan's request rate.
		clients int
		status  int
		code    string
	}{
		"concurrency": {events.PlanBusiness, 0, 150, 2 * linearClients, 429, "CONCURRENCY_LIMIT_EXCEEDED"},
		"quota":       {events.PlanFree, 98, 2, 8, 402, "QUOTA_EXCEEDED"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "--dev", "--egress-allow", "127.0.0.0/8")
			p := m.start(t)
			key, account := m.devKey(t, tc.plan), "acc_dev_"+string(tc.plan)
			if tc.used > 0 {
				p = use(t, m, p, client{key}, account, tc.plan, tc.used)
			}
			r := &restarts{h: m, p: p, address: p.address}
			history := r.sendAll(t, tc.clients, func(address string, _ int) outcome { return post(key, address, "", endless) })
			history.check(t, counter(tc.limit, tc.status, tc.code))
			accepted := 0
			for _, op := range history.ops {
				if op.Output.(outcome).status == 202 {
					accepted++
				}
			}
			t.Logf("%d requests, %d accepted of %d allowed", len(history.ops), accepted, tc.limit)
		})
	}
}

// use has an account submit n jobs, on a plan whose request rate allows it, and changes
// back to its plan. The node is restarted meanwhile, so it has forgotten the rate.
func use(t *testing.T, m *machine, p *process, from client, account string, plan events.Plan, n int) *process {
	t.Helper()
	m.admin(t, "account", "set-plan", account, string(events.PlanBusiness))
	for i := range n {
		id, status, err := from.submit(p.address, i)
		if status != 202 {
			t.Fatalf("job %d: %d %v", i, status, err)
		}
		if i == n-1 {
			awaitFile(t, from, p.address, id)
		}
	}
	testkit.Eventually(t, "the jobs are done", func() bool { return m.listedUnits(t, account) == int64(n) })
	m.admin(t, "account", "set-plan", account, string(plan))
	p.stop(t)
	return m.start(t)
}

// counter is the model of an account whose jobs do not end: the state is how many it has.
func counter(limit, status int, code string) porcupine.NondeterministicModel {
	return porcupine.NondeterministicModel{
		Init: func() []any { return []any{0} },
		Step: func(state, _, output any) []any {
			n, o := state.(int), output.(outcome)
			switch {
			case o.status == 0 && n < limit:
				return []any{n, n + 1}
			case o.status == 0:
				return []any{n}
			case o.status == 202 && n < limit:
				return []any{n + 1}
			case o.status == status && o.code == code && n >= limit:
				return []any{n}
			}
			return nil
		},
	}
}

// Each of these histories is not linearizable, and the models find that.
func TestModelsBite(t *testing.T) {
	at := func(call, end int64, o outcome) porcupine.Operation {
		return porcupine.Operation{Call: call, Return: end, Output: o}
	}
	accepted := func(job string, replayed bool) outcome { return outcome{status: 202, job: job, replayed: replayed} }
	refused := outcome{status: 402, code: "QUOTA_EXCEEDED"}
	for name, tc := range map[string]struct {
		model porcupine.NondeterministicModel
		ops   []porcupine.Operation
	}{
		"two jobs":             {oneJob(), []porcupine.Operation{at(0, 1, accepted("a", false)), at(2, 3, accepted("b", false))}},
		"another job replayed": {oneJob(), []porcupine.Operation{at(0, 1, accepted("a", false)), at(2, 3, accepted("b", true))}},
		"replay before":        {oneJob(), []porcupine.Operation{at(0, 1, accepted("a", true)), at(2, 3, accepted("a", false))}},
		"one too many":         {counter(1, 402, "QUOTA_EXCEEDED"), []porcupine.Operation{at(0, 1, accepted("a", false)), at(0, 1, accepted("b", false))}},
		"refused with room":    {counter(2, 402, "QUOTA_EXCEEDED"), []porcupine.Operation{at(0, 1, accepted("a", false)), at(2, 3, refused), at(4, 5, accepted("b", false))}},
	} {
		h := history{ops: tc.ops}
		h.narrow()
		if porcupine.CheckOperations(tc.model.ToModel(), h.ops) {
			t.Errorf("%s: the history passes", name)
		}
	}
}
