package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/kafka/access"
	"platen.dev/events/limit"
)

// Log is a log on Kafka. It owns one client for fetches and administration, one
// for appends, the shared consumers, and one client per membership.
type Log struct {
	config    Config
	logger    *slog.Logger
	client    *kgo.Client
	admin     *kadm.Client // on client
	producer  *producer
	topics    map[string]*topic
	consumers consumers
	members   members

	ctx      context.Context // ends with Close
	cancel   context.CancelFunc
	closing  sync.Once
	watching sync.WaitGroup
	danger   atomic.Pointer[error] // the danger in the topics and their settings
	doubts   chan struct{}         // has room for one signal that a broker does not know a topic
	added    limit.News            // that partitions were added to a topic
	// unsubscribed is that no client could be made for a reader.
	unsubscribed limit.News

	appends sync.RWMutex // guards closed; held for reading while an append is counted in pending
	closed  bool
	pending sync.WaitGroup // appends whose callback has not run
}

var _ eventlog.Log = (*Log)(nil)

// Open connects, creates the topics that do not exist, and checks all of them. The
// error is a *eventlog.PartitionCountError if one has another partition count. ctx
// bounds the opening only.
func Open(ctx context.Context, c Config) (*Log, error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	if err := c.enter(ctx); err != nil {
		return nil, fmt.Errorf("open kafka log: %w", err)
	}
	client, err := c.client()
	if err != nil {
		return nil, fmt.Errorf("open kafka log: %w", err)
	}
	producer, err := newProducer(c)
	if err != nil {
		client.Close()
		return nil, fmt.Errorf("open kafka log: %w", err)
	}
	l := &Log{config: c, logger: c.Logger, client: client, admin: kadm.NewClient(client), producer: producer, doubts: make(chan struct{}, 1)}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.consumers.log, l.members.open = l, map[*member]bool{}
	if err := l.prepare(ctx); err != nil {
		l.cancel()
		producer.close(ctx)
		client.Close()
		return nil, fmt.Errorf("open kafka log: %w", c.Access.Explain(err))
	}
	if !c.ReadOnly {
		l.watching.Go(l.watchTopics)
	}
	return l, nil
}

// Health implements eventlog.Log: it reports topics that are gone or others than before, and settings that endanger records.
func (l *Log) Health() error {
	if err := l.danger.Load(); err != nil {
		return *err
	}
	return nil
}

// Partitions implements eventlog.Log.
func (l *Log) Partitions() int32 { return l.config.Partitions }

// TopicID implements eventlog.Log: the id that Kafka gave to the topic, in base64 as its tools show
// it. A digest of the partitions' starts follows if any does not begin at 0.
func (l *Log) TopicID(topic string) string {
	t, ok := l.topics[topic]
	if !ok || t.id == [16]byte{} { // brokers before 2.8 have no ids
		return ""
	}
	return t.identity()
}

// Append implements eventlog.Log.
func (l *Log) Append(topic string, partition int32, r eventlog.Record, done func(offset int64, err error)) {
	l.appends.RLock()
	if l.closed {
		l.appends.RUnlock()
		go done(0, eventlog.ErrClosed) // the client has ended, and done must not run in the caller's goroutine
		return
	}
	l.pending.Add(1)
	l.appends.RUnlock()
	size := eventlog.Size(&r)
	t, err := l.checkAppend(topic, partition, r)
	if err == nil {
		err = t.room.Take(size)
	}
	if err != nil {
		go l.complete(done, topic, 0, err)
		return
	}
	l.producer.produce(toKafka(topic, partition, r), func(sent *kgo.Record, err error) {
		t.room.Give(size)
		l.complete(done, topic, t.base(partition)+sent.Offset, err)
	})
}

// complete calls back with the outcome of an append.
func (l *Log) complete(done func(int64, error), topic string, offset int64, err error) {
	defer l.pending.Done()
	switch {
	case err == nil:
		done(offset, nil)
	case errors.Is(err, kgo.ErrClientClosed) && l.ctx.Err() != nil: // otherwise the client was replaced, which leaves the outcome unknown
		done(0, eventlog.ErrClosed)
	case errors.Is(err, kerr.MessageTooLarge):
		done(0, eventlog.ErrTooLarge)
	default:
		l.doubt(err)
		done(0, fmt.Errorf("append: %w", l.explain(err, kmsg.ACLOperationWrite, topic)))
	}
}

func (l *Log) checkAppend(topic string, partition int32, r eventlog.Record) (*topic, error) {
	switch {
	case l.config.ReadOnly:
		return nil, eventlog.ErrReadOnly
	case len(r.Value) > eventlog.MaxRecord:
		return nil, eventlog.ErrTooLarge
	}
	return l.topic(topic, partition)
}

func toKafka(topic string, partition int32, r eventlog.Record) *kgo.Record {
	sent := &kgo.Record{Topic: topic, Partition: partition, Key: r.Key, Value: r.Value}
	if len(r.Headers) > 0 {
		sent.Headers = make([]kgo.RecordHeader, len(r.Headers))
	}
	for i, h := range r.Headers {
		sent.Headers[i] = kgo.RecordHeader{Key: h.Key, Value: []byte(h.Value)}
	}
	return sent
}

// fromKafka returns a record of a partition with a base. The marker that ends another client's transaction has an offset like a record: it is an empty
// one, so that it leaves no gap, and is foreign to everybody.
func fromKafka(got *kgo.Record, base int64) eventlog.Record {
	r := eventlog.Record{Offset: base + got.Offset, Key: got.Key, Value: got.Value}
	if got.Attrs.IsControl() {
		return eventlog.Record{Offset: r.Offset}
	}
	if len(got.Headers) > 0 {
		r.Headers = make([]eventlog.Header, len(got.Headers))
	}
	for i, h := range got.Headers {
		r.Headers[i] = eventlog.Header{Key: h.Key, Value: string(h.Value)}
	}
	return r
}

// Bounds implements eventlog.Log. It retries while the partition has no leader, or most of its
// replicas do not say who that is.
func (l *Log) Bounds(ctx context.Context, topic string, partition int32) (start, end int64, err error) {
	t, err := l.topic(topic, partition)
	if err != nil {
		return 0, 0, err
	}
	deadline := time.Now().Add(electionTimeout)
	for failures := 0; ; failures++ {
		start, end, err = l.bounds(ctx, t, partition)
		if err == nil {
			return start, end, nil
		}
		l.doubt(err)
		if !transient(err) || time.Now().After(deadline) || !eventlog.Pause(ctx, backoff(failures)) {
			return 0, 0, fmt.Errorf("bounds of %s/%d: %w", topic, partition, l.orClosed(err))
		}
		l.refreshLeaders(ctx, t)
	}
}

// electionTimeout is how long a request is repeated while a partition has no leader, as when a
// broker restarts.
const electionTimeout = 30 * time.Second

// bounds asks the leader.
func (l *Log) bounds(ctx context.Context, t *topic, partition int32) (start, end int64, err error) {
	led, err := l.confirmLeader(ctx, t, partition)
	if err != nil {
		return 0, 0, err
	}
	if start, err = l.offset(ctx, t.name, partition, led, atStart); err == nil {
		end, err = l.offset(ctx, t.name, partition, led, atEnd)
	}
	base := t.base(partition)
	return base + start, base + end, err
}

// Special timestamps of a ListOffsets request.
const (
	atStart int64 = -2
	atEnd   int64 = -1
)

// offset asks a leader for an offset. A broker that is not the leader of that epoch refuses.
func (l *Log) offset(ctx context.Context, topic string, partition int32, led leadership, at int64) (int64, error) {
	p := kmsg.NewListOffsetsRequestTopicPartition()
	p.Partition, p.Timestamp, p.CurrentLeaderEpoch = partition, at, led.epoch
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic, t.Partitions = topic, append(t.Partitions, p)
	request := kmsg.NewPtrListOffsetsRequest()
	request.Topics = append(request.Topics, t)
	response, err := request.RequestWith(ctx, l.client.Broker(int(led.leader)))
	if err != nil {
		return 0, err
	}
	if len(response.Topics) != 1 || len(response.Topics[0].Partitions) != 1 {
		return 0, errNoPartition
	}
	found := response.Topics[0].Partitions[0]
	return found.Offset, l.explain(kerr.ErrorForCode(found.ErrorCode), kmsg.ACLOperationDescribe, topic)
}

// errNoPartition means that a broker's response lacks the requested partition.
var errNoPartition = errors.New("the broker's response does not include the partition")

// Trim implements eventlog.Log.
func (l *Log) Trim(ctx context.Context, topic string, partition int32, before int64) error {
	if l.config.ReadOnly {
		return eventlog.ErrReadOnly
	}
	t, err := l.topic(topic, partition)
	if err != nil {
		return err
	}
	base := t.base(partition)
	if before <= base {
		return nil
	}
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: topic, Partition: partition, At: before - base})
	responses, err := l.admin.DeleteRecords(ctx, offsets)
	if err == nil {
		err = responses.Error()
	}
	if errors.Is(err, kerr.OffsetOutOfRange) {
		if err = l.outOfRange(ctx, topic, partition, before); errors.Is(err, eventlog.ErrTrimmed) {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("trim %s/%d: %w", topic, partition, l.orClosed(l.explain(err, kmsg.ACLOperationDelete, topic)))
	}
	return nil
}

// explain names the operation on a topic that brokers do not allow, if an error means that.
func (l *Log) explain(err error, operation kmsg.ACLOperation, topics ...string) error {
	return l.config.Access.ExplainLack(err, access.OnTopics(operation, topics...))
}

// orClosed returns err, or ErrClosed once the log is closed.
func (l *Log) orClosed(err error) error {
	if l.ctx.Err() != nil {
		return eventlog.ErrClosed
	}
	return err
}

// flushTimeout is how long Close waits for pending appends to succeed.
const flushTimeout = 10 * time.Second

// Close leaves all groups, ends the readers, completes the pending appends or
// fails them after ten seconds, and disconnects. Later calls do nothing.
func (l *Log) Close() error {
	l.closing.Do(func() {
		l.members.close()
		l.appends.Lock()
		l.closed = true
		l.appends.Unlock()
		l.cancel()
		l.watching.Wait()
		l.consumers.close()
		ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
		defer cancel()
		l.producer.close(ctx)
		l.client.Close()
		l.pending.Wait()
	})
	return nil
}
