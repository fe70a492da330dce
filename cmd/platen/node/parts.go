package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// part starts once the parts before it run.
type part struct {
	name  string
	start func() error
}

// startAll starts parts until one fails, and logs how long each took, so that a slow start can be explained.
func startAll(logger *slog.Logger, all []part) error {
	for _, p := range all {
		began := time.Now()
		if err := p.start(); err != nil {
			return fmt.Errorf("start %s: %w", p.name, err)
		}
		logger.Debug("part started", "part", p.name, "seconds", seconds(time.Since(began)))
	}
	return nil
}

// seconds returns a duration for the log, to the millisecond.
func seconds(d time.Duration) float64 { return d.Round(time.Millisecond).Seconds() }

// parts are the running ones; the part started last comes last.
type parts struct{ running []running }

// running is a part with the function that ends it.
type running struct {
	part string
	end  func(ctx context.Context) error
}

// onClose registers the function that ends a part, before the parts that started earlier.
func (p *parts) onClose(part string, end func(context.Context) error) {
	p.running = append(p.running, running{part, end})
}

// periodically calls f every interval until close, which cancels f's context and waits for it.
func (p *parts) periodically(part string, interval time.Duration, f func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				f(ctx)
			}
		}
	})
	p.onClose(part, func(context.Context) error { cancel(); running.Wait(); return nil })
}

// close ends the parts in reverse order. They finish what is under way within the drain time; after the limit, those that have not ended, and those
// started before them, are left to the end of the process.
func (p *parts) close(drain, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	limited, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	var errs []error
	for i := len(p.running) - 1; i >= 0; i-- {
		ended := make(chan error, 1)
		go func() { ended <- p.running[i].end(ctx) }()
		select {
		case err := <-ended:
			if err != nil {
				errs = append(errs, fmt.Errorf("stop %s: %w", p.running[i].part, err))
			}
		case <-limited.Done():
			return errors.Join(append(errs, fmt.Errorf("stop %s: not within %s", p.running[i].part, limit))...)
		}
	}
	p.running = nil
	return errors.Join(errs...)
}
