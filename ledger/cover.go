package ledger

// Span is a part of a query's range, from From until To, in seconds since 1970. A Whole one begins and ends at the bounds of sums that the back end
// keeps, none of which spans two buckets.
type Span struct {
	From, To int64
	Whole    bool
}

// Cover divides the query's range into spans, in order, for a back end that keeps sums over size seconds each.
func (f *Fold) Cover(size int64) (spans []Span) {
	from := f.query.From.Unix()
	for _, to := range append(f.within(), f.query.To.Unix()) {
		lo, hi := floor(from+size-1, size), floor(to, size)
		if lo >= hi {
			lo, hi = to, to
		}
		for _, s := range []Span{{from, lo, false}, {lo, hi, true}, {hi, to, false}} {
			spans = extend(spans, s)
		}
		from = to
	}
	return spans
}

// within returns the starts of buckets inside the query's range.
func (f *Fold) within() (starts []int64) {
	for _, start := range f.starts {
		if f.query.From.Unix() < start && start < f.query.To.Unix() {
			starts = append(starts, start)
		}
	}
	return starts
}

// extend adds a span, merging it into the last one if both are of the same kind.
func extend(spans []Span, s Span) []Span {
	last := len(spans) - 1
	switch {
	case s.From == s.To:
		return spans
	case last >= 0 && spans[last].Whole == s.Whole:
		spans[last].To = s.To
		return spans
	}
	return append(spans, s)
}
