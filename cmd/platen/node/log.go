package node

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
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
	return measuredLog{log, &appends{observe: b.metrics.Appended, failed: b.metrics.NotAppended, now: time.Now}}, nil
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
	now     func() time.Time
	nanos   atomic.Int64 // of the last one
	failure atomic.Pointer[appendFailure]

	mu      sync.Mutex // guards pending
	pending list.List  // of pendingAppend: those under way, in the order in which they have begun
}

// pendingAppend is an append under way.
type pendingAppend struct {
	topic     string
	partition int32
	begun     time.Time
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
	bytes, end := r.Size(), l.appends.begin(topic, partition)
	l.Log.Append(topic, partition, r, func(offset int64, err error) {
		if took := end(); err == nil {
			l.appends.nanos.Store(int64(took))
			l.appends.observe(topic, bytes, took)
		} else if !errors.Is(err, eventlog.ErrTooLarge) && !errors.Is(err, eventlog.ErrClosed) { // neither is the log's fault
			l.appends.failure.Store(&appendFailure{err, l.appends.now()})
			l.appends.failed(topic)
		}
		done(offset, err)
	})
}

// begin notes an append until its end, which returns how long it took.
func (a *appends) begin(topic string, partition int32) (end func() time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	begun := a.now()
	noted := a.pending.PushBack(pendingAppend{topic, partition, begun})
	return func() time.Duration {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.pending.Remove(noted)
		return a.now().Sub(begun)
	}
}

// oldest returns which of the appends under way has begun first, and how long that lasts; zero without one. A disk that hangs fails no append.
func (a *appends) oldest() (of pendingAppend, lasts time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if first := a.pending.Front(); first != nil {
		of = first.Value.(pendingAppend)
		lasts = a.now().Sub(of.begun)
	}
	return of, lasts
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

// place says where the log is, for those who look why it hangs.
func (c StorageConfig) place() string {
	if c.embeddedLog() {
		return "the disk of " + c.LogDir()
	}
	return "the brokers at " + strings.Join(c.Kafka.Brokers, ", ")
}

// hangs says what the log does not finish, and for how long; "" if nothing is under way.
func (a *appends) hangs(place string) (what string, lasts time.Duration) {
	of, lasts := a.oldest()
	if of.topic == "" {
		return "", 0
	}
	return fmt.Sprintf("%s/%d on %s", of.topic, of.partition, place), lasts
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
