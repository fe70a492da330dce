package node

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog/kafka"
	"platen.dev/events/eventlog/kafka/access"
	"platen.dev/events/tlsfile"
)

// KafkaConfig is the section [kafka].
type KafkaConfig struct {
	// Brokers are addresses host:port. One of them must answer.
	Brokers []string `toml:"brokers"`
	// ReplicationFactor is that of topics created by Platen.
	ReplicationFactor int16 `toml:"replication_factor"`
	// SessionSeconds is how long a node may be silent before others take over its shards and its part of the usage ledger. The
	// broker's group.min.session.timeout.ms must allow it.
	SessionSeconds int `toml:"session_seconds"`
	// CommandsHours is how long topics created by Platen keep commands, content included. A job must
	// be rendered within that time, so a topic with a shorter retention is refused.
	CommandsHours int `toml:"commands_hours"`
	// TLS encrypts connections. CAFile has certificates (PEM) of the authorities to trust instead of
	// the system's; CertFile and KeyFile are the node's, for brokers that ask for a certificate.
	TLS      bool   `toml:"tls"`
	CAFile   string `toml:"ca_file"`
	CertFile string `toml:"cert_file"`
	KeyFile  string `toml:"key_file"`
	// SASL is how User shows the Password: plain, scram-sha-256 or scram-sha-512; empty means not at
	// all.
	SASL     string `toml:"sasl"`
	User     string `toml:"user"`
	Password string `toml:"password"`
}

// access returns the credentials and TLS settings.
func (k KafkaConfig) access() access.Config {
	return access.Config{
		TLS: k.TLS, Files: tlsfile.Client{CA: k.CAFile, Cert: k.CertFile, Key: k.KeyFile},
		SASL: k.SASL, User: k.User, Password: k.Password,
	}
}

func (k KafkaConfig) session() time.Duration { return time.Duration(k.SessionSeconds) * time.Second }

// client returns the configuration that opens the log. name distinguishes clients.
func (k KafkaConfig) client(name string, partitions int32, logger *slog.Logger) kafka.Config {
	return kafka.Config{
		Brokers: k.Brokers, Access: k.access(), ClientID: name, Partitions: partitions, ReplicationFactor: k.ReplicationFactor,
		SessionTimeout: k.session(), Logger: logger,
		Topics: map[string]kafka.TopicConfig{
			events.TopicCommands: {Deleted: commandsDeleted, Retention: time.Duration(k.CommandsHours) * time.Hour},
			events.TopicJournal:  {Deleted: journalDeleted, Unbounded: true},
			events.TopicEvents:   {Deleted: eventsDeleted, Unbounded: true, Compression: "gzip"}, // every client reads gzip
			events.TopicPoison:   {Deleted: poisonDeleted},
		},
	}
}

// What follows if a topic is deleted, and what to do then.
const (
	journalDeleted  = "all that Platen knows is lost with it. Restore a backup (docs/BACKUP.md#restore)"
	commandsDeleted = "restart the nodes, which create it and halt the partitions (docs/RUNBOOK.md#platenpartitionhalted)"
	eventsDeleted   = "restart the nodes, which create it and publish again what the journal has; then run `platen admin ledger reconcile`"
	poisonDeleted   = "restart the nodes, which create it"
)

func (k KafkaConfig) validate() error {
	errs := []error{k.checkBrokers()}
	for _, b := range k.Brokers {
		errs = append(errs, checkAddress("kafka.brokers", b))
	}
	if err := k.access().Validate(); err != nil {
		errs = append(errs, fmt.Errorf("[kafka] %w", err))
	}
	return errors.Join(append(errs,
		check(k.ReplicationFactor >= 1, "kafka.replication_factor: must be at least 1"),
		check(k.SessionSeconds >= 1, "kafka.session_seconds: must be at least 1"),
		check(k.CommandsHours >= 24, "kafka.commands_hours: must be at least 24, because the content of waiting jobs is kept there"),
	)...)
}

// checkBrokers refuses a section without brokers: the node would begin with a log of its own, as if it were new.
func (k KafkaConfig) checkBrokers() error {
	others, usual := k, NewConfig().Kafka
	others.Brokers, usual.Brokers = nil, nil
	return check(len(k.Brokers) > 0 || reflect.DeepEqual(others, usual), "kafka.brokers: the section [kafka] needs them, as host:port")
}
