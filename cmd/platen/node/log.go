package node

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/eventlog/kafka"
)

func openLog(ctx context.Context, b *base) (measuredLog, error) {
	log, err := b.cfg.OpenLog(ctx, string(b.id), b.logger, b.fail)
	if err != nil {
		return measuredLog{}, err
	}
	b.onClose("log", func(context.Context) error { return log.Close() })
	return measuredLog{log, &appends{observe: b.metrics.Appended, failed: b.metrics.NotAppended}}, nil
}

// embeddedLog reports whether the node has its own log, rather than one on Kafka.
func (c StorageConfig) embeddedLog() bool { return len(c.Kafka.Brokers) == 0 }

func (c StorageConfig) logKind() string {
	if c.embeddedLog() {
		return "embedded"
	}
	return "kafka"
}

// OpenLog opens the log for a node of this configuration. The embedded log has one user at a time;
// on Kafka, name distinguishes users. Journal and events are unbounded: only the owners of
// partitions write them, each with at most a window under way. failed is called once, if the log
// fails for good.
func (c StorageConfig) OpenLog(ctx context.Context, name string, logger *slog.Logger, failed func(error)) (eventlog.Log, error) {
	if c.embeddedLog() {
		return embedded.Open(embedded.Config{
			Dir: c.LogDir(), Partitions: c.Partitions, Logger: logger, Failed: failed, Unbounded: []string{events.TopicJournal, events.TopicEvents},
		})
	}
	return kafka.Open(ctx, c.Kafka.client(name, c.Partitions, logger))
}

// OpenLogReadOnly opens the log of a stopped node without changing anything.
func (c StorageConfig) OpenLogReadOnly(ctx context.Context) (eventlog.Log, error) {
	logger := slog.New(slog.DiscardHandler)
	if c.embeddedLog() {
		return embedded.Open(embedded.Config{Dir: c.LogDir(), ReadOnly: true, Logger: logger})
	}
	return kafka.Open(ctx, kafka.Config{
		Brokers: c.Kafka.Brokers, Access: c.Kafka.access(), ReadOnly: true, Logger: logger,
		Topics: map[string]kafka.TopicConfig{events.TopicCommands: {}, events.TopicJournal: {}},
	})
}

// measuredLog measures how long appends take to become durable, and how much is appended.
type measuredLog struct {
	eventlog.Log
	appends *appends
}

// appends are the measurements of a measuredLog.
type appends struct {
	observe func(topic string, bytes int, took time.Duration)
	failed  func(topic string)
	nanos   atomic.Int64 // of the last one
	failure atomic.Pointer[appendFailure]
}

// appendFailure is the last append that has failed.
type appendFailure struct {
	err error
	at  time.Time
}

// recentFailure is how long a failed append is shown, as PlatenLogRefuses looks back.
const recentFailure = 2 * time.Minute

// Append implements eventlog.Log.
func (l measuredLog) Append(topic string, partition int32, r eventlog.Record, done func(offset int64, err error)) {
	begun, bytes := time.Now(), r.Size()
	l.Log.Append(topic, partition, r, func(offset int64, err error) {
		if err == nil {
			took := time.Since(begun)
			l.appends.nanos.Store(int64(took))
			l.appends.observe(topic, bytes, took)
		} else if !errors.Is(err, eventlog.ErrTooLarge) && !errors.Is(err, eventlog.ErrClosed) { // neither is the log's fault
			l.appends.failure.Store(&appendFailure{err, time.Now()})
			l.appends.failed(topic)
		}
		done(offset, err)
	})
}

// CacheBytes returns the memory of the log's caches.
func (l measuredLog) CacheBytes() int64 { return cacheBytes(l.Log) }

// cacheBytes returns the memory of the caches of a log or a replica; 0 for a log on Kafka, which has none here.
func cacheBytes(of any) int64 {
	if c, ok := of.(interface{ CacheBytes() int64 }); ok {
		return c.CacheBytes()
	}
	return 0
}

// refused returns why the last failed append has failed, and how long ago, if that is recent; "" if not.
func (a *appends) refused(now time.Time) (why string, ago time.Duration) {
	f := a.failure.Load()
	if f == nil || now.Sub(f.at) > recentFailure {
		return "", 0
	}
	return f.err.Error(), now.Sub(f.at)
}

// last returns how long the last append took, zero before the first.
func (a *appends) last() time.Duration { return time.Duration(a.nanos.Load()) }
