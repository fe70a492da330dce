package ledger

// Span is a part of a query's range, from From until To, in seconds since 1970. A back end that keeps
// sums reads it from those over Size seconds each; with a Size of 0 it reads the entries.
type Span struct{ Size, From, To int64 }

// Cover divides the query's range into spans, in their order, so that every sum that they name is of one bucket. The
// sizes are those that the back end keeps sums of, the largest first; each is a multiple of the next.
func (f *Fold) Cover(sizes ...int64) []Span {
	from, to := f.query.From.Unix(), f.query.To.Unix()
	for len(sizes) > 0 && !f.divides(sizes[0], from, to) {
		sizes = sizes[1:]
	}
	return cover(from, to, sizes)
}

// divides says whether all buckets within a range begin with a multiple of size.
func (f *Fold) divides(size, from, to int64) bool {
	for _, start := range f.starts {
		if from < start && start < to && start%size != 0 {
			return false
		}
	}
	return true
}

// cover uses sums of the largest size where it can, and of the others at both ends.
func cover(from, to int64, sizes []int64) []Span {
	if from >= to {
		return nil
	}
	if len(sizes) == 0 {
		return []Span{{0, from, to}}
	}
	size, smaller := sizes[0], sizes[1:]
	lo, hi := floor(from+size-1, size), floor(to, size)
	if lo >= hi {
		return cover(from, to, smaller)
	}
	spans := append(cover(from, lo, smaller), Span{size, lo, hi})
	return append(spans, cover(hi, to, smaller)...)
}
