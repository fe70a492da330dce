package ingest

import (
	"context"
	"maps"
	"sync"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/ledger"
)

// maxRemains bounds the records of a partition that Remains knows. The next ones are counted when some of these are in the ledger, or dropped.
const maxRemains = 1000

// Remains counts the records that Poison lists, without reading the topic again each time: also those from before the process began.
type Remains struct {
	Log    eventlog.Log
	Ledger ledger.Ledger
	// Mine reports whether this node counts a partition.
	Mine func(partition int32) bool

	mu sync.Mutex // guards of
	of map[int32]*remains
}

// remains are the records left in a partition of the topic below next: their offsets in the topic of poison, by source.
type remains struct {
	next int64
	at   map[ledger.Source]int64
}

// Count returns how many there were at the last look.
func (r *Remains) Count() (count int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, of := range r.of {
		count += int64(len(of.at))
	}
	return count
}

// Look counts again. A partition that cannot be read or looked up keeps its count.
func (r *Remains) Look(ctx context.Context) {
	for p := range r.Log.Partitions() {
		var now *remains
		if r.Mine(p) {
			var err error
			if now, err = r.look(ctx, p, r.known(p)); err != nil {
				continue
			}
		}
		r.mu.Lock()
		if r.of == nil {
			r.of = map[int32]*remains{}
		}
		if r.of[p] = now; now == nil {
			delete(r.of, p)
		}
		r.mu.Unlock()
	}
}

// known returns a copy of what is known of a partition.
func (r *Remains) known(p int32) *remains {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := &remains{at: map[ledger.Source]int64{}}
	if of := r.of[p]; of != nil {
		known.next = of.next
		maps.Copy(known.at, of.at)
	}
	return known
}

// look updates the remains of a partition; nil if nothing is left.
func (r *Remains) look(ctx context.Context, p int32, of *remains) (*remains, error) {
	start, end, err := r.Log.Bounds(ctx, events.TopicPoison, p)
	if err != nil || start == end {
		return nil, err
	}
	if of.next > end { // another topic
		of = &remains{at: map[ledger.Source]int64{}}
	}
	for source, at := range of.at {
		lacks, err := lacks(ctx, r.Ledger, source)
		if err != nil {
			return nil, err
		}
		if !lacks || at < start {
			delete(of.at, source)
		}
	}
	of.next = max(of.next, start)
	return of, r.readOn(ctx, p, of, end)
}

// readOn takes up what was published since.
func (r *Remains) readOn(ctx context.Context, p int32, of *remains, end int64) error {
	if of.next >= end || len(of.at) >= maxRemains {
		return nil
	}
	return eachPublished(ctx, r.Log, p, of.next, end, func(poisoned Poisoned) (more bool, err error) {
		lacks, err := lacks(ctx, r.Ledger, poisoned.Source)
		if lacks {
			of.at[poisoned.Source] = poisoned.At
		}
		of.next = poisoned.At + 1
		return len(of.at) < maxRemains, err
	})
}

// lacks reports whether a ledger has no entry of a record.
func lacks(ctx context.Context, l ledger.Ledger, at ledger.Source) (bool, error) {
	figures, err := l.RowsOf(ctx, at.Topic, at.Partition, at.Offset, at.Offset)
	return err == nil && figures.Entries == 0, err
}
