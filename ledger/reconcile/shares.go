package reconcile

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"platen.dev/events/eventlog"
	"platen.dev/ledger"
)

// ShareInterval is how often a share of the partitions is compared: all of them within a day.
const (
	ShareInterval = time.Hour
	shares        = 24
)

// Shares compares a ledger with the log, one share of the partitions at a time, and appends what the
// ledger lacks.
type Shares struct {
	Ledger ledger.Ledger
	Log    eventlog.Log
	Topic  string
	// Mine reports whether this process compares a partition. One of the processes that share a ledger
	// does.
	Mine   func(partition int32) bool
	Logger *slog.Logger

	turn, equal, differences atomic.Int64
}

// Figures counts the partitions found equal, and the differences found in others.
type Figures struct{ Equal, Differences int64 }

// Figures may be called from any goroutine.
func (s *Shares) Figures() Figures { return Figures{s.equal.Load(), s.differences.Load()} }

// Next compares the partitions whose turn it is, and logs what differs.
func (s *Shares) Next(ctx context.Context) {
	turn := int32(s.turn.Add(1) % shares)
	for p := turn; p < s.Log.Partitions() && ctx.Err() == nil; p += shares {
		if s.Mine(p) {
			s.compare(ctx, p)
		}
	}
}

func (s *Shares) compare(ctx context.Context, p int32) {
	report, err := Run(ctx, Config{Ledger: s.Ledger, Log: s.Log, Topic: s.Topic, Repair: true}, p)
	switch found := int64(len(report.Differences) + report.More); {
	case ctx.Err() != nil:
	case err != nil:
		s.Logger.Warn("the usage ledger cannot be compared with the log", "partition", p, "error", err)
	case found > 0:
		s.differences.Add(found)
		s.Logger.Error("the usage ledger is not what the log says", "partition", p, "differences", found, "repaired", report.Equal())
	default:
		s.equal.Add(1)
	}
}
