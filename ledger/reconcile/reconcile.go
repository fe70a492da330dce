// Package reconcile compares the usage ledger with the log from which it was filled.
//
// It reads the log itself, from its oldest record on, and computes what the ledger must hold: the figures of every range of offsets that the ledger
// claims to have appended, and the sums of every account. It names the differences, and appends again what the ledger lacks.
package reconcile

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"platen.dev/events/eventlog"
	"platen.dev/events/public"
	"platen.dev/ledger"
	"platen.dev/ledger/ingest"
)

// Config says what is compared.
type Config struct {
	Ledger ledger.Ledger
	Log    eventlog.Log
	Topic  string
	// Poison are the offsets of the partition whose records are known not to be in the ledger.
	Poison map[int64]bool
	// Repair appends what the ledger lacks.
	Repair bool
	// Pause is how long a comparison of sums waits for an append under way; 0 means a second.
	Pause time.Duration
	// Account restricts the comparison of sums to one account, unless empty; From and To restrict it to entries that occurred between them. Both are in
	// whole seconds.
	Account  string
	From, To time.Time
}

// Report is the result for one partition.
type Report struct {
	Partition int32 `json:"partition"`
	// The offsets from Start to End were compared. Behind counts the entries after End, which the ledger has not appended yet.
	Start  int64 `json:"start"`
	End    int64 `json:"end"`
	Behind int64 `json:"behind"`
	// Log and Ledger are the figures of the entries there, Markers the number of ranges compared.
	Log     ledger.Figures `json:"log"`
	Ledger  ledger.Figures `json:"ledger"`
	Markers int            `json:"markers"`
	// Accounts is the number of accounts whose sums were compared, Poison the number of records left out.
	Accounts int `json:"accounts"`
	Poison   int `json:"poison"`
	// Differences has at most MaxDifferences; More counts the rest.
	Differences []Difference `json:"differences"`
	More        int          `json:"more"`
}

// MaxDifferences is how many differences a report names.
const MaxDifferences = 100

// Equal reports whether ledger and log agree, maybe after a repair.
func (r Report) Equal() bool {
	for _, d := range r.Differences {
		if !d.Repaired {
			return false
		}
	}
	return r.More == 0
}

// Difference is a place where ledger and log disagreed.
type Difference struct {
	// Lo and Hi are the offsets; both are 0 for an account.
	Lo      int64  `json:"lo"`
	Hi      int64  `json:"hi"`
	Account string `json:"account,omitempty"`
	// What says what is compared with the log: rows, marker or sum.
	What     string         `json:"what"`
	Log      ledger.Figures `json:"log"`
	Ledger   ledger.Figures `json:"ledger"`
	Repaired bool           `json:"repaired"`
	// Error is why a repair failed.
	Error string `json:"error,omitempty"`
}

// String describes the difference for people.
func (d Difference) String() string {
	where := fmt.Sprintf("offsets %d to %d", d.Lo, d.Hi)
	if d.Account != "" {
		where = "account " + d.Account
	}
	s := fmt.Sprintf("%s: by the log %s, by the %s %s", where, tell(d.Log), d.What, tell(d.Ledger))
	if d.Repaired {
		return s + ": repaired"
	}
	if d.Error != "" {
		s += ": " + d.Error
	}
	return s
}

func tell(f ledger.Figures) string {
	return fmt.Sprintf("%d entries, %d units, %d bytes (%016x)", f.Entries, f.Units, f.Bytes, f.Xor)
}

// Run compares one partition, leaving out its known poison.
func Run(ctx context.Context, c Config, partition int32) (Report, error) {
	poison, err := ingest.Poison(ctx, c.Log, c.Ledger, partition)
	if err != nil {
		return Report{Partition: partition}, err
	}
	c.Poison = map[int64]bool{}
	for _, p := range poison {
		c.Poison[p.Source.Offset] = true
	}
	return Partition(ctx, c, partition)
}

// Partition compares one partition.
func Partition(ctx context.Context, c Config, partition int32) (Report, error) {
	start, end, err := c.Log.Bounds(ctx, c.Topic, partition)
	if err != nil {
		return Report{Partition: partition}, err
	}
	if c.From, err = wholeFrom(ctx, c, partition, start, end); err != nil {
		return Report{Partition: partition}, err
	}
	r := &run{Config: c, fold: newFold(c, partition), report: Report{Partition: partition}}
	defer r.fold.close()
	next, err := c.Ledger.Next(ctx, c.Topic, partition)
	if err != nil {
		return r.report, err
	}
	if next > end {
		return r.report, fmt.Errorf("the ledger has read partition %d to offset %d, and the log ends at %d: the topic has lost its end", partition, next, end)
	}
	r.fold.begin(start)
	r.report.Start, r.report.End = start, max(start, next)
	if err := r.ranges(ctx); err != nil {
		return r.report, err
	}
	r.report.Accounts, r.report.Poison = len(r.fold.sums), r.fold.poison
	if err := r.accounts(ctx); err != nil {
		return r.report, err
	}
	r.report.Behind, err = r.fold.remaining(ctx, end)
	return r.report, err
}

// repetitions bounds how many records at the beginning of a trimmed topic may repeat trimmed events: a publisher looks at no more of them to find
// where to continue.
const repetitions = 512

// wholeFrom returns the time from which the log is complete, or c.From if that is later. A log that is trimmed, or was re-created or restored without
// its past, does not begin with the first event.
func wholeFrom(ctx context.Context, c Config, partition int32, start, end int64) (time.Time, error) {
	first := newFold(c, partition)
	defer first.close()
	first.begin(start)
	from, lowest := c.From, int64(math.MaxInt64)
	err := first.each(ctx, min(end, start+repetitions), func(r eventlog.Record) {
		e, err := public.Parse(r)
		if err != nil {
			return
		}
		if lowest = min(lowest, e.Sequence); !e.At.Before(from) {
			from = e.At.Truncate(time.Second).Add(time.Second)
		}
	})
	if start == 0 && (lowest == 1 || lowest == math.MaxInt64) {
		from = c.From
	}
	return from, err
}

// run is one comparison.
type run struct {
	Config
	fold   *fold
	report Report
	span   span
}

// span is a run of markers whose rows are compared at once: in ClickHouse each comparison reads the whole table.
type span struct {
	pieces  []piece
	entries int
}

// piece is a range of offsets covered by one marker, or its part after the previous range.
type piece struct {
	lo, hi int64
	// first are the entries whose first occurrence is here; all includes entries that were published before.
	first, all []ledger.Entry
}

// spanEntries and spanPieces bound a span.
const (
	spanEntries = 20_000
	spanPieces  = ledger.MaxMarkers
)

// ranges compares every range that was appended.
func (r *run) ranges(ctx context.Context) error {
	at := r.report.Start
	for at < r.report.End {
		markers, err := r.Ledger.Markers(ctx, r.Topic, r.report.Partition, at)
		if err != nil {
			return err
		}
		if len(markers) == 0 {
			return fmt.Errorf("partition %d: the ledger says that it ends at %d, and has no marker from %d on", r.report.Partition, r.report.End, at)
		}
		for _, m := range markers {
			if m.Hi < at {
				continue // two writers
			}
			if m.Lo > at {
				return fmt.Errorf("partition %d: the offsets %d to %d have no marker", r.report.Partition, at, m.Lo-1)
			}
			if at, err = r.marker(ctx, at, m); err != nil {
				return err
			}
			if at >= r.report.End {
				break
			}
		}
	}
	return r.flush(ctx)
}

// marker compares one range with its marker, and keeps it for a comparison of rows.
func (r *run) marker(ctx context.Context, at int64, m ledger.Marker) (next int64, err error) {
	got, err := r.fold.read(ctx, m.Hi+1)
	if err != nil {
		return 0, err
	}
	r.report.Markers++
	if m.Lo == at {
		all, err := summarize(got.all)
		if err != nil {
			return 0, err
		}
		if m.Figures != all && m.Entries >= all.Entries { // with fewer entries, it was written before poison was appended
			r.differ(Difference{Lo: m.Lo, Hi: m.Hi, What: "marker", Log: all, Ledger: m.Figures})
		}
	}
	r.span.pieces = append(r.span.pieces, piece{at, m.Hi, got.first, got.all})
	r.span.entries += len(got.first)
	if r.span.entries >= spanEntries || len(r.span.pieces) >= spanPieces {
		err = r.flush(ctx)
	}
	return m.Hi + 1, err
}

// flush compares the rows of a span with the log, and the rows of each of its pieces if they differ.
func (r *run) flush(ctx context.Context) error {
	s := r.span
	r.span = span{}
	if len(s.pieces) == 0 {
		return nil
	}
	whole := piece{lo: s.pieces[0].lo, hi: s.pieces[len(s.pieces)-1].hi}
	for _, p := range s.pieces {
		whole.first = append(whole.first, p.first...)
	}
	log, rows, err := r.look(ctx, whole)
	if err != nil {
		return err
	}
	if log != rows {
		for _, p := range s.pieces {
			if err := r.compare(ctx, p); err != nil {
				return err
			}
		}
		if _, rows, err = r.look(ctx, whole); err != nil {
			return err
		}
	}
	if r.report.Log, err = r.report.Log.Plus(log); err != nil {
		return err
	}
	r.report.Ledger, err = r.report.Ledger.Plus(rows)
	return err
}

// look returns the figures of a piece by the log and by the rows.
func (r *run) look(ctx context.Context, p piece) (log, rows ledger.Figures, err error) {
	if log, err = summarize(p.first); err != nil {
		return log, rows, err
	}
	rows, err = r.Ledger.RowsOf(ctx, r.Topic, r.report.Partition, p.lo, p.hi)
	if err != nil || rows == log {
		return log, rows, err
	}
	rest, err := r.elsewhere(ctx, p)
	if err == nil {
		rows, err = rows.Plus(rest)
	}
	return log, rows, err
}

// elsewhere returns the figures of those entries of a piece that the ledger has from another place: from the topic before its re-creation, or from
// the journal.
func (r *run) elsewhere(ctx context.Context, p piece) (ledger.Figures, error) {
	held, err := r.Ledger.Held(ctx, p.first)
	if err != nil {
		return ledger.Figures{}, err
	}
	held = slices.DeleteFunc(held, func(e ledger.Entry) bool {
		at := e.Source
		return at.Topic == r.Topic && at.Partition == r.report.Partition && at.Offset >= p.lo && at.Offset <= p.hi
	})
	return summarize(held)
}

// compare compares the rows of one piece, and repairs them.
func (r *run) compare(ctx context.Context, p piece) error {
	log, rows, err := r.look(ctx, p)
	if err != nil || log == rows {
		return err
	}
	d := Difference{Lo: p.lo, Hi: p.hi, What: "rows", Log: log, Ledger: rows}
	if r.Repair {
		if err := r.repair(ctx, p, log); err != nil {
			d.Error = err.Error()
		}
		d.Repaired = d.Error == ""
	}
	r.differ(d)
	return nil
}

// repair appends a piece again, and checks whether that has helped.
func (r *run) repair(ctx context.Context, p piece, want ledger.Figures) error {
	b := ledger.Batch{Topic: r.Topic, Partition: r.report.Partition, Lo: p.lo, Hi: p.hi, Entries: p.all}
	if err := r.Ledger.Append(ctx, b); err != nil {
		return err
	}
	_, rows, err := r.look(ctx, p)
	if err != nil {
		return err
	}
	if rows != want {
		return errors.New("the ledger holds entries that the log does not have")
	}
	return nil
}

func (r *run) differ(d Difference) {
	if len(r.report.Differences) == MaxDifferences {
		r.report.More++
		return
	}
	r.report.Differences = append(r.report.Differences, d)
}
