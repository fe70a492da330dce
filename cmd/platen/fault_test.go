package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
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
