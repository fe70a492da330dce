package ledger

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Part is a back end's sum of some entries of one group.
type Part struct {
	// At is the start, in seconds since 1970, of the entries' Quarter for Hour, Day and Month, or of
	// their window for Window; it is unused for Total.
	At int64
	// Groups has the value of each dimension, in the order of the query's GroupBy. Fold keeps it.
	Groups                []string
	Units, Bytes, Entries Sum
}

// Fold builds the answer to a query from parts. All back ends share it, so that they put entries
// into the same buckets.
type Fold struct {
	query    Query
	location *time.Location
	starts   []int64 // of the buckets by the clock, and the end of the last one
	lines    map[string]*line
}

// line is a row that is being summed up.
type line struct {
	start, end            int64
	groups                []string
	units, bytes, entries Sum
}

// NewFold validates a query and returns its fold.
func NewFold(q Query) (*Fold, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	f := &Fold{query: q, location: cmp.Or(q.Location, time.UTC), lines: map[string]*line{}}
	if q.Bucket == Total || q.Bucket == Window {
		return f, nil
	}
	var err error
	f.starts, err = clock{f.location}.bounds(q.Bucket, q.From.Unix(), q.To.Unix())
	return f, err
}

// Add counts a part, or returns ErrTooMany.
func (f *Fold) Add(p Part) error {
	start, end := f.bucket(p.At)
	name := strings.Join(append([]string{time.Unix(start, 0).UTC().Format(time.DateTime)}, p.Groups...), "\x00")
	l, found := f.lines[name]
	if !found {
		if len(f.lines) == MaxRows {
			return ErrTooMany
		}
		l = &line{start: start, end: end, groups: p.Groups}
		f.lines[name] = l
	}
	l.units.AddSum(p.Units)
	l.bytes.AddSum(p.Bytes)
	l.entries.AddSum(p.Entries)
	return nil
}

func (f *Fold) bucket(at int64) (start, end int64) {
	switch f.query.Bucket {
	case Total:
		return f.query.From.Unix(), f.query.To.Unix()
	case Window:
		return at, 0
	}
	i, found := slices.BinarySearch(f.starts, at)
	if !found {
		i--
	}
	return f.starts[i], f.starts[i+1]
}

// Rows returns the answer, or ErrOverflow.
func (f *Fold) Rows() ([]Row, error) {
	rows := make([]Row, 0, len(f.lines))
	for _, l := range f.lines {
		row, err := f.row(l)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(a.Start.Compare(b.Start), slices.Compare(a.Groups, b.Groups))
	})
	return rows, nil
}

func (f *Fold) row(l *line) (r Row, err error) {
	r = Row{Start: time.Unix(l.start, 0).In(f.location), Groups: l.groups}
	if f.query.Bucket != Window {
		r.End = time.Unix(l.end, 0).In(f.location)
	}
	if r.Units, err = l.units.Int64(); err != nil {
		return Row{}, err
	}
	if r.Bytes, err = l.bytes.Int64(); err != nil {
		return Row{}, err
	}
	r.Entries, err = l.entries.Int64()
	return r, err
}
