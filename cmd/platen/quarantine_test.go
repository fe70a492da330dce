package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

// The operator lists, shows, sends again and drops undecidable commands, at the only node and at any node of a cluster.
func TestQuarantine(t *testing.T) {
	testkit.Long(t)
	t.Run("embedded", func(t *testing.T) {
		cfg := nodetest.Config(t)
		n := nodetest.Start(t, cfg, node.Options{})
		checkQuarantine(t, newPatient(t, []*node.Node{n}, &machine{data: cfg.Data}))
	})
	t.Run("a cluster", func(t *testing.T) {
		c := startLocalCluster(t, 2)
		checkQuarantine(t, newPatient(t, c.nodes, c.machines...))
	})
}

// patient is an account with commands that cannot be decided. Each command of the operator goes to the next node.
type patient struct {
	node     *node.Node // one of them
	nodes    []*node.Node
	machines []*machine
	asked    int
	account  events.AccountID
	key      events.KeyID
}

// newPatient opens the account by one of the machines.
func newPatient(t *testing.T, nodes []*node.Node, machines ...*machine) *patient {
	t.Helper()
	p := &patient{node: nodes[0], nodes: nodes, machines: machines}
	p.account = events.AccountID(strings.Fields(p.admin(t, "account", "create", "--plan", "pro"))[2])
	p.admin(t, "key", "create", string(p.account))
	p.key = events.KeyID(strings.Fields(strings.Split(p.admin(t, "key", "list", string(p.account)), "\n")[1])[0])
	return p
}

func (p *patient) machine() *machine {
	p.asked++
	return p.machines[p.asked%len(p.machines)]
}

func (p *patient) admin(t *testing.T, args ...string) string {
	t.Helper()
	return p.machine().admin(t, args...)
}

// refused runs a command that fails, and returns why.
func (p *patient) refused(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs strings.Builder
	if err := run(append(append([]string{"admin"}, args...), "--data", p.machine().data), &out, &errs); err != nil {
		return err.Error()
	}
	t.Errorf("%v: %s", args, &out)
	return ""
}

func (p *patient) partition() int32 { return events.Partition(p.account, p.node.Log().Partitions()) }

// list returns the causes in quarantine.
func (p *patient) list(t *testing.T) (causes []string) {
	t.Helper()
	for d := json.NewDecoder(strings.NewReader(p.admin(t, "quarantine", "list", "--json"))); d.More(); {
		var q struct{ Partition, Cause int64 }
		if err := d.Decode(&q); err != nil || int32(q.Partition) != p.partition() {
			t.Fatalf("%+v, %v", q, err)
		}
		causes = append(causes, fmt.Sprint(q.Cause))
	}
	return causes
}

// submission returns a job whose envelope is just too large if the account has its own file size limit, and fits if it has none.
func (p *patient) submission(t *testing.T) events.Command {
	t.Helper()
	submit := events.SubmitJob{Job: events.NewJobID(), Key: p.key, Operation: events.HTMLToPDF, Webhook: make(events.Sealed, eventlog.MaxRecord-1000)}
	c := events.NewCommand(p.account, time.Now(), events.Submission{SubmitJob: submit, Content: events.Content{HTML: "<p>Kr0kodil</p>"}})
	accepted := events.Envelope{
		Epoch: math.MaxInt64, Cause: math.MaxInt64, Command: c.ID, Account: c.Account, At: c.At, Reply: &events.Reply{Code: events.Accepted},
		Events: []events.Event{
			events.QuotaReserved{Job: submit.Job, Window: c.At},
			events.JobQueued{Job: submit.Job, Key: p.key, Operation: submit.Operation, Content: 24, Window: c.At, Webhook: submit.Webhook},
		},
	}
	value, err := events.EncodeEntry(accepted)
	if err != nil {
		t.Fatal(err)
	}
	submit.Webhook = make(events.Sealed, len(submit.Webhook)+eventlog.MaxRecord-3-len(value))
	c.Body = events.Submission{SubmitJob: submit, Content: events.Content{HTML: "<p>Kr0kodil</p>"}}
	return c
}

// setAside sends such a submission, and returns its job and where it is in quarantine.
func (p *patient) setAside(t *testing.T) (job events.JobID, cause string) {
	t.Helper()
	p.admin(t, "account", "set-file-limit", string(p.account), "300")
	c := p.submission(t)
	at, err := p.node.Commands().Append(testkit.Context(t), c)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "it is set aside", func() bool { return p.node.Replica().Cursor(p.partition()).Cause >= at })
	return c.Body.(events.Submission).Job, fmt.Sprint(at)
}

// checkQuarantine takes commands through the quarantine.
func checkQuarantine(t *testing.T, p *patient) {
	if got := p.admin(t, "quarantine", "list"); got != "no command is in quarantine\n" {
		t.Errorf("at first: %s", got)
	}
	job, cause := p.setAside(t)
	p.checkShown(t, job, cause)
	p.checkCounted(t, 1)
	second, partition := p.retryInVain(t, cause), fmt.Sprint(p.partition())
	p.admin(t, "account", "set-file-limit", string(p.account), "0")
	if got := p.admin(t, "quarantine", "retry", partition, second); !strings.HasSuffix(got, "decided: accepted\n") {
		t.Errorf("sent again: %s", got)
	}
	testkit.Eventually(t, "the job is done, with its content", func() bool {
		j, _, err := p.node.Replica().Job(p.account, job)
		return err == nil && j.Status == events.StatusDone
	})
	if left := p.list(t); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	p.checkCounted(t, 0)
	p.checkDropped(t)
	p.checkGone(t)
}

// checkShown checks the command in the list, and the rest of its output: no content is shown.
func (p *patient) checkShown(t *testing.T, job events.JobID, cause string) {
	t.Helper()
	partition := fmt.Sprint(p.partition())
	row := strings.Fields(strings.Split(p.admin(t, "quarantine", "list"), "\n")[1])
	if row[0] != partition || row[1] != cause || row[2] != string(p.account) || row[5] != "SubmitJob:" {
		t.Errorf("the list has %q", row)
	}
	shown := p.admin(t, "quarantine", "show", partition, cause)
	if !strings.Contains(shown, "SubmitJob: the command cannot be decided: its envelope has 104857") || !strings.Contains(shown, partition+" command "+cause) ||
		!strings.Contains(shown, "SubmitJob{job="+job.String()) || strings.Contains(shown, "Kr0kodil") {
		t.Errorf("show: %s", shown)
	}
}

// checkCounted looks for a number of commands in the metrics of all nodes.
func (p *patient) checkCounted(t *testing.T, want float64) {
	t.Helper()
	count, oldest := 0.0, 0.0
	for _, n := range p.nodes {
		figures := scrape(t, "http://"+n.Address())
		count += value(figures["platen_quarantined_commands"])
		oldest = max(oldest, value(figures["platen_quarantine_oldest_seconds"]))
	}
	if count != want || (oldest > 0) != (want > 0) || oldest > 3600 {
		t.Errorf("the metrics have %v commands, the oldest of %v s; want %v", count, oldest, want)
	}
}

// retryInVain sends a command again before anything is fixed, and returns its new place.
func (p *patient) retryInVain(t *testing.T, cause string) string {
	t.Helper()
	partition := fmt.Sprint(p.partition())
	why := p.refused(t, "quarantine", "retry", partition, cause)
	left := p.list(t)
	if len(left) != 1 || left[0] == cause || !strings.Contains(why, "set aside again, and is in quarantine as command "+left[0]+" of partition "+partition) {
		t.Fatalf("sent again in vain: %s; left: %v", why, left)
	}
	return left[0]
}

// checkDropped drops a command, and checks that senseless drops are refused.
func (p *patient) checkDropped(t *testing.T) {
	_, cause := p.setAside(t)
	partition := fmt.Sprint(p.partition())
	p.admin(t, "quarantine", "drop", partition, cause)
	for args, want := range map[string]string{
		"drop " + partition + " " + cause:  "command " + cause + " of partition " + partition + " is not in quarantine",
		"retry " + partition + " " + cause: "is not in quarantine",
		"show " + partition + " x":         "is not the offset of a command",
		"drop 1000 0":                      `"1000" is not a partition`,
	} {
		if got := p.refused(t, append([]string{"quarantine"}, strings.Fields(args)...)...); !strings.Contains(got, want) {
			t.Errorf("%s: %q lacks %q", args, got, want)
		}
	}
}

// checkGone deletes the record of a command, as the retention of Kafka may.
func (p *patient) checkGone(t *testing.T) {
	_, cause := p.setAside(t)
	partition := fmt.Sprint(p.partition())
	offset, err := strconv.ParseInt(cause, 10, 64)
	if err == nil {
		err = p.node.Log().Trim(t.Context(), events.TopicCommands, p.partition(), offset+1)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := p.admin(t, "quarantine", "show", partition, cause); !strings.Contains(got, "the record of the command is gone") {
		t.Errorf("show: %s", got)
	}
	if got := p.refused(t, "quarantine", "retry", partition, cause); !strings.Contains(got, "is gone") || !strings.Contains(got, "only dropped") {
		t.Errorf("retry: %s", got)
	}
	p.admin(t, "quarantine", "drop", partition, cause)
	if left := p.list(t); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
