//go:build integration

package kafka_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/kafka"
	"platen.dev/events/eventlog/logtest"
	"platen.dev/events/testkit"
)

// The tests in this file need a real broker: see testkit.RealBroker.

func realBroker(t testing.TB) logtest.Factory { return topicsOn(testkit.RealBroker(t)) }

func TestBrokerConformance(t *testing.T) { logtest.Run(t, realBroker(t)) }

func TestBrokerCrash(t *testing.T) { logtest.Crash(t, realBroker(t), 5) }

func TestBrokerTakeover(t *testing.T) {
	for range 3 {
		took := logtest.Takeover(t, realBroker(t)(t))
		t.Logf("the partitions of a killed member were taken over after %s", took.Round(time.Millisecond))
	}
}

// TestBrokerRefuses opens logs of topics on a real broker whose settings break the contract.
func TestBrokerRefuses(t *testing.T) {
	address := testkit.RealBroker(t)
	admin := newAdmin(t, address)
	cases := maps.Clone(wrongSettings)
	cases["unclean"] = wrongSetting{map[string]string{"unclean.leader.election.enable": "true"}, 0, "unclean.leader.election.enable is true, must be false"}
	for kind, c := range cases {
		name := fmt.Sprintf("%s-%d", kind, time.Now().UnixNano())
		createTopic(t, admin, name, 1, c.settings)
		checkRefused(t, kafka.Config{
			Brokers: []string{address}, Partitions: 1, Topics: map[string]kafka.TopicConfig{name: {Retention: c.keep}},
		}, "topic "+name+": ", c.want)
	}
}

// TestBrokerCommand mends a topic with what the error says.
func TestBrokerCommand(t *testing.T) {
	address := testkit.RealBroker(t)
	admin := newAdmin(t, address)
	name := fmt.Sprintf("mended-%d", time.Now().UnixNano())
	createTopic(t, admin, name, 1, map[string]string{"retention.ms": "1000", "max.message.bytes": "1000"})
	config := kafka.Config{Brokers: []string{address}, Partitions: 1, Topics: map[string]kafka.TopicConfig{name: {}}}
	_, err := kafka.Open(within(t), config)
	if err == nil {
		t.Fatal("a log with the wrong settings was opened")
	}
	var changes []kadm.AlterConfig
	for line := range strings.Lines(err.Error()) {
		_, setting, _ := strings.Cut(strings.TrimSpace(line), "--add-config ")
		key, value, _ := strings.Cut(setting, "=")
		changes = append(changes, kadm.AlterConfig{Op: kadm.SetConfig, Name: key, Value: &value})
	}
	if _, err := admin.AlterTopicConfigs(within(t), changes, name); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the mended topic is accepted", func() bool {
		l, err := kafka.Open(within(t), config)
		if err == nil {
			_ = l.Close()
		}
		return err == nil
	})
}

// script runs testdata/kafka/run.sh and returns what it prints.
func script(t *testing.T, command, dir string) string {
	t.Helper()
	cmd := exec.Command("../../../testdata/kafka/run.sh", command, dir)
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("run.sh %s: %v", command, err)
	}
	return strings.TrimSpace(string(output))
}

// TestBrokerKilled kills and restarts a broker of its own while a log appends to it.
// The log must recover by itself, and every acknowledged record must be there once.
func TestBrokerKilled(t *testing.T) {
	dir := t.TempDir()
	t.Cleanup(func() { script(t, "kill", dir) })
	s := at(script(t, "start", dir) + " platen.killed")
	l, err := s.Open(logtest.Partitions)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	w := startWriter(l, s.Topic)
	for range 3 {
		w.awaitMore(t, 500)
		script(t, "restart", dir)
	}
	w.awaitMore(t, 500)
	w.finish()
	w.check(t, s.Topic)
}

// writer appends numbers to a partition, a few in flight, and records their offsets.
type writer struct {
	log     eventlog.Log
	stop    chan struct{}
	stopped sync.WaitGroup
	mu      sync.Mutex
	changed sync.Cond
	acked   map[int64]string
	failed  int
}

func startWriter(l eventlog.Log, topic string) *writer {
	w := &writer{log: l, stop: make(chan struct{}), acked: map[int64]string{}}
	w.changed.L = &w.mu
	w.stopped.Go(func() {
		room := make(chan struct{}, 32)
		for i := 0; ; i++ {
			select {
			case room <- struct{}{}:
			case <-w.stop:
				for range cap(room) {
					room <- struct{}{} // until all appends are complete
				}
				return
			}
			value := fmt.Sprint(i)
			l.Append(topic, 0, eventlog.Record{Value: []byte(value)}, func(offset int64, err error) {
				w.onComplete(offset, value, err)
				<-room
			})
		}
	})
	return w
}

func (w *writer) onComplete(offset int64, value string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.failed++
	} else {
		w.acked[offset] = value
	}
	w.changed.Broadcast()
}

// awaitMore waits for n further acknowledgements.
func (w *writer) awaitMore(t *testing.T, n int) {
	t.Helper()
	started := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	for want := len(w.acked) + n; len(w.acked) < want; {
		w.changed.Wait()
	}
	t.Logf("%d further records acknowledged after %s", n, time.Since(started).Round(time.Millisecond))
}

func (w *writer) finish() {
	close(w.stop)
	w.stopped.Wait()
}

func (w *writer) check(t *testing.T, topic string) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	_, end, err := w.log.Bounds(ctx, topic, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := w.log.Read(topic, 0, 0)
	defer r.Close()
	var held []string
	for int64(len(held)) < end {
		records, err := r.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, record := range records {
			held = append(held, string(record.Value))
		}
	}
	for offset, want := range w.acked {
		if held[offset] != want {
			t.Fatalf("offset %d holds %q, acknowledged was %q", offset, held[offset], want)
		}
	}
	slices.Sort(held)
	if distinct := len(slices.Compact(held)); int64(distinct) != end {
		t.Fatalf("%d of %d records are duplicates", end-int64(distinct), end)
	}
	t.Logf("%d acknowledged, %d failed, %d held", len(w.acked), w.failed, end)
}
