package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

// awaitFailure waits until the process ends by itself, and returns what it wrote. Its status
// must be 1.
func (p *process) awaitFailure(t *testing.T) string {
	t.Helper()
	select {
	case err := <-p.exited:
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("the node ended with %v, want status 1", err)
		}
	case <-time.After(testkit.Patience):
		t.Fatalf("the node does not end; its last lines:\n%s", p.out.Last(25))
	}
	return p.out.Text()
}

// TestReplicaFailure puts a record of a newer version into the journal. The replica of the
// node cannot continue, so the node gives its partitions up and ends with the reason.
func TestReplicaFailure(t *testing.T) {
	broker := nodetest.Broker(t)
	config := t.TempDir() + "/platen.toml"
	if err := os.WriteFile(config, fmt.Appendf(nil, "partitions = %d\n", clusterPartitions), 0o600); err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, "--config", config, "--kafka", broker)
	p := m.start(t)
	p.await(t, fmt.Sprintf("held=%d", clusterPartitions)) // it has something to hand over
	record := eventlog.Record{Value: []byte{2, 3, 0xa0}}  // format 2
	if _, err := eventlog.AppendWait(testkit.Context(t), openKafka(t, broker), events.TopicJournal, 3, record); err != nil {
		t.Fatal(err)
	}
	said := p.awaitFailure(t)
	for _, want := range []string{"platen: replica: journal 3 at offset ", "upgrade this node", fmt.Sprintf("shards handed over\" count=%d held=0", clusterPartitions)} {
		if !strings.Contains(said, want) {
			t.Errorf("the node did not write %q", want)
		}
	}
}

// TestResultsStoreFailure takes the store of results away while jobs are accepted. No job
// fails for that: the node suspends rendering, and continues when the store is back.
func TestResultsStoreFailure(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	m := newMachine(t, "--dev", "--slots", "2")
	p := m.start(t)
	c := client{m.devKey(t, events.PlanBusiness)}
	files := filepath.Join(m.data, "files")
	if err := os.Rename(files, files+"-away"); err != nil {
		t.Fatal(err)
	}
	var jobs []events.JobID
	for i := range 12 {
		id, status, err := c.submit(p.address, i)
		if status != 202 {
			t.Fatalf("submit: %d %v", status, err)
		}
		jobs = append(jobs, id)
	}
	testkit.Eventually(t, "rendering is suspended", func() bool { return value(scrape(t, p.address)["platen_node_suspended"]) == 1 })
	p.await(t, "rendering is suspended: jobs wait until the fault is mended")
	if err := os.Rename(files+"-away", files); err != nil {
		t.Fatal(err)
	}
	for _, id := range jobs {
		awaitFile(t, c, p.address, id)
	}
	p.stop(t)
}

// TestRecreatedCommands deletes the topic of the commands while the node is down. Its
// partitions halt until the operator lets them continue. A job whose content is lost ends.
func TestRecreatedCommands(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	broker := nodetest.Broker(t)
	config := t.TempDir() + "/platen.toml"
	if err := os.WriteFile(config, []byte("partitions = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	site := newGatedSite(t)
	m := newMachine(t, "--config", config, "--kafka", broker, "--slots", "1", "--egress-allow", "127.0.0.0/8")
	p := m.start(t)
	account := strings.Fields(m.admin(t, "account", "create", "--plan", "business"))[2]
	c := client{strings.Fields(m.admin(t, "key", "create", account))[0]}
	id, status, err := c.post(p.address+"/url-to-pdf", map[string]any{"url": site.URL})
	if status != 202 {
		t.Fatalf("submit: %d %v", status, err)
	}
	site.awaitHeld(t, 1)
	p.kill()
	deleteTopic(t, broker, events.TopicCommands)

	p = m.start(t)
	p.await(t, "platen admin partition continue 0")
	if list := m.admin(t, "partition", "list"); !strings.Contains(list, "halted") || !strings.Contains(list, "was created again") {
		t.Errorf("the partitions are\n%s", list)
	}
	if got := value(scrape(t, p.address)["platen_shards"], "halted"); got != 1 {
		t.Errorf("%g shards are halted by the metrics, want 1", got)
	}
	m.admin(t, "partition", "continue", "0")
	awaitFile(t, c, p.address, mustSubmit(t, c, p.address))
	testkit.Eventually(t, "the job whose content is lost fails", func() bool {
		_, body, err := c.do("GET", p.address+"/jobs/"+id.String(), nil)
		return err == nil && strings.Contains(string(body), `"CONTENT_LOST"`)
	})
	p.stop(t)
}

func mustSubmit(t *testing.T, c client, address string) events.JobID {
	t.Helper()
	id, status, err := c.submit(address, 1)
	if status != 202 {
		t.Fatalf("submit: %d %v", status, err)
	}
	return id
}

func deleteTopic(t *testing.T, broker, topic string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := kadm.NewClient(client).DeleteTopic(testkit.Context(t), topic); err != nil {
		t.Fatal(err)
	}
}
