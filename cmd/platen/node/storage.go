package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/eventlog/kafka"
	"platen.dev/projections"
	"platen.dev/store"
)

func (n *Node) startData(context.Context) error { return os.MkdirAll(n.cfg.Data, 0o700) }

func (n *Node) startLedger(context.Context) error {
	if n.cfg.ClickHouse != "" {
		return errors.New("this version has no usage ledger yet: leave --clickhouse out")
	}
	return nil
}

func (n *Node) startSeal(context.Context) (err error) {
	n.seal, err = sealKey(n.cfg)
	return err
}

func (n *Node) startLog(ctx context.Context) (err error) {
	if n.log, err = n.cfg.OpenLog(ctx, string(n.id), n.logger); err != nil {
		return err
	}
	n.onClose("log", func(context.Context) error { return n.log.Close() })
	return nil
}

// embeddedLog reports whether the node has a log of its own, rather than one on Kafka.
func (c Config) embeddedLog() bool { return len(c.Kafka.Brokers) == 0 }

func (c Config) logKind() string {
	if c.embeddedLog() {
		return "embedded"
	}
	return "kafka"
}

// OpenLog opens the log that a node of this configuration uses. The embedded log has one
// user at a time; to Kafka the name tells one from the other.
func (c Config) OpenLog(ctx context.Context, name string, logger *slog.Logger) (eventlog.Log, error) {
	if c.embeddedLog() {
		return embedded.Open(embedded.Config{Dir: c.logDir(), Partitions: c.Partitions, Logger: logger})
	}
	return kafka.Open(ctx, kafka.Config{
		Brokers: c.Kafka.Brokers, ClientID: name, Partitions: c.Partitions, ReplicationFactor: c.Kafka.ReplicationFactor,
		SessionTimeout: time.Duration(c.Kafka.SessionSeconds) * time.Second, Logger: logger,
		Topics: map[string]map[string]string{
			events.TopicCommands: {"retention.ms": strconv.Itoa(c.Kafka.CommandsHours * 3_600_000)},
			events.TopicJournal:  nil,
		},
	})
}

// OpenLogReadOnly opens the log of a stopped node without changing anything.
func (c Config) OpenLogReadOnly(ctx context.Context) (eventlog.Log, error) {
	logger := slog.New(slog.DiscardHandler)
	if c.embeddedLog() {
		return embedded.Open(embedded.Config{Dir: c.logDir(), ReadOnly: true, Logger: logger})
	}
	return kafka.Open(ctx, kafka.Config{
		Brokers: c.Kafka.Brokers, ReadOnly: true, Logger: logger,
		Topics: map[string]map[string]string{events.TopicCommands: nil, events.TopicJournal: nil},
	})
}

func (n *Node) startReplica(ctx context.Context) (err error) {
	n.replica, err = projections.Open(ctx, projections.Config{
		Dir: filepath.Join(n.cfg.Data, "replica"), Log: n.log, Logger: n.logger,
		Projections: []projections.Projection{account.States{}, projections.ReadModels{}},
		Failed:      func(err error) { n.fail(fmt.Errorf("replica: %w", err)) },
	})
	if err != nil {
		return err
	}
	n.replica.Start()
	n.onClose("replica", func(context.Context) error { return n.replica.Close() })
	return n.catchUp(ctx)
}

// catchUp waits until the replica holds all that was durable when the node started: a
// replica that is behind would refuse valid keys.
func (n *Node) catchUp(ctx context.Context) error {
	for p := range n.log.Partitions() {
		if err := n.replica.CatchUp(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (n *Node) startFiles(context.Context) (err error) {
	n.files, err = store.OpenDir(n.cfg.filesDir())
	return err
}
