package ledger

import (
	"fmt"
	"strings"
	"time"
)

// Bucket is the unit into which a query divides its time range.
type Bucket int

// The buckets. Hours, days and months are those of the query's location. A day has 23 or 25 hours
// when the clock is changed; an hour that the clock shows twice is two hours.
const (
	Total  Bucket = iota // the whole range
	Hour                 // begins whenever the clock shows a full hour, or is changed
	Day                  // begins when the clock reaches the date
	Month                // begins when the clock reaches its first day
	Window               // the quota window of the entries: Row.Start is its start, Row.End unknown
)

// String returns the bucket's name.
func (b Bucket) String() string {
	if b < Total || b > Window {
		return fmt.Sprintf("bucket %d", int(b))
	}
	return [...]string{"total", "hour", "day", "month", "window"}[b]
}

// Dimension is a property by which entries are grouped: Key, Operation or a tag. Its text is stable.
type Dimension string

// The dimensions besides tags.
const (
	ByKey       Dimension = "key"
	ByOperation Dimension = "operation"
)

const tagPrefix = "tag:"

// ByTag is the dimension of a tag. An entry without the tag has the value "" in it.
func ByTag(name string) Dimension { return Dimension(tagPrefix + name) }

// Tag returns the tag name of a tag dimension.
func (d Dimension) Tag() (name string, is bool) { return strings.CutPrefix(string(d), tagPrefix) }

func (d Dimension) validate() error {
	if name, is := d.Tag(); is {
		return checkTagName(name)
	}
	if d != ByKey && d != ByOperation {
		return fmt.Errorf("the dimension %.70q is unknown: there are %s, %s and %s<name>", string(d), ByKey, ByOperation, tagPrefix)
	}
	return nil
}

// MaxGroupBy is the maximum number of dimensions of a query, MaxBuckets that of hours, days or
// months.
const (
	MaxGroupBy = 4
	MaxBuckets = 10_000
)

// Query asks for an account's charges.
type Query struct {
	Account string
	// From and To bound the time of occurrence: From is inclusive, To exclusive. Both are in whole
	// seconds, from MinTime to MaxTime.
	From, To time.Time
	// Location determines hours, days and months; nil means UTC.
	Location *time.Location
	Bucket   Bucket
	// GroupBy has at most MaxGroupBy distinct dimensions.
	GroupBy []Dimension
}

// Row is one line of an answer. Rows are sorted by Start and then by Groups, byte by byte.
// Buckets and groups without entries have no row.
type Row struct {
	// Start and End bound the bucket, in the query's location. They are not clipped to the query's
	// range, but only entries within the range are counted. End is zero for Window.
	Start, End time.Time
	// Groups has the value of each dimension of GroupBy, in that order.
	Groups                []string
	Units, Bytes, Entries int64
}

// Validate returns nil, or ErrInvalid with what is wrong. NewFold checks the number of buckets.
func (q Query) Validate() error {
	err := checkRange(q.Account, q.From, q.To)
	if err == nil && (q.Bucket < Total || q.Bucket > Window) {
		err = fmt.Errorf("%s is unknown", q.Bucket)
	}
	if err == nil {
		err = checkDimensions(q.GroupBy)
	}
	if err != nil {
		return fmt.Errorf("%w: query: %w", ErrInvalid, err)
	}
	return nil
}

func checkRange(account string, from, to time.Time) error {
	if err := checkText("account", account, 1, MaxName); err != nil {
		return err
	}
	if from.Nanosecond() != 0 || to.Nanosecond() != 0 {
		return fmt.Errorf("from or to has a fraction of a second")
	}
	if from.Before(MinTime) || to.After(MaxTime) {
		return fmt.Errorf("from or to is not in the years 2000 to 2099")
	}
	if !from.Before(to) {
		return fmt.Errorf("from is not before to")
	}
	return nil
}

func checkDimensions(all []Dimension) error {
	if len(all) > MaxGroupBy {
		return fmt.Errorf("%d dimensions, more than %d", len(all), MaxGroupBy)
	}
	for i, d := range all {
		if err := d.validate(); err != nil {
			return err
		}
		for _, other := range all[:i] {
			if d == other {
				return fmt.Errorf("%s is given twice", d)
			}
		}
	}
	return nil
}
