//go:build integration

package backup_test

import (
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog/kafka"
	"platen.dev/events/testkit"
)

// TestBrokerPastOffsets is TestPastOffsets on a real broker, which cannot leave offsets out. testdata/kafka/integration.sh starts it.
func TestBrokerPastOffsets(t *testing.T) {
	broker := testkit.RealBroker(t)
	log, err := kafka.Open(t.Context(), kafka.Config{
		Brokers: []string{broker}, Partitions: partitions, SessionTimeout: 2 * time.Second, Logger: testkit.Silent(),
		Topics: map[string]kafka.TopicConfig{
			events.TopicJournal: {Unbounded: true}, events.TopicCommands: {}, events.TopicEvents: {Unbounded: true}, events.TopicPoison: {},
		},
	})
	must(t, err)
	records, took := restorePast(t, manyGone, newClusterOn(t, log))
	if t.Logf("%d records behind %d commands are restored in %s", records, manyGone, took); records > manyGone/1000 {
		t.Errorf("a restore writes %d records", records)
	}
}
