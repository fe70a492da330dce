package bus

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/IBM/sarama"
	"github.com/ThreeDotsLabs/watermill"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/kafka/access"
	"platen.dev/events/testkit"
)

// A member of a group says which right it lacks, on the group or the topic.
func TestExplainer(t *testing.T) {
	for refusal, want := range map[error]string{
		sarama.ErrGroupAuthorizationFailed: "allow User:platen Read on group platen-ledger: ",
		sarama.ErrTopicAuthorizationFailed: "allow User:platen Read on topic platen.events: ",
		sarama.ErrOutOfBrokers:             "kafka: client has run out",
	} {
		var said strings.Builder
		logger := explainer{Adapter(slog.New(slog.NewTextHandler(&said, nil))), access.Config{User: "platen"}, "platen-ledger"}
		logger.With(watermill.LogFields{"a": 1}).Error("Group consume error", fmt.Errorf("join: %w", refusal), watermill.LogFields{"topic": "platen.events"})
		if !strings.Contains(said.String(), want) || strings.Contains(said.String(), "allow") != strings.Contains(want, "allow") {
			t.Errorf("%v: %s", refusal, said.String())
		}
	}
}

// A publisher that may only describe its topic says that it lacks the right to write.
func TestPublisherWithoutRight(t *testing.T) {
	const mechanism = "SCRAM-SHA-256"
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, topic), kfake.EnableSASL(), kfake.EnableACLs(),
		kfake.User(mechanism, "platen", "secret", kfake.ACL{
			Resource: kmsg.ACLResourceTypeTopic, Name: topic, Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: kmsg.ACLOperationDescribe, Allow: true,
		}))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	p, err := NewKafkaPublisher(KafkaConfig{
		Brokers: cluster.ListenAddrs(), Access: access.Config{SASL: "scram-sha-256", User: "platen", Password: "secret"}, Logger: testkit.Silent(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	err = p.Publish(topic, NewMessage(0, eventlog.Record{Value: []byte("1")}))
	if err == nil || !strings.Contains(err.Error(), "no access to Kafka: allow User:platen Write on topic "+topic+": ") {
		t.Errorf("got %v", err)
	}
}
