package reconcile

import (
	"context"
	"fmt"
	"time"

	"platen.dev/events/eventlog"
	"platen.dev/events/public"
	"platen.dev/ledger"
	"platen.dev/ledger/ingest"
)

// fold reads a partition forward, and computes what the ledger must hold.
type fold struct {
	config    Config
	partition int32
	reader    eventlog.Reader
	left      []eventlog.Record // read and not yet folded
	next      int64
	// sequence is the largest number of a public event so far: an event whose number is not larger is a
	// repetition.
	sequence int64
	unwanted map[int64]bool // poison
	poison   int
	sums     map[string]*sum
}

// found are the entries of a range: all, and those that occur for the first time.
type found struct{ all, first []ledger.Entry }

func newFold(c Config, partition int32) *fold {
	return &fold{config: c, partition: partition, unwanted: c.Poison, sums: map[string]*sum{}}
}

func (f *fold) begin(at int64) {
	f.next, f.reader = at, f.config.Log.Read(f.config.Topic, f.partition, at)
}

func (f *fold) close() {
	if f.reader != nil {
		f.reader.Close()
	}
}

// read folds the records below an offset.
func (f *fold) read(ctx context.Context, to int64) (all found, err error) {
	err = f.each(ctx, to, func(r eventlog.Record) {
		e, is, repeated := f.entry(r)
		if !is {
			return
		}
		all.all = append(all.all, e)
		if !repeated {
			all.first = append(all.first, e)
			f.charge(e)
		}
	})
	return all, err
}

// remaining returns how many entries there are below an offset.
func (f *fold) remaining(ctx context.Context, to int64) (n int64, err error) {
	err = f.each(ctx, to, func(r eventlog.Record) {
		if _, is, repeated := f.entry(r); is && !repeated {
			n++
		}
	})
	return n, err
}

// each visits the records below an offset.
func (f *fold) each(ctx context.Context, to int64, visit func(eventlog.Record)) error {
	for f.next < to {
		if len(f.left) == 0 {
			records, err := f.reader.Next(ctx)
			if err != nil {
				return fmt.Errorf("read %s/%d at %d: %w", f.config.Topic, f.partition, f.next, err)
			}
			f.left = records
		}
		visit(f.left[0])
		f.next, f.left = f.left[0].Offset+1, f.left[1:]
	}
	return nil
}

// entry returns the entry of a record, and whether its event is a repetition.
func (f *fold) entry(r eventlog.Record) (e ledger.Entry, is, repeated bool) {
	if f.unwanted[r.Offset] {
		f.poison++
		return e, false, false
	}
	event, err := public.Parse(r)
	if err != nil {
		return e, false, false
	}
	repeated = event.Sequence <= f.sequence
	f.sequence = max(f.sequence, event.Sequence)
	e, is, err = ingest.FromEvent(ledger.Source{Topic: f.config.Topic, Partition: f.partition, Offset: r.Offset}, event)
	return e, is && err == nil, repeated
}

// charge adds an entry to the sums of its account, if it is in the compared time range.
func (f *fold) charge(e ledger.Entry) {
	from, to := f.config.times()
	if e.Occurred.Before(from) || !e.Occurred.Before(to) {
		return
	}
	s := f.sums[e.Account]
	if s == nil {
		s = &sum{}
		f.sums[e.Account] = s
	}
	s.entries++
	s.units.Add(e.Units)
	s.bytes.Add(e.Bytes)
}

// times returns From and To, or else the bounds of what a ledger can hold.
func (c Config) times() (from, to time.Time) {
	from, to = c.From, c.To
	if from.IsZero() {
		from = ledger.MinTime
	}
	if to.IsZero() {
		to = ledger.MaxTime
	}
	return from, to
}
