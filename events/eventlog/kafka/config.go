package kafka

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/kafka/access"
)

// messageBytes is enough for a record of eventlog.MaxRecord with key and headers.
const messageBytes = eventlog.MaxRecord + 64<<10

// Config says where the log is and how its topics are created.
type Config struct {
	// Brokers are the addresses of seed brokers, host:port. One of them must be reachable.
	Brokers []string
	// Partitions is the count of every topic, fixed for the life of the log.
	Partitions int32
	// ReplicationFactor is for topics that are created. 0 means 1.
	ReplicationFactor int16
	// Topics are the topics of the log, by name.
	Topics map[string]TopicConfig
	// Groups are the consumer groups that the process joins. Only Examine asks for them.
	Groups []string
	// PendingBytes bounds the appends in flight per topic; beyond it they are refused with
	// eventlog.ErrBusy. 0 means 64 MiB.
	PendingBytes int
	// ReadOnly opens existing topics without changing them: appends, trims and memberships
	// fail with eventlog.ErrReadOnly. Partitions may then be 0, for the topics' own count.
	ReadOnly bool
	// SessionTimeout is how long a member of a group may be silent before its
	// partitions are given away. 0 means 6 s. The broker's
	// group.min.session.timeout.ms must not exceed it.
	SessionTimeout time.Duration
	// HeartbeatInterval is the pause between a member's heartbeats. 0 means a quarter of
	// SessionTimeout.
	HeartbeatInterval time.Duration
	// DeliveryTimeout is how long an append that could not be sent is retried. 0 means
	// 30 s. An append that was sent is retried until its outcome is known.
	DeliveryTimeout time.Duration
	// ClientID names this process to the brokers. Empty means "platen".
	ClientID string
	// CheckInterval is the pause between two looks at the topics' settings, which an operator
	// may change at any time; see Log.Health. 0 means 5 min.
	CheckInterval time.Duration
	// Logger receives failures. Nil means slog.Default().
	Logger *slog.Logger
	// Access holds the credentials and TLS settings.
	Access access.Config
	// confirmInterval is the pause before a topic that the brokers do not know counts as deleted; 0 means 5 s. Tests set it.
	confirmInterval time.Duration
	// Opts are added to every client.
	Opts []kgo.Opt
}

// TopicConfig is what a topic needs. A missing topic is created that way; an existing one that
// falls short is refused.
type TopicConfig struct {
	// Retention is the minimum time that records are kept. 0 means forever: then only Trim deletes
	// records.
	Retention time.Duration
	// Unbounded exempts the topic from Config.PendingBytes, because those who append to it
	// bound what they have in flight.
	Unbounded bool
	// Deleted says what follows if the topic is deleted, and what to do then.
	Deleted string
	// Compression is the codec in which the brokers keep the records of a topic created here, for
	// readers that do not know every codec; see Kafka's compression.type. Empty keeps records as sent.
	Compression string
}

func (c Config) withDefaults() Config {
	if c.PendingBytes == 0 {
		c.PendingBytes = 64 << 20
	}
	if c.ReplicationFactor == 0 {
		c.ReplicationFactor = 1
	}
	if c.SessionTimeout == 0 {
		c.SessionTimeout = 6 * time.Second
	}
	if c.HeartbeatInterval == 0 {
		c.HeartbeatInterval = c.SessionTimeout / 4
	}
	if c.DeliveryTimeout == 0 {
		c.DeliveryTimeout = 30 * time.Second
	}
	if c.CheckInterval == 0 {
		c.CheckInterval = 5 * time.Minute
	}
	if c.confirmInterval == 0 {
		c.confirmInterval = 5 * time.Second
	}
	if c.ClientID == "" {
		c.ClientID = "platen"
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}

func (c Config) validate() error {
	switch {
	case len(c.Brokers) == 0:
		return errors.New("kafka log: Brokers is empty")
	case c.Partitions < 1 && !(c.ReadOnly && c.Partitions == 0):
		return errors.New("kafka log: Partitions must be at least 1")
	case c.ReplicationFactor < 1:
		return errors.New("kafka log: ReplicationFactor must be at least 1")
	case c.PendingBytes < 0:
		return errors.New("kafka log: PendingBytes must not be negative")
	case c.Access.Validate() != nil:
		return fmt.Errorf("kafka log: Access: %w", c.Access.Validate())
	case len(c.Topics) == 0:
		return errors.New("kafka log: Topics is empty")
	case c.HeartbeatInterval >= c.SessionTimeout:
		return fmt.Errorf("kafka log: HeartbeatInterval %s must be below SessionTimeout %s", c.HeartbeatInterval, c.SessionTimeout)
	}
	return nil
}

// room returns the room of a topic.
func (c Config) room(topic string) *eventlog.Room {
	if c.Topics[topic].Unbounded {
		return eventlog.NewRoom(0)
	}
	return eventlog.NewRoom(c.PendingBytes)
}

// client returns a new client with the common options and opts.
func (c Config) client(opts ...kgo.Opt) (*kgo.Client, error) {
	common := []kgo.Opt{
		kgo.SeedBrokers(c.Brokers...),
		kgo.ClientID(c.ClientID),
		kgo.MetadataMinAge(250 * time.Millisecond), // finds a new leader soon
		kgo.RetryBackoffFn(backoff),
		kgo.RequestTimeoutOverhead(requestOverhead),
	}
	entry, err := c.Access.Kgo(&dialer, handshakeTimeout)
	if err != nil {
		return nil, err
	}
	return kgo.NewClient(slices.Concat(common, entry, opts, c.Opts)...)
}

// backoff returns the pause after a number of consecutive failures.
func backoff(failures int) time.Duration {
	return min(time.Second, 25*time.Millisecond<<min(failures, 6))
}
