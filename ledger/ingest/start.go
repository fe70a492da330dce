package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ThreeDotsLabs/watermill/components/metrics"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"github.com/prometheus/client_golang/prometheus"

	"platen.dev/events"
	"platen.dev/events/bus"
	"platen.dev/events/eventlog"
	"platen.dev/ledger"
)

// Config configures Start.
type Config struct {
	Ledger ledger.Ledger
	// Log is read for missed records.
	Log eventlog.Log
	// Events delivers the records of the topic of public events, Poison receives those that cannot be
	// in the ledger. Both are closed with the ingest.
	Events message.Subscriber
	Poison message.Publisher
	// Stalls notes failures to append; Events tells it of partitions that cannot be read. nil if nobody asks for those.
	Stalls *Stalls
	Logger *slog.Logger
	// Registry gets the metrics of the router; nil for none.
	Registry prometheus.Registerer
	// Wait is how long usage waits for more of its partition, to be appended in one batch.
	Wait time.Duration
	// BatchesPerSecond is the maximum rate of batches, over all partitions: faster arrivals make
	// larger batches.
	BatchesPerSecond int64
	// Pause is the pause before the first retry after a failure; 0 means 100 ms.
	Pause time.Duration
}

// After this many retries, the batch goes back to its subscriber, which delivers it again.
const (
	retries  = 10
	maxPause = 10 * time.Second
)

// closePatience is how long Close waits for appends under way.
const closePatience = 5 * time.Second

// Running is a router at work.
type Running struct {
	*Ingest
	router  *message.Router
	rejects message.Publisher
	ended   chan error
}

// Start begins to fill the ledger, and retries every error until Close.
func Start(c Config) (*Running, error) {
	router, err := message.NewRouter(message.RouterConfig{CloseTimeout: closePatience}, bus.Adapter(c.Logger))
	if err != nil {
		return nil, err
	}
	reject, err := middleware.PoisonQueue(c.Poison, events.TopicPoison)
	if err != nil {
		return nil, err
	}
	c.Pause = cmp.Or(c.Pause, 100*time.Millisecond)
	if c.Stalls == nil {
		c.Stalls = NewStalls(time.Now, c.Logger)
	}
	g := &Ingest{ledger: c.Ledger, log: c.Log, reject: reject, stalls: c.Stalls, logger: c.Logger, told: map[poison]bool{}}
	if c.Registry != nil {
		metrics.NewPrometheusMetricsBuilder(c.Registry, "platen", "bus").AddPrometheusRouterMetrics(router)
	}
	router.AddMiddleware(
		middleware.Retry{MaxRetries: retries, InitialInterval: c.Pause, MaxInterval: maxPause, Multiplier: 2, RandomizationFactor: 0.5}.Middleware,
		middleware.NewThrottle(c.BatchesPerSecond, time.Second).Middleware,
	)
	batches := bus.Batches(c.Events, bus.BatchConfig{
		Logger: c.Logger, Wanted: wanted, Records: BatchRecords, Bytes: batchBytes, Offsets: BatchOffsets, Wait: c.Wait, Pause: c.Pause,
	})
	router.AddConsumerHandler("usage ledger", events.TopicEvents, batches, g.handle)
	r := &Running{Ingest: g, router: router, rejects: c.Poison, ended: make(chan error, 1)}
	go func() { r.ended <- router.Run(context.Background()) }()
	select {
	case <-router.Running():
		return r, nil
	case err := <-r.ended:
		return nil, fmt.Errorf("run the usage ledger's router: %w", err)
	}
}

// Close stops the ingest. Anything delivered but not appended is delivered or read again at the
// next start.
func (r *Running) Close() error {
	err := r.router.Close()
	return errors.Join(err, <-r.ended, r.rejects.Close())
}
