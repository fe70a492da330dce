package node

import "errors"

// KafkaConfig is the section [kafka].
type KafkaConfig struct {
	// Brokers are addresses host:port of which one must answer.
	Brokers []string `toml:"brokers"`
	// ReplicationFactor of topics that Platen creates.
	ReplicationFactor int16 `toml:"replication_factor"`
	// SessionSeconds is how long a node may be silent before its shards move. The
	// broker's group.min.session.timeout.ms must allow it.
	SessionSeconds int `toml:"session_seconds"`
	// CommandsHours is how long topics created by Platen keep commands, content included. A
	// job must be rendered within that time, so a topic that keeps them for less is refused.
	CommandsHours int `toml:"commands_hours"`
}

func (k KafkaConfig) validate() error {
	var errs []error
	for _, b := range k.Brokers {
		errs = append(errs, checkAddress("kafka.brokers", b))
	}
	return errors.Join(append(errs,
		check(k.ReplicationFactor >= 1, "kafka.replication_factor: must be at least 1"),
		check(k.SessionSeconds >= 1, "kafka.session_seconds: must be at least 1"),
		check(k.CommandsHours >= 24, "kafka.commands_hours: must be at least 24, because the content of waiting jobs is kept there"),
	)...)
}
