//go:build integration

package bus

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"platen.dev/events/eventlog/kafka/access"
	"platen.dev/events/testkit"
)

// TestBrokerBus needs a real broker: start one with testdata/kafka/run.sh and set PLATEN_TEST_KAFKA to
// its address.
func TestBrokerBus(t *testing.T) {
	broker := testkit.RealBroker(t)
	checkKafka(t, []string{broker}, access.Config{}, newTopic(t, broker, 2))
}

// newTopic makes a topic with a name of its own, since the broker may be that of other tests.
func newTopic(t *testing.T, broker string, partitions int32) string {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	name := fmt.Sprintf("bus-%d", time.Now().UnixNano())
	if _, err := kadm.NewClient(client).CreateTopic(testkit.Context(t), partitions, 1, nil, name); err != nil {
		t.Fatal(err)
	}
	return name
}
