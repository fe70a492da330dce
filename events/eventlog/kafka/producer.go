package kafka

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	// replaceInterval is the least time between two clients of a producer.
	replaceInterval = time.Second
	// identifyTimeout bounds asking a client for its producer id, which it has at hand unless it never had one.
	identifyTimeout = time.Second
)

// producer sends records. A client that was refused a producer id, as for lack of the right to write, keeps that refusal and fails every record without
// asking again. So the producer replaces it before the next record: the client has sent nothing since, and cannot disturb the order.
type producer struct {
	config   Config
	failed   atomic.Pointer[kgo.Client] // was refused a producer id; nil if none was
	retiring sync.WaitGroup

	mu     sync.RWMutex // guards the fields below; held for reading while a record is handed to client, so that it is not closed meanwhile
	client *kgo.Client
	opened time.Time
}

func newProducer(c Config) (*producer, error) {
	p := &producer{config: c, opened: time.Now()}
	client, err := p.open()
	p.client = client
	return p, err
}

func (p *producer) open() (*kgo.Client, error) {
	return p.config.client(
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.ProducerLinger(0),
		kgo.ProducerBatchMaxBytes(messageBytes),
		kgo.MaxBufferedRecords(math.MaxInt), // the topics' rooms are the bound
		kgo.RecordDeliveryTimeout(p.config.DeliveryTimeout),
		kgo.ProduceRequestTimeout(produceTimeout),
	)
}

// produce sends a record, and calls done with the outcome. It does not wait.
func (p *producer) produce(r *kgo.Record, done func(*kgo.Record, error)) {
	if failed := p.failed.Load(); failed != nil {
		p.replace(failed)
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	client := p.client
	client.TryProduce(context.Background(), r, func(sent *kgo.Record, err error) {
		p.judge(client, err)
		done(sent, err)
	})
}

// produceWait sends a record, and waits until it is durable.
func (p *producer) produceWait(ctx context.Context, r *kgo.Record) error {
	outcome := make(chan error, 1)
	p.produce(r, func(_ *kgo.Record, err error) { outcome <- err })
	select {
	case err := <-outcome:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// judge marks the client as failed if a failed record shows that it was refused a producer id.
func (p *producer) judge(client *kgo.Client, err error) {
	if !isFinal(err) || errors.Is(err, kerr.MessageTooLarge) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), identifyTimeout)
	defer cancel()
	if _, _, err := client.ProducerID(ctx); isFinal(err) {
		p.failed.Store(client)
	}
}

// isFinal reports whether an error is a broker's refusal that the client does not retry.
func isFinal(err error) bool {
	var refusal *kerr.Error
	return errors.As(err, &refusal) && !refusal.Retriable
}

// replace replaces a failed client, unless that is done, or the client is too new.
func (p *producer) replace(failed *kgo.Client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if failed != p.client || time.Since(p.opened) < replaceInterval {
		return
	}
	client, err := p.open()
	if err != nil { // its options were good before; a file of a certificate may be about to be replaced
		p.config.Logger.Warn("kafka: the client that appends cannot be replaced", "error", err)
		return
	}
	p.retiring.Go(failed.Close) // fails what it was handed and has not failed yet
	p.client, p.opened = client, time.Now()
	p.failed.CompareAndSwap(failed, nil)
}

// close sends what is pending until ctx ends, and fails the rest.
func (p *producer) close(ctx context.Context) {
	p.mu.RLock()
	client := p.client
	p.mu.RUnlock()
	_ = client.Flush(ctx)
	client.Close()
	p.retiring.Wait()
}
