package ledger

import (
	"fmt"
	"time"
)

// Quarter is the grain in seconds in which back ends group what Fold puts into hours, days and
// months: a quarter of an hour, counted from 1970. Since 2000 the clocks of all time zones have
// differed from UTC by a multiple of it, so that every bucket begins with one.
const Quarter = 900

const (
	hour = 3600
	day  = 24 * hour
)

// clock is a time zone in terms of seconds: wall time is the number of seconds since 1970 that a
// wall clock would count.
type clock struct{ location *time.Location }

func (c clock) wall(unix int64) int64 {
	_, offset := time.Unix(unix, 0).In(c.location).Zone()
	return unix + int64(offset)
}

// bounds returns the starts of all buckets that overlap [from, to), and the end of the last one.
func (c clock) bounds(bucket Bucket, from, to int64) ([]int64, error) {
	if bucket == Hour {
		return c.hours(from, to)
	}
	return c.dates(bucket, from, to)
}

func (c clock) hours(from, to int64) ([]int64, error) {
	at := floor(from, Quarter)
	for c.aligned(at) && !c.begins(at) {
		at -= Quarter
	}
	starts := []int64{at}
	for starts[len(starts)-1] < to {
		if len(starts) > MaxBuckets {
			return nil, tooMany(Hour)
		}
		if at += Quarter; !c.aligned(at) {
			return nil, c.misaligned()
		}
		if c.begins(at) {
			starts = append(starts, at)
		}
	}
	return starts, nil
}

func (c clock) aligned(at int64) bool { return c.wall(at)%Quarter == 0 }

// begins reports whether an hour begins: the clock shows a full one, or was changed.
func (c clock) begins(at int64) bool {
	shown := c.wall(at)
	return shown%hour == 0 || shown != c.wall(at-Quarter)+Quarter
}

func (c clock) dates(bucket Bucket, from, to int64) ([]int64, error) {
	year, month, date := time.Unix(from, 0).In(c.location).Date()
	if bucket == Month {
		date = 1
	}
	var starts []int64
	for i := 0; ; i++ {
		next := time.Date(year, month, date+i, 0, 0, 0, 0, time.UTC)
		if bucket == Month {
			next = time.Date(year, month+time.Month(i), 1, 0, 0, 0, 0, time.UTC)
		}
		at, err := c.reached(next.Unix())
		if err != nil {
			return nil, err
		}
		if len(starts) == 0 || at > starts[len(starts)-1] { // some zones have skipped a whole day
			starts = append(starts, at)
		}
		if at >= to {
			return starts, nil
		}
		if len(starts) > MaxBuckets {
			return nil, tooMany(bucket)
		}
	}
}

// reached returns the moment when the clock first shows a wall time or a later one.
func (c clock) reached(wall int64) (int64, error) {
	ahead := func(unix int64) int64 { return c.wall(unix) - unix }
	at := floor(wall-max(ahead(wall-day), ahead(wall+day)), Quarter)
	for c.wall(at) < wall {
		at += Quarter
	}
	if c.wall(at-1) >= wall {
		return 0, c.misaligned()
	}
	return at, nil
}

func (c clock) misaligned() error {
	return fmt.Errorf("%w: query: days of the time zone %s do not begin with a quarter of an hour of UTC", ErrInvalid, c.location)
}

func tooMany(b Bucket) error {
	return fmt.Errorf("%w: query: more than %d buckets by %s", ErrInvalid, MaxBuckets, b)
}

func floor(v, step int64) int64 { return v - v%step }
