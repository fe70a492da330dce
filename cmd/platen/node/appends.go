package node

import (
	"errors"
	"sync/atomic"
	"time"

	"platen.dev/events/eventlog"
)

// measuredLog measures how long appends take until they are durable, and how much is appended.
type measuredLog struct {
	eventlog.Log
	appends *appends
}

// appends are the measurements of a measuredLog.
type appends struct {
	observe func(topic string, bytes int, took time.Duration)
	failed  func(topic string)
	nanos   atomic.Int64 // of the last one
}

// Append implements eventlog.Log.
func (l measuredLog) Append(topic string, partition int32, r eventlog.Record, done func(offset int64, err error)) {
	begun, bytes := time.Now(), r.Size()
	l.Log.Append(topic, partition, r, func(offset int64, err error) {
		if err == nil {
			took := time.Since(begun)
			l.appends.nanos.Store(int64(took))
			l.appends.observe(topic, bytes, took)
		} else if !errors.Is(err, eventlog.ErrTooLarge) && !errors.Is(err, eventlog.ErrClosed) { // neither is a fault of the log
			l.appends.failed(topic)
		}
		done(offset, err)
	})
}

// last returns how long the last append took, zero before the first.
func (a *appends) last() time.Duration { return time.Duration(a.nanos.Load()) }
