package node

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"platen.dev/actors/status"
	"platen.dev/events"
	"platen.dev/events/bus"
	"platen.dev/events/eventlog"
	"platen.dev/events/public"
	"platen.dev/ledger"
	"platen.dev/ledger/clickhouse"
	"platen.dev/ledger/embedded"
	"platen.dev/ledger/ingest"
	"platen.dev/ledger/reconcile"
	"platen.dev/projections/history"
	"platen.dev/projections/publish"
)

// upkeep keeps the usage ledger and the snapshots up to date.
type upkeep struct {
	ingest         *ingest.Running
	remains        *ingest.Remains
	reconciliation *reconcile.Shares
	history        *history.Keeper
}

// openLedger opens the usage ledger. A node starts without ClickHouse, and serves jobs meanwhile.
func openLedger(ctx context.Context, b *base, log eventlog.Log) (ledger.Ledger, error) {
	open := openEmbeddedLedger
	if b.cfg.ClickHouse != "" {
		open = openClickHouse
	}
	l, err := open(ctx, b)
	if err != nil {
		return nil, err
	}
	l = ledger.WithTopicIDs(l, log.TopicID)
	b.onClose("usage ledger", func(context.Context) error { return l.Close() })
	return l, nil
}

// openWatched opens the usage ledger of a node that fills it, and returns where its stalls are noted.
func openWatched(ctx context.Context, b *base, log eventlog.Log) (ledger.Ledger, *ingest.Stalls, error) {
	l, err := openLedger(ctx, b, log)
	return l, ingest.NewStalls(time.Now, b.logger), err
}

// timelyLedger answers about an account only while the ledger takes what the account is charged: later sums would differ from those that it gives. Of a
// shared ledger, only the node that reads the account's partition knows.
type timelyLedger struct {
	ledger.Ledger
	stalls     *ingest.Stalls
	partitions int32
}

// timely is the ledger for whoever answers about accounts.
func (s *storage) timely() timelyLedger { return timelyLedger{s.ledger, s.stalls, s.log.Partitions()} }

// Usage implements usage.Ledger.
func (l timelyLedger) Usage(ctx context.Context, q ledger.Query) ([]ledger.Row, error) {
	if err := l.check(q.Account); err != nil {
		return nil, err
	}
	return l.Ledger.Usage(ctx, q)
}

// Entries implements usage.Ledger.
func (l timelyLedger) Entries(ctx context.Context, q ledger.EntryQuery) (ledger.Page, error) {
	if err := l.check(q.Account); err != nil {
		return ledger.Page{}, err
	}
	return l.Ledger.Entries(ctx, q)
}

func (l timelyLedger) check(account string) error {
	return l.stalls.Check(events.Partition(events.AccountID(account), l.partitions), status.MaxLedgerStall*time.Second)
}

// OpenLedger opens the usage ledger of a node that does not run.
func (c Config) OpenLedger(ctx context.Context, log eventlog.Log) (ledger.Ledger, error) {
	return openLedger(ctx, newBase(c, Options{}), log)
}

func openEmbeddedLedger(ctx context.Context, b *base) (ledger.Ledger, error) {
	return embedded.Open(ctx, b.cfg.ledgerPath())
}

// ledgerPath is the file of the embedded ledger.
func (c StorageConfig) ledgerPath() string { return filepath.Join(c.Data, "ledger.db") }

func openClickHouse(ctx context.Context, b *base) (ledger.Ledger, error) {
	l, err := clickhouse.Connect(b.cfg.clickhouse())
	if err != nil {
		return nil, err
	}
	if err := l.Check(ctx); errors.Is(err, clickhouse.ErrUnreachable) {
		b.logger.Warn("the usage ledger cannot be reached: jobs continue, and it catches up", "error", err)
	} else if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// ledgerGroup is the consumer group in which the nodes share the partitions of public events.
const ledgerGroup = "platen-ledger"

// startIngest begins to fill the ledger. ClickHouse gets few large inserts, as it prefers.
func startIngest(b *base, s *storage) (*ingest.Running, error) {
	from, poison, err := ledgerBus(b, s)
	if err != nil {
		return nil, err
	}
	c := ingest.Config{
		Ledger: s.ledger, Log: s.log, Events: from, Poison: poison, Stalls: s.stalls, Logger: b.logger, Registry: b.metrics.Registry,
		Wait: 200 * time.Millisecond, BatchesPerSecond: 20,
	}
	if b.cfg.ClickHouse != "" {
		c.Wait, c.BatchesPerSecond = time.Second, 5
	}
	running, err := ingest.Start(c)
	if err == nil {
		b.onClose("usage", func(context.Context) error { return running.Close() })
	}
	return running, err
}

// ledgerBus returns the source of the ledger's records, and the destination of poison. The nodes of a cluster share a ledger in ClickHouse, and so
// the work; a node with its own ledger reads everything.
func ledgerBus(b *base, s *storage) (message.Subscriber, message.Publisher, error) {
	begins := ingest.Beginning{
		Ledger: s.ledger, Log: s.log, Logger: b.logger,
		Facts: func(ctx context.Context, p int32, visit func(public.Event) error) error {
			return publish.Facts(ctx, s.log, p, s.snapshots.Begin, visit)
		},
	}.Next
	if b.cfg.embeddedLog() || b.cfg.ClickHouse == "" {
		return bus.NewLogSubscriber(bus.LogConfig{Log: s.log, Start: begins, Waiting: s.stalls.Reading}), bus.NewLogPublisher(s.log), nil
	}
	c := bus.KafkaConfig{
		Brokers: b.cfg.Kafka.Brokers, Access: b.cfg.Kafka.access(), ClientID: string(b.id), Logger: b.logger,
		SessionTimeout: b.cfg.Kafka.session(), Waiting: s.stalls.Reading,
	}
	poison, err := bus.NewKafkaPublisher(c)
	if err != nil {
		return nil, nil, err
	}
	from, err := bus.NewKafkaSubscriber(c, ledgerGroup, begins)
	if err != nil {
		return nil, nil, errors.Join(err, poison.Close())
	}
	return from, poison, nil
}

// remainsInterval is how often what is left of the poison is counted.
const remainsInterval = time.Minute

// startRemains begins to count what the ledger could not take, also what was left before the process began. The owners of the partitions count for a
// shared one.
func startRemains(b *base, s *storage) *ingest.Remains {
	remains := &ingest.Remains{Log: s.log, Ledger: s.ledger, Mine: mine(b, s)}
	b.periodically("poison", remainsInterval, remains.Look)
	return remains
}

// mine returns which partitions of the ledger a node looks after: all of its own ledger, of a shared one those that it owns.
func mine(b *base, s *storage) func(partition int32) bool {
	return func(p int32) bool { return b.cfg.ClickHouse == "" || s.replica.Owner(p) == b.id }
}

// startReconciliation begins to compare the ledger with the log. A shared ledger is compared by the owners of the partitions.
func startReconciliation(b *base, s *storage) *reconcile.Shares {
	shares := &reconcile.Shares{
		Ledger: s.ledger, Log: s.log, Topic: events.TopicEvents, Logger: b.logger,
		Mine: mine(b, s),
	}
	b.periodically("reconciliation", reconcile.ShareInterval, shares.Next)
	return shares
}

// startHistory begins to take snapshots of the partitions that the node owns, and to trim the journal before them.
func startHistory(b *base, s *storage, net *network, e *engine) (*history.Keeper, error) {
	if err := errors.Join(os.RemoveAll(b.cfg.scratchDir()), os.RemoveAll(b.cfg.backupScratch())); err != nil {
		return nil, err
	}
	keeper := history.New(history.Config{
		Policy: b.cfg.History.policy(), Files: s.snapshots.Files, Log: s.log, Replica: s.replica, Projections: folds(),
		Scratch: b.cfg.scratchDir(), BytesPerSecond: b.cfg.History.bytesPerSecond(),
		Owned: e.served, Current: func() time.Time { return net.peers.current(s.replica.Current()) },
		Room: s.space.forJobs, Consumed: consumed(b, s), Published: published(s.log),
		Node: string(b.id), Version: b.version, Now: b.clock.Now, Logger: b.logger,
	})
	b.periodically("history", history.Interval, func(ctx context.Context) {
		net.peers.setCurrent(s.replica.Current())
		if b.cfg.History.Snapshots > 0 {
			keeper.Look(ctx)
		}
	})
	return keeper, nil
}

// published returns a function for the offsets from which the journal and the public events of a partition are needed to keep publishing.
func published(log eventlog.Log) func(context.Context, int32) (int64, int64, error) {
	return func(ctx context.Context, p int32) (int64, int64, error) { return publish.Needs(ctx, log, p) }
}

// consumed returns a function for how far the ledger has read public events. It is nil if they must be kept: a node that joins a cluster without
// ClickHouse fills its own ledger with all of them.
func consumed(b *base, s *storage) func(context.Context, int32) (int64, error) {
	if !b.cfg.embeddedLog() && b.cfg.ClickHouse == "" {
		return nil
	}
	return func(ctx context.Context, p int32) (int64, error) { return s.ledger.Next(ctx, events.TopicEvents, p) }
}
