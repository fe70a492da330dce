package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events"
	"platen.dev/events/public"
	"platen.dev/events/testkit"
)

// TestEventsTail follows the life of a job in the public events, despite the death of its node.
// Each event matches its schema.
func TestEventsTail(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // nodes in processes of their own
	m := newMachine(t, "--dev")
	p := m.start(t)
	from := client{m.devKey(t, events.PlanPro)}
	id := submitted(t, from, p, map[string]any{"html": "<p>charged", "tags": map[string]string{"customer": "4711"}})
	awaitFile(t, from, p.address, id)
	testkit.Eventually(t, "the download is published", func() bool {
		return slices.Contains(m.eventsOf(t, id), "job.downloaded")
	})
	p.kill()
	p = m.start(t)
	test := submitted(t, from, p, map[string]any{"html": "<p>not charged", "test": true})
	testkit.Eventually(t, "the end of the test job is published", func() bool {
		return slices.Contains(m.eventsOf(t, test), "job.finished")
	})
	if got, want := m.eventsOf(t, id), []string{"job.accepted", "job.started", "job.finished", "usage.debited", "job.downloaded"}; !slices.Equal(got, want) {
		t.Errorf("the events of the job are %q, want %q", got, want)
	}
	if got, want := m.eventsOf(t, test), []string{"job.accepted", "job.started", "job.finished"}; !slices.Equal(got, want) {
		t.Errorf("the events of the test job are %q, want %q", got, want)
	}
	debits := m.tail(t, "--since", "1h", "--once", "--json", "--type", "usage.debited", "--account", "acc_dev_pro")
	if lines := strings.Split(strings.TrimSpace(debits), "\n"); len(lines) != 1 || !strings.Contains(lines[0], id.String()) || !strings.Contains(lines[0], `"tags":{"customer":"4711"}`) {
		t.Errorf("the debits are\n%s", debits)
	}
	if shown := m.tail(t, "--since", "1h", "--once", "--type", "platen.job.accepted.v1"); strings.Count(shown, "job.accepted  ") != 2 || strings.Contains(shown, " \n") {
		t.Errorf("people see\n%s", shown)
	}
	m.correct(t, id)
	if later := m.tail(t, "--once"); later != "" {
		t.Errorf("nothing has happened since, and it shows %s", later)
	}
	p.stop(t)
}

// Events of an account that there is not are refused: nobody should wait for them, or take none for an answer.
func TestEventsOfNobody(t *testing.T) {
	cfg := nodetest.Config(t)
	cfg.Dev = true
	nodetest.Start(t, cfg, node.Options{})
	for account, want := range map[string]string{
		"acc_nope": "no account acc_nope; `platen admin account list` shows all accounts", "key_x": "no account key_x", "acc_dev_pro": "", "": "",
	} {
		err := run([]string{"events", "tail", "--data", cfg.Data, "--once", "--account", account}, io.Discard, io.Discard)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", account, err, want)
		}
	}
}

// correct gives a charge back, and charges another: each is an event, and the live quota counts it.
func (m *machine) correct(t *testing.T, id events.JobID) {
	t.Helper()
	m.admin(t, "account", "credit", "acc_dev_pro", "--units", "1", "--bytes", "7", "--reason", "The page was empty", "--ref", string(events.DebitOf(id)))
	m.admin(t, "account", "adjust", "acc_dev_pro", "--units", "3", "--reason", "Missed")
	if usage := m.admin(t, "account", "usage", "acc_dev_pro"); !strings.Contains(usage, " 3 used, 0 reserved") {
		t.Errorf("the usage is\n%s", usage)
	}
	var shown string
	testkit.Eventually(t, "both are published", func() bool {
		shown = m.tail(t, "--since", "1h", "--once", "--type", "usage.adjusted")
		return strings.Count(shown, "\n") == 2
	})
	testkit.Contains(t, shown, "bytes=-7", "kind=credit", "reason=The page was empty", "ref_entry="+string(events.DebitOf(id)), "render_units=-1", "kind=adjust", "render_units=3")
	var out bytes.Buffer
	err := run([]string{"admin", "account", "credit", "acc_dev_pro", "--data", m.data, "--units", "1"}, &out, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "it needs a reason") {
		t.Errorf("a credit without a reason: %v %s", err, &out)
	}
}

func submitted(t *testing.T, from client, p *process, body map[string]any) events.JobID {
	t.Helper()
	id, status, err := from.post(p.address+"/html-to-pdf", body)
	if status != 202 {
		t.Fatalf("%d %v", status, err)
	}
	return id
}

func (m *machine) tail(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(append([]string{"events", "tail", "--data", m.data}, args...), &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// eventsOf returns the types of a job's events, without repetitions.
func (m *machine) eventsOf(t *testing.T, id events.JobID) (types []string) {
	t.Helper()
	seen := map[string]bool{}
	for line := range strings.Lines(m.tail(t, "--since", "1h", "--once", "--json")) {
		var e public.Received
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		checkSchema(t, e)
		if e.Subject == id.String() && !seen[e.Position.String()] {
			seen[e.Position.String()] = true
			types = append(types, strings.TrimSuffix(strings.TrimPrefix(e.Type, "platen."), ".v1"))
		}
	}
	return types
}

func checkSchema(t *testing.T, e public.Received) {
	t.Helper()
	text, _ := public.Schema(e.Type, public.Producer)
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("urn:x", schema); err != nil {
		t.Fatal(err)
	}
	data, err := jsonschema.UnmarshalJSON(bytes.NewReader(e.Data))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.MustCompile("urn:x").Validate(data); err != nil {
		t.Errorf("%s %s: %v", e.Type, e.Data, err)
	}
}

// A stream of events continues until the client leaves it or the node stops, which it does not hold up.
func TestEventsFollow(t *testing.T) {
	m := newMachine(t, "--dev")
	p := m.start(t)
	shown, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run([]string{"events", "tail", "--data", m.data, "--since", "1h", "--type", "account.opened"}, out, io.Discard)
		_ = out.Close()
	}()
	lines := bufio.NewScanner(shown)
	for range events.Plans() {
		if !lines.Scan() || !strings.Contains(lines.Text(), "account.opened") {
			t.Fatalf("it shows %q", lines.Text())
		}
	}
	account := strings.Fields(m.admin(t, "account", "create", "--plan", "free"))[2]
	if !lines.Scan() || !strings.Contains(lines.Text(), account) {
		t.Fatalf("the new account %s does not show, but %q", account, lines.Text())
	}
	p.stop(t)
	if err := testkit.Receive(t, ended, "the stream ends"); err != nil {
		t.Error(err)
	}
}

// Impossible requests are refused with a reason.
func TestEventsTailRefusals(t *testing.T) {
	for args, want := range map[string]string{
		"tail --type nonsense --data " + t.TempDir(): `"nonsense" is not a type of events; there are: platen.account.opened.v1`,
		"tail --since yesterday":                     "--since: must be a time",
		"tail --data " + t.TempDir():                 "no node answers",
	} {
		err := run(strings.Fields("events "+args), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", args, err, want)
		}
	}
	for args, want := range map[string]string{"": "needs a command", " dance": "unknown command", " tail extra": `unknown command "extra"`} {
		var errs bytes.Buffer
		if err := run(strings.Fields("events"+args), io.Discard, &errs); !errors.Is(err, wrongUsage) || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: %v %s", args, err, fmt.Sprintf("%.80s", &errs))
		}
	}
}
