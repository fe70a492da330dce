package bus

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
)

const topic = "platen.test"

func openLog(t *testing.T, partitions int32) eventlog.Log {
	t.Helper()
	l, err := embedded.Open(embedded.Config{Dir: filepath.Join(t.TempDir(), "log"), Partitions: partitions, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func origin(context.Context, string, int32) (int64, error) { return 0, nil }

func subscriber(t *testing.T, l eventlog.Log, start Start) message.Subscriber {
	t.Helper()
	s := NewLogSubscriber(LogConfig{Log: l, Start: start, Pause: time.Microsecond})
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func subscribe(t *testing.T, s message.Subscriber, topic string) <-chan *message.Message {
	t.Helper()
	messages, err := s.Subscribe(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	return messages
}

// publish appends n numbered records to a partition.
func publish(t *testing.T, p message.Publisher, topic string, partition int32, n int) {
	t.Helper()
	for i := range n {
		r := eventlog.Record{Key: []byte("key"), Value: fmt.Append(nil, i), Headers: []eventlog.Header{{Key: "a", Value: "1"}, {Key: "b", Value: ""}}}
		if err := p.Publish(topic, NewMessage(partition, r)); err != nil {
			t.Fatal(err)
		}
	}
}

func next(t *testing.T, messages <-chan *message.Message) (*message.Message, eventlog.Record) {
	t.Helper()
	m := testkit.Receive(t, messages, "a message")
	_, r, err := RecordOf(m)
	if err != nil {
		t.Fatal(err)
	}
	return m, r
}

// Published messages arrive unchanged, in order, again after a nack, and from where Start says.
func TestLog(t *testing.T) {
	l := openLog(t, 1)
	publish(t, NewLogPublisher(l), topic, 0, 4)
	var asked atomic.Int32
	messages := subscribe(t, subscriber(t, l, func(context.Context, string, int32) (int64, error) {
		if asked.Add(1) == 1 {
			return 0, errors.New("not known yet")
		}
		return 1, nil
	}), topic)
	for i := int64(1); i < 4; i++ {
		for _, answer := range []func(*message.Message) bool{(*message.Message).Nack, (*message.Message).Ack} {
			m, r := next(t, messages)
			if r.Offset != i || string(r.Value) != fmt.Sprint(i) || string(r.Key) != "key" || fmt.Sprint(r.Headers) != "[{a 1} {b }]" {
				t.Fatalf("%+v, want %d", r, i)
			}
			answer(m)
		}
	}
}

// brokenLog has one partition, which cannot be read until it is mended, and has no records.
type brokenLog struct {
	eventlog.Log
	mended chan struct{}
}

func (brokenLog) Partitions() int32 { return 1 }

func (l brokenLog) Read(string, int32, int64) eventlog.Reader { return brokenReader{l.mended} }

type brokenReader struct{ mended chan struct{} }

func (r brokenReader) Next(ctx context.Context) ([]eventlog.Record, error) {
	select {
	case <-r.mended:
		<-ctx.Done()
		return nil, ctx.Err()
	default:
		return nil, errors.New("fault of the test")
	}
}

func (brokenReader) Close() {}

// Whoever wants to know is told why a partition cannot be read, each time, and that it can when that has not failed for a while, though nothing is there.
func TestLogIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := brokenLog{mended: make(chan struct{})}
		var told []string
		s := NewLogSubscriber(LogConfig{Log: l, Start: origin, Waiting: func(p int32, err error) { told = append(told, fmt.Sprint(p, " ", err)) }})
		subscribe(t, s, topic)
		time.Sleep(1500 * time.Millisecond)
		close(l.mended)
		time.Sleep(calm * time.Second)
		synctest.Wait()
		if fmt.Sprint(told) != "[0 fault of the test 0 fault of the test]" {
			t.Errorf("before it counts as readable: %q", told)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(told) != 3 || told[2] != "0 <nil>" {
			t.Errorf("after it: %q", told)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// fadingLog can be read, though nothing is there, and can no longer after a while.
type fadingLog struct {
	brokenLog
	lasts time.Duration
}

func (l fadingLog) Read(string, int32, int64) eventlog.Reader { return fadingReader{lasts: l.lasts} }

type fadingReader struct {
	brokenReader
	lasts time.Duration
}

func (r fadingReader) Next(ctx context.Context) ([]eventlog.Record, error) {
	if !eventlog.Pause(ctx, r.lasts) {
		return nil, ctx.Err()
	}
	return nil, errors.New("fault of the test")
}

// A failure right after a partition counts as readable is told after that.
func TestLogFailsAsItCountsAsReadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		s := NewLogSubscriber(LogConfig{Log: fadingLog{lasts: calm*time.Second + 1}, Start: origin, Waiting: func(_ int32, err error) {
			if err == nil {
				time.Sleep(time.Millisecond) // the one that tells is slower than the failure
			}
			told = append(told, fmt.Sprint(err))
		}})
		subscribe(t, s, topic)
		time.Sleep(calm*time.Second + 2*time.Millisecond)
		synctest.Wait()
		if !slices.Equal(told, []string{"<nil>", "fault of the test"}) {
			t.Errorf("told %q", told)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestLogPublisherRefuses(t *testing.T) {
	p := NewLogPublisher(openLog(t, 1))
	for name, m := range map[string]*message.Message{
		"no partition":        message.NewMessage("x", nil),
		"beyond the last":     NewMessage(1, eventlog.Record{}),
		"negative":            NewMessage(-1, eventlog.Record{}),
		"too large":           NewMessage(0, eventlog.Record{Value: make([]byte, eventlog.MaxRecord+1)}),
		"not a number":        {Metadata: message.Metadata{metaPartition: "x"}},
		"offset not a number": {Metadata: message.Metadata{metaPartition: "0", metaOffset: "x"}},
	} {
		if err := p.Publish(topic, m); err == nil {
			t.Errorf("%s: published", name)
		}
	}
}

// Close ends a subscription whatever it waits for.
func TestClose(t *testing.T) {
	l := openLog(t, 2)
	publish(t, NewLogPublisher(l), topic, 0, 1)
	s := subscriber(t, l, origin)
	messages := subscribe(t, s, topic)
	next(t, messages) // neither acked nor nacked
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, open := <-messages; open {
		t.Error("a message after Close")
	}
	if _, err := s.Subscribe(t.Context(), topic); err == nil {
		t.Error("subscribed after Close")
	}
}

func isOdd(r eventlog.Record) bool { return r.Value[len(r.Value)-1]%2 == 1 }

// batchesOf returns the batches of a log with 10 records, as [Lo, Hi] and the number of records.
func batchesOf(t *testing.T, c BatchConfig, n int) (got []string) {
	t.Helper()
	l := openLog(t, 1)
	publish(t, NewLogPublisher(l), topic, 0, 10)
	c.Logger, c.Wanted, c.Pause = testkit.Silent(), isOdd, time.Microsecond
	messages := subscribe(t, Batches(subscriber(t, l, origin), c), topic)
	for range n {
		m := testkit.Receive(t, messages, "a batch")
		b, is := BatchOf(m)
		if !is || b.Topic != topic || b.Partition != 0 {
			t.Fatalf("%+v, %v", b, is)
		}
		got = append(got, fmt.Sprintf("[%d %d] %d", b.Lo, b.Hi, len(b.Records)))
		m.Ack()
	}
	return got
}

// Each of the limits ends a batch.
func TestBatchLimits(t *testing.T) {
	most := BatchConfig{Records: 100, Bytes: 100, Offsets: 100, Wait: time.Hour}
	byRecords, byBytes, byOffsets, byTime := most, most, most, most
	byRecords.Records, byBytes.Bytes, byOffsets.Offsets, byTime.Wait = 2, 3*7, 4, time.Millisecond
	for name, c := range map[string]struct {
		config BatchConfig
		want   []string
	}{
		"records": {byRecords, []string{"[0 3] 2", "[4 7] 2"}},
		"bytes":   {byBytes, []string{"[0 5] 3"}},
		"offsets": {byOffsets, []string{"[0 3] 2", "[4 7] 2"}},
	} {
		if got := batchesOf(t, c.config, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if got := batchesOf(t, byTime, 1); got[0][:2] != "[0" {
		t.Errorf("after some time: %s", got)
	}
}

// A refused batch is delivered again, unchanged.
func TestBatchNack(t *testing.T) {
	l := openLog(t, 1)
	publish(t, NewLogPublisher(l), topic, 0, 4)
	messages := subscribe(t, Batches(subscriber(t, l, origin), BatchConfig{Logger: testkit.Silent(), Wanted: isOdd, Records: 1, Bytes: 100, Offsets: 100, Wait: time.Hour, Pause: time.Microsecond}), topic)
	for range 3 {
		m := testkit.Receive(t, messages, "a batch")
		if b, _ := BatchOf(m); b.Lo != 0 || b.Hi != 1 || len(b.Records) != 1 {
			t.Fatalf("%+v", b)
		}
		m.Nack()
	}
}

// fixed delivers what a test says.
type fixed chan *message.Message

func (f fixed) Subscribe(context.Context, string) (<-chan *message.Message, error) { return f, nil }
func (f fixed) Close() error                                                       { return nil }

// A consumer that has to begin again at or before an open batch, because the topic has lost its end, keeps the records that are there now.
func TestBatchBeginsAgain(t *testing.T) {
	in := make(fixed)
	messages := subscribe(t, Batches(in, BatchConfig{
		Logger: testkit.Silent(), Wanted: func(r eventlog.Record) bool { return len(r.Value) > 0 }, Records: 3, Bytes: 100, Offsets: 100, Wait: time.Hour, Pause: time.Microsecond,
	}), topic)
	go func() {
		for _, r := range []eventlog.Record{{Offset: 5}, {Offset: 6, Value: []byte("lost")}, {Offset: 4, Value: []byte("a")}, {Offset: 5, Value: []byte("b")}, {Offset: 6, Value: []byte("c")}} {
			m := NewMessage(0, r)
			in <- m
			<-m.Acked()
		}
	}()
	m := testkit.Receive(t, messages, "a batch")
	b, _ := BatchOf(m)
	if b.Lo != 4 || b.Hi != 6 || len(b.Records) != 3 || string(b.Records[2].Value) != "c" {
		t.Errorf("%+v", b)
	}
	m.Ack()
	close(in)
}

// A partition that was assigned elsewhere for a while continues in another batch; duplicates count
// once.
func TestBatchJumps(t *testing.T) {
	in := make(fixed)
	messages := subscribe(t, Batches(in, BatchConfig{
		Logger: testkit.Silent(), Wanted: func(eventlog.Record) bool { return true }, Records: 3, Bytes: 100, Offsets: 100, Wait: time.Hour, Pause: time.Microsecond,
	}), topic)
	go func() {
		for _, offset := range []int64{5, 6, 5, 6, 9, 10, 11, 2, 3, 4} {
			m := NewMessage(0, eventlog.Record{Offset: offset})
			in <- m
			<-m.Acked()
		}
	}()
	for _, want := range []string{"5 6 2", "9 11 3", "2 4 3"} {
		m := testkit.Receive(t, messages, "a batch")
		b, _ := BatchOf(m)
		if got := fmt.Sprint(b.Lo, b.Hi, len(b.Records)); got != want {
			t.Errorf("batch %s, want %s", got, want)
		}
		m.Ack()
	}
	foreign := message.NewMessage("x", nil)
	in <- foreign
	<-foreign.Acked() // skipped
	close(in)
}

// What a record has besides its value is in memory, too: a batch of records with large headers is as bounded as any.
func TestBatchCountsHeaders(t *testing.T) {
	in := make(fixed)
	messages := subscribe(t, Batches(in, BatchConfig{
		Logger: testkit.Silent(), Wanted: func(eventlog.Record) bool { return true }, Records: 100, Bytes: 300, Offsets: 100, Wait: time.Hour, Pause: time.Microsecond,
	}), topic)
	go func() {
		for offset := range int64(3) {
			m := NewMessage(0, eventlog.Record{Offset: offset, Headers: []eventlog.Header{{Key: "x", Value: strings.Repeat("x", 99)}}})
			in <- m
			<-m.Acked()
		}
	}()
	m := testkit.Receive(t, messages, "a batch")
	if b, _ := BatchOf(m); len(b.Records) != 3 {
		t.Errorf("a batch has %d records", len(b.Records))
	}
	m.Ack()
	close(in)
}
