//go:build integration

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/public"
	"platen.dev/events/testkit"
)

// TestEventsOnBroker has a node publish to a real broker, kills it and lets it continue, and asks other
// people's consumers what they read: the samples of docs/consumers, Kafka's own, the CloudEvents SDKs,
// and librdkafka. The fingerprint that a customer computes from the events equals the node's.
// testdata/events/integration.sh sets the command lines.
func TestEventsOnBroker(t *testing.T) {
	broker := testkit.RealBroker(t)
	m := newMachine(t, "--dev", "--kafka", broker, "--config", fewPartitions(t))
	p := m.start(t)
	from := client{m.devKey(t, events.PlanBusiness)}
	var jobs []events.JobID
	for n := range 12 {
		body := map[string]any{"html": fmt.Sprintf("<p>%d", n), "test": n%4 == 3}
		if n%4 == 2 { // fails
			body["render"] = map[string]any{"wait_for_selector": "#nothing", "page_load_timeout_ms": 1000}
		}
		id, status, err := from.post(p.address+"/html-to-pdf", body)
		if status != 202 {
			t.Fatalf("%d %v", status, err)
		}
		jobs = append(jobs, id)
		if n == 6 {
			p.kill()
			p = m.start(t)
		}
	}
	for _, id := range jobs {
		testkit.Eventually(t, "the job has ended", func() bool {
			status, _, err := from.status(p.address, id)
			return err == nil && (status == events.StatusDone || status == events.StatusFailed)
		})
	}
	m.admin(t, "account", "credit", "acc_dev_business", "--units", "1", "--bytes", "5", "--reason", "A test")
	w := p.awaitWindow(t, from, "acc_dev_business", 7) // 6 jobs, and the correction
	m.checkFromEvents(t, w)
	p.stop(t)
	m.checkFromLedger(t, w)
	l := openKafka(t, broker)
	charged := auditEvents(t, l)
	count, lines := 0, chargedLines(charged)
	var records []string
	for partition := range l.Partitions() {
		for _, e := range firstOfEach(t, l, partition) {
			records = append(records, fmt.Sprintf("%d %s %s", e.Sequence, e.Type, e.Position))
		}
		count += published(t, l, partition)
	}
	for _, sample := range []string{"PLATEN_TEST_CONSUMER_GO", "PLATEN_TEST_CONSUMER_PYTHON"} {
		if got := consume(t, sample, broker); !slices.Equal(got, lines) {
			t.Errorf("%s printed\n%s\nwant\n%s", sample, strings.Join(got, "\n"), strings.Join(lines, "\n"))
		}
	}
	slices.Sort(records)
	for _, sdk := range []string{"PLATEN_TEST_SDK_GO", "PLATEN_TEST_SDK_PYTHON", "PLATEN_TEST_CONFLUENT"} {
		if got := slices.Compact(consume(t, sdk, broker, fmt.Sprint(count))); !slices.Equal(got, records) {
			t.Errorf("%s read %d events, want %d:\n%s", sdk, len(got), len(records), strings.Join(got, "\n"))
		}
	}
	checkConsole(t, consume(t, "PLATEN_TEST_CONSOLE", broker, "--max-messages", fmt.Sprint(count)), count)
}

// published counts the records of a partition, repetitions included.
func published(t *testing.T, l eventlog.Log, partition int32) int {
	t.Helper()
	start, end, err := l.Bounds(t.Context(), events.TopicEvents, partition)
	if err != nil {
		t.Fatal(err)
	}
	return int(end - start)
}

// chargedLines is what the samples print.
func chargedLines(charged books) (lines []string) {
	for w, c := range charged {
		lines = append(lines, fmt.Sprintf("%s %s %d %d", w.account, w.start, c.units, c.bytes))
	}
	slices.Sort(lines)
	return lines
}

// checkConsole checks what Kafka's console consumer prints: headers, key and value.
func checkConsole(t *testing.T, lines []string, want int) {
	t.Helper()
	if len(lines) != want {
		t.Errorf("the console consumer read %d events, want %d", len(lines), want)
	}
	for _, line := range lines {
		if !strings.Contains(line, "ce_specversion:1.0") || !strings.Contains(line, "\tacc_dev_") || !strings.Contains(line, `{"account":"acc_dev_`) {
			t.Errorf("the console consumer printed %s", line)
		}
	}
}

// consume runs the command line in an environment variable, and returns the sorted lines that it
// prints.
func consume(t *testing.T, variable string, args ...string) []string {
	t.Helper()
	line := environment(t, variable) + " " + strings.Join(args, " ")
	var errs bytes.Buffer
	command := exec.CommandContext(t.Context(), "sh", "-c", line)
	command.Stderr = &errs
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, &errs)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	return lines
}

func environment(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("%s is not set: run testdata/events/integration.sh", name)
	}
	return value
}

// fewPartitions is a configuration with few partitions.
func fewPartitions(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "platen.toml")
	if err := os.WriteFile(path, fmt.Appendf(nil, "partitions = %d\n", clusterPartitions), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The AsyncAPI document is valid by the AsyncAPI initiative's own parser.
func TestAsyncAPIDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "asyncapi.json")
	if err := os.WriteFile(path, public.AsyncAPI("1.0.0"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := consume(t, "PLATEN_TEST_ASYNCAPI", path)[0], fmt.Sprintf("3.0.0 %d", len(public.Types())); got != want {
		t.Errorf("the parser says %s, want %s", got, want)
	}
}
