package history

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"time"

	"platen.dev/projections/snapshot"
)

// Policy says when to take snapshots and what to keep.
type Policy struct {
	// A snapshot of a partition is due when its journal has grown by Records records, or by any when
	// Every has passed; both give or take a quarter, so that partitions take turns.
	Records int64
	Every   time.Duration
	// Keep is how many snapshots of a partition are kept.
	Keep int
	// Events is how long public events are kept.
	Events time.Duration
}

// Last is the newest snapshot of a partition.
type Last struct {
	// Next is where the journal continues, 0 if there is no snapshot.
	Next int64
	// Rows is how many rows it has.
	Rows int64
	// Taken is when it was taken or, if there is none, since when one is missing.
	Taken time.Time
}

// Due reports whether to take a snapshot of a partition whose journal is folded up to next. A large
// partition waits for more records, because a snapshot copies all its rows.
func (p Policy) Due(partition int32, last Last, next int64, now time.Time) bool {
	records := next - last.Next
	most := max(p.Records, last.Rows/4)
	spread := spread(partition, last.Next)
	return records > 0 &&
		(float64(records) >= spread*float64(most) || now.Sub(last.Taken) >= time.Duration(spread*float64(p.Every)))
}

// spread returns a factor from 0.75 to 1.25 that looks random but depends only on the arguments.
func spread(partition int32, next int64) float64 {
	h := fnv.New64a()
	h.Write(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(nil, uint32(partition)), uint64(next)))
	return 0.75 + float64(h.Sum64()>>11)/(1<<53)/2
}

// Superfluous returns the snapshots of a partition that need not be kept: those behind as many sound ones as are kept. Both lists are newest first, and
// refs has the sound ones, too.
func (p Policy) Superfluous(refs, sound []snapshot.Ref) []snapshot.Ref {
	if len(sound) < p.Keep {
		return nil
	}
	return refs[slices.Index(refs, sound[p.Keep-1])+1:]
}

// TrimBefore returns the offset below which the journal of a partition need not be kept: that of the
// last record of the oldest kept snapshot, by which the snapshot is recognised, or an earlier one
// that is needed. refs are newest first, and sound.
func (p Policy) TrimBefore(refs []snapshot.Ref, needed ...int64) int64 {
	if len(refs) < p.Keep {
		return 0
	}
	before := refs[p.Keep-1].Next - 1
	for _, n := range needed {
		before = min(before, n)
	}
	return max(0, before)
}
