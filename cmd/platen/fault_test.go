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
// node cannot go on, so the node gives its partitions up and ends with the reason.
func TestReplicaFailure(t *testing.T) {
	broker := nodetest.Broker(t)
	config := t.TempDir() + "/platen.toml"
	if err := os.WriteFile(config, fmt.Appendf(nil, "partitions = %d\n", clusterPartitions), 0o600); err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, "--config", config, "--kafka", broker)
	p := m.start(t)
	record := eventlog.Record{Value: []byte{2, 3, 0xa0}} // format 2
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
// fails for that: the node suspends rendering, and goes on when the store is back.
func TestResultsStoreFailure(t *testing.T) {
	m := newMachine(t, "--dev", "--slots", "2")
	p := m.start(t)
	c := client{m.devKey(t, events.PlanBusiness)}
	temp := filepath.Join(m.data, "files", "temp")
	if err := os.Rename(temp, temp+"-away"); err != nil {
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
	if err := os.Rename(temp+"-away", temp); err != nil {
		t.Fatal(err)
	}
	for _, id := range jobs {
		awaitFile(t, c, p.address, id)
	}
	p.stop(t)
}
