package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/kafka/access"
)

const (
	// A reader's fetches start small, because it may want only one record, and grow as it reads on.
	firstBytes = 32 << 10
	nextBytes  = 1 << 20
	// warnAfter is the number of consecutive failures, about five seconds' worth, after which a warning is logged.
	warnAfter = 10
	// warnAgain is the least time between warnings while that lasts. An alert looks at the last 15 minutes.
	warnAgain = 5 * time.Minute
)

// reader serves one goroutine: by its own fetches while it is behind, by a
// subscription at the end.
type reader struct {
	log       *Log
	topic     *topic
	partition int32
	err       error // the topic is unknown, or the reader is closed
	next      int64
	// epoch is that of the leader that wrote the record before next, -1 if unknown; compared is the leader whose records were compared with it.
	epoch, compared int32
	maxBytes        int32
	subscription    *subscription // nil while behind
}

var _ eventlog.Reader = (*reader)(nil)

// Read implements eventlog.Log. The first Next returns its errors.
func (l *Log) Read(topic string, partition int32, from int64) eventlog.Reader {
	t, err := l.topic(topic, partition)
	if err == nil && from < 0 {
		err = eventlog.ErrTrimmed
	}
	return &reader{log: l, topic: t, partition: partition, err: err, next: from, epoch: -1, compared: -1, maxBytes: firstBytes}
}

func (r *reader) Close() {
	r.unsubscribe()
	r.err = eventlog.ErrClosed
}

func (r *reader) Next(ctx context.Context) ([]eventlog.Record, error) {
	if r.err != nil {
		return nil, r.err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.log.ctx, cancel)()
	records, err := r.read(ctx)
	if err != nil {
		return nil, r.log.orClosed(err)
	}
	r.next += int64(len(records))
	return records, nil
}

// read alternates between fetches and a subscription until there are records.
func (r *reader) read(ctx context.Context) ([]eventlog.Record, error) {
	for {
		if r.subscription == nil {
			records, err := r.fetch(ctx)
			if len(records) > 0 || err != nil {
				return records, err
			}
			if err = r.subscribe(ctx); err != nil {
				return nil, err
			}
			if r.subscription == nil {
				continue
			}
		}
		records, epoch, err := r.subscription.wait(ctx)
		if len(records) > 0 {
			r.epoch = epoch
		}
		if len(records) > 0 || err != nil {
			return records, err
		}
		r.unsubscribe() // the subscription has ended
	}
}

// subscribe makes a subscription. If no client can be made for it, it pauses, and the reader fetches again: the options of a client were good before, but
// a file of a certificate may be about to be replaced.
func (r *reader) subscribe(ctx context.Context) (err error) {
	base := r.topic.base(r.partition)
	r.subscription, err = r.log.consumers.subscribe(topicPartition{r.topic.name, r.partition}, position{r.next - base, r.epoch, base})
	if err == nil || errors.Is(err, eventlog.ErrClosed) {
		return err
	}
	if r.log.unsubscribed.Is(err.Error(), time.Now(), warnAgain) {
		r.log.logger.Warn("kafka: a client that reads cannot be made; reading costs more until it can", "error", err)
	}
	eventlog.Pause(ctx, pollTimeout)
	return ctx.Err()
}

// fetch retries until it has records, is at the end, or meets a permanent error.
func (r *reader) fetch(ctx context.Context) ([]eventlog.Record, error) {
	for failures, warned := 0, (time.Time{}); ; failures++ {
		err := r.compare(ctx)
		if err == nil {
			records, epoch, fetchErr := r.log.fetch(ctx, r.topic, r.partition, r.next, r.maxBytes)
			if err = fetchErr; err == nil {
				if len(records) > 0 {
					r.epoch = epoch
				}
				r.maxBytes = nextBytes
				return records, nil
			}
		}
		r.log.doubt(err)
		if errors.Is(err, kerr.OffsetOutOfRange) {
			err = r.log.outOfRange(ctx, r.topic.name, r.partition, r.next)
		}
		if err != nil && !transient(err) && !r.log.isRefused(err) {
			return nil, err
		}
		if failures >= warnAfter && time.Since(warned) >= warnAgain {
			warned = time.Now()
			r.log.logger.Warn("kafka: reading keeps failing, still trying: check the brokers", "topic", r.topic.name, "partition", r.partition,
				"offset", r.next, "error", err)
		}
		if !eventlog.Pause(ctx, backoff(failures)) {
			return nil, fmt.Errorf("%w, last error: %w", ctx.Err(), err)
		}
		r.log.refreshLeaders(ctx, r.topic)
	}
}

// compare returns ErrReplaced if the leader lacks what was read: it was lost, and other records have taken its place.
func (r *reader) compare(ctx context.Context) error {
	led := r.topic.leadership(r.partition)
	if r.epoch < 0 || led.epoch <= max(r.epoch, r.compared) {
		return nil
	}
	end, err := r.log.endOfEpoch(ctx, r.topic, r.partition, led, r.epoch)
	if err != nil {
		return err
	}
	if end < r.next {
		return fmt.Errorf("%s/%d was read up to %d, and a former leader's records end at %d: %w", r.topic.name, r.partition, r.next, end, eventlog.ErrReplaced)
	}
	r.compared = led.epoch
	return nil
}

// isRefused reports whether brokers no longer let the node in, or read: an operator has taken the right, and may give it again.
func (l *Log) isRefused(err error) bool {
	return errors.Is(l.config.Access.Explain(err), access.ErrRefused)
}

// transient reports whether an error may pass: a network error, or one while a leader moves.
func transient(err error) bool {
	for _, final := range []error{eventlog.ErrTrimmed, eventlog.ErrBeyondEnd, eventlog.ErrReplaced, eventlog.ErrClosed, errGap} {
		if errors.Is(err, final) {
			return false
		}
	}
	var refusal *kerr.Error
	return !errors.As(err, &refusal) || refusal.Retriable
}

func (r *reader) unsubscribe() {
	if r.subscription != nil {
		r.subscription.close()
		r.subscription = nil
	}
}
