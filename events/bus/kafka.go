package bus

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"

	"github.com/IBM/sarama"
	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill-kafka/v3/pkg/kafka"
	"github.com/ThreeDotsLabs/watermill/message"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/kafka/access"
)

// KafkaConfig says where Kafka is.
type KafkaConfig struct {
	// Brokers are addresses host:port. One of them must answer.
	Brokers []string
	// ClientID names the process in the brokers' logs.
	ClientID string
	// Access holds the credentials and TLS settings.
	Access access.Config
	Logger *slog.Logger
	// SessionTimeout is how long a subscriber may be silent before other members of its group get its partitions; 0 means 6 seconds. The brokers'
	// group.min.session.timeout.ms must allow it.
	SessionTimeout time.Duration
	// Pause is how long a subscriber waits before it asks Start again; 0 means 5 seconds.
	Pause time.Duration
	// Waiting is told why partitions cannot be read, and that they can.
	Waiting Waiting
}

// kafkaRecordBytes is the largest message to Kafka: a record of eventlog with its key and headers.
const kafkaRecordBytes = eventlog.MaxRecord + 64<<10

// NewKafkaSubscriber returns watermill-kafka's subscriber as a member of a consumer group. The
// messages of a partition come in order, the next one after an ack, and the same one again after a
// nack. A partition assigned to the member begins where start says, whatever the group has
// committed; if start fails, it is called again.
func NewKafkaSubscriber(c KafkaConfig, group string, start Start) (message.Subscriber, error) {
	config, err := c.sarama()
	if err != nil {
		return nil, err
	}
	config.Consumer.Return.Errors = true
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	config.Consumer.Group.Rebalance.Timeout = 10 * time.Second // anything the member does meanwhile may be repeated
	config.Consumer.Group.Session.Timeout = cmp.Or(c.SessionTimeout, 6*time.Second)
	config.Consumer.Group.Heartbeat.Interval = config.Consumer.Group.Session.Timeout / 4
	connections := watch(config)
	s, err := kafka.NewSubscriber(kafka.SubscriberConfig{
		Brokers: c.Brokers, Unmarshaler: marshaler{}, OverwriteSaramaConfig: config, ConsumerGroup: group,
		Tracer: &starter{start: start, waiting: c.Waiting, pause: cmp.Or(c.Pause, 5*time.Second)},
	}, explainer{Adapter(c.Logger), c.Access, group})
	if err != nil {
		return nil, fmt.Errorf("subscribe to Kafka: %w", err)
	}
	return leaver{s, connections}, nil
}

// NewKafkaPublisher returns watermill-kafka's publisher. Publish returns when all in-sync replicas
// have the messages; each message goes to the partition that it names.
func NewKafkaPublisher(c KafkaConfig) (message.Publisher, error) {
	config, err := c.sarama()
	if err != nil {
		return nil, err
	}
	config.Producer.Return.Successes = true
	config.Producer.RequiredAcks = sarama.WaitForAll
	config.Producer.MaxMessageBytes = kafkaRecordBytes
	config.Producer.Partitioner = sarama.NewManualPartitioner
	p, err := kafka.NewPublisher(kafka.PublisherConfig{Brokers: c.Brokers, Marshaler: marshaler{}, OverwriteSaramaConfig: config}, Adapter(c.Logger))
	if err != nil {
		return nil, fmt.Errorf("publish to Kafka: %w", err)
	}
	return explainedPublisher{p, c.Access}, nil
}

func (c KafkaConfig) sarama() (*sarama.Config, error) {
	config := sarama.NewConfig()
	config.Version = sarama.V2_8_0_0
	config.ClientID = c.ClientID
	return config, c.Access.Sarama(config)
}

// marshaler keeps a record as it is.
type marshaler struct{}

func (marshaler) Marshal(topic string, m *message.Message) (*sarama.ProducerMessage, error) {
	partition, r, err := RecordOf(m)
	if err != nil {
		return nil, err
	}
	p := &sarama.ProducerMessage{Topic: topic, Partition: partition, Key: sarama.ByteEncoder(r.Key), Value: sarama.ByteEncoder(r.Value)}
	for _, h := range r.Headers {
		p.Headers = append(p.Headers, sarama.RecordHeader{Key: []byte(h.Key), Value: []byte(h.Value)})
	}
	return p, nil
}

func (marshaler) Unmarshal(m *sarama.ConsumerMessage) (*message.Message, error) {
	r := eventlog.Record{Offset: m.Offset, Key: m.Key, Value: m.Value}
	for _, h := range m.Headers {
		r.Headers = append(r.Headers, eventlog.Header{Key: string(h.Key), Value: string(h.Value)})
	}
	return NewMessage(m.Partition, r), nil
}

// Adapter returns a logger for Watermill's parts. Their own messages matter only for debugging.
func Adapter(logger *slog.Logger) watermill.LoggerAdapter {
	return watermill.NewSlogLoggerWithLevelMapping(logger, map[slog.Level]slog.Level{slog.LevelInfo: slog.LevelDebug})
}
