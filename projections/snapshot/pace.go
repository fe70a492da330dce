package snapshot

import (
	"context"
	"time"
)

// Pace is called with the number of bytes about to be processed. It may wait, so that serving does
// not suffer.
type Pace func(bytes int) error

// Unpaced never waits.
func Unpaced(int) error { return nil }

// Paced bounds the speed of work.
func Paced(ctx context.Context, bytesPerSecond int64) Pace {
	next := time.Now()
	return func(bytes int) error {
		if wait := time.Until(next); wait > 0 {
			timer := time.NewTimer(wait)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-ctx.Done():
			}
		} else {
			next = time.Now() // unused time is not made up for
		}
		next = next.Add(time.Duration(float64(bytes) / float64(bytesPerSecond) * float64(time.Second)))
		return ctx.Err()
	}
}
