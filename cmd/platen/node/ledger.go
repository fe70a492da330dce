package node

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"platen.dev/events"
	"platen.dev/events/bus"
	"platen.dev/events/public"
	"platen.dev/ledger"
	"platen.dev/ledger/clickhouse"
	"platen.dev/ledger/embedded"
	"platen.dev/ledger/ingest"
	"platen.dev/ledger/reconcile"
	"platen.dev/projections/publish"
)

// startLedger opens the usage ledger. A node starts without ClickHouse, and does its jobs meanwhile.
func (n *Node) startLedger(ctx context.Context) error {
	if n.cfg.ClickHouse == "" {
		l, err := embedded.Open(ctx, filepath.Join(n.cfg.Data, "ledger.db"), embedded.WithLogger(n.logger))
		if err != nil {
			return err
		}
		n.ledger = l
	} else {
		l, err := clickhouse.Connect(n.cfg.clickhouse())
		if err != nil {
			return err
		}
		if err := l.Check(ctx); errors.Is(err, clickhouse.ErrUnreachable) {
			n.logger.Warn("the usage ledger cannot be reached: jobs go on, and it catches up", "error", err)
		} else if err != nil {
			return errors.Join(err, l.Close())
		}
		n.ledger = l
	}
	n.ledger = ledger.WithTopicIDs(n.ledger, n.log.TopicID)
	n.onClose("usage ledger", func(context.Context) error { return n.ledger.Close() })
	return nil
}

// ledgerGroup is the consumer group in which the nodes share the partitions of public events.
const ledgerGroup = "platen-ledger"

// startIngest begins to fill the ledger. ClickHouse gets few and large inserts, as it wants them.
func (n *Node) startIngest(context.Context) (err error) {
	c := ingest.Config{
		Ledger: n.ledger, Log: n.log, Logger: n.logger, Registry: n.metrics.registry,
		Wait: 200 * time.Millisecond, BatchesPerSecond: 20,
	}
	if n.cfg.ClickHouse != "" {
		c.Wait, c.BatchesPerSecond = time.Second, 5
	}
	if c.Events, c.Poison, err = n.bus(); err != nil {
		return err
	}
	if n.ingest, err = ingest.Start(c); err != nil {
		return err
	}
	n.onClose("usage", func(context.Context) error { return n.ingest.Close() })
	n.reconciliation = &reconcile.Shares{
		Ledger: n.ledger, Log: n.log, Topic: events.TopicEvents, Logger: n.logger,
		Mine: func(p int32) bool { return n.cfg.ClickHouse == "" || n.replica.Owner(p) == n.id }, // a ledger that all nodes share is compared by the owners
	}
	n.periodically("reconciliation", reconcile.ShareInterval, n.reconciliation.Next)
	return nil
}

// bus returns where the ledger's records come from, and where poison goes to. The nodes of a cluster
// share a ledger in ClickHouse, and so the work; a node that has one of its own reads everything.
func (n *Node) bus() (message.Subscriber, message.Publisher, error) {
	if n.cfg.embeddedLog() || n.cfg.ClickHouse == "" {
		return bus.NewLogSubscriber(bus.LogConfig{Log: n.log, Logger: n.logger, Start: n.ledgerBegins}), bus.NewLogPublisher(n.log), nil
	}
	c := bus.KafkaConfig{Brokers: n.cfg.Kafka.Brokers, Access: n.cfg.Kafka.access(), ClientID: string(n.id), Logger: n.logger}
	poison, err := bus.NewKafkaPublisher(c)
	if err != nil {
		return nil, nil, err
	}
	events, err := bus.NewKafkaSubscriber(c, ledgerGroup, n.ledgerBegins)
	if err != nil {
		return nil, nil, errors.Join(err, poison.Close())
	}
	return events, poison, nil
}

// ledgerBegins says where the ledger goes on.
func (n *Node) ledgerBegins(ctx context.Context, topic string, partition int32) (int64, error) {
	return ingest.Beginning{
		Ledger: n.ledger, Log: n.log, Logger: n.logger,
		Facts: func(ctx context.Context, p int32, visit func(public.Event) error) error {
			return publish.Facts(ctx, n.log, p, n.source.Begin, visit)
		},
	}.Next(ctx, topic, partition)
}
