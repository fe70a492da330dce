package usage

import (
	"slices"
	"strings"
	"time"

	"platen.dev/edge/query"
	"platen.dev/edge/schema"
	"platen.dev/ledger"
)

// Query asks for sums. The account is added when it is run.
type Query struct {
	ledger.Query
	Format Format
}

// EntryQuery asks for entries. The account is added when it is run.
type EntryQuery struct {
	ledger.EntryQuery
	Format Format
}

// anyone stands for the account while a query is checked.
const anyone = "any"

// ParseQuery reads the parameters of a query for sums, or returns all that is wrong with them. otherwise is the format
// unless a parameter names one.
func ParseQuery(all []query.Param, now time.Time, otherwise Format) (Query, []schema.Violation) {
	p := params{query.Read(all, query.OneOf(query.From, query.To, bucketParam, query.Zone, groupByParam, formatParam))}
	q := Query{Format: Format(p.Choice(formatParam, FormatKind, string(otherwise)))}
	q.Bucket = p.bucket()
	q.GroupBy = p.groupBy()
	q.Location = p.Zone()
	q.From, q.To = p.Span(q.Location, now, query.DefaultRange)
	if len(p.Violations) == 0 {
		p.checkBuckets(q.Query)
	}
	return q, p.Violations
}

func (p params) bucket() ledger.Bucket {
	name := p.Choice(bucketParam, BucketKind, ledger.Day.String())
	return ledger.Bucket(max(0, slices.Index(BucketKind.OneOf, name)))
}

// groupBy reads a list of dimensions. The ledger knows the rules of each.
func (p params) groupBy() (all []ledger.Dimension) {
	list, given := p.Value(groupByParam)
	if !given {
		return nil
	}
	for name := range strings.SplitSeq(list, ",") {
		all = append(all, ledger.Dimension(name))
		if len(all) > ledger.MaxGroupBy {
			break
		}
	}
	check := ledger.Query{Account: anyone, From: ledger.MinTime, To: ledger.MaxTime, GroupBy: all}
	if err := check.Validate(); err != nil {
		p.Refuse(groupByParam, "group_by must be up to 4 of key, operation and tag:NAME, separated by commas: "+reason(err))
	}
	return all
}

// checkBuckets refuses a span with too many buckets, and a zone whose days the ledger cannot bucket.
func (p params) checkBuckets(q ledger.Query) {
	q.Account = anyone
	if _, err := ledger.NewFold(q); err != nil {
		p.Refuse(bucketParam, reason(err))
	}
}

// ParseEntryQuery reads the parameters of a query for entries, or returns all violations. A query for a window covers
// all of it, unless from or to is given.
func ParseEntryQuery(all []query.Param, now time.Time, otherwise Format) (EntryQuery, []schema.Violation) {
	named := query.OneOf(query.From, query.To, query.Zone, windowParam, keyParam, operationParam, query.Limit, query.Cursor, formatParam)
	p := params{query.Read(all, func(name string) bool { return named(name) || strings.HasPrefix(name, query.TagPrefix) })}
	q := EntryQuery{Format: Format(p.Choice(formatParam, FormatKind, string(otherwise)))}
	q.Limit = int(p.Number(query.Limit, LimitKind, DefaultLimit))
	q.Where = p.where()
	q.After = p.cursor()
	zone := p.Zone()
	q.Window = p.window()
	if before := query.DefaultRange; q.Window.IsZero() {
		q.From, q.To = p.Span(zone, now, before)
	} else {
		q.From, q.To = p.spanOfWindow(zone)
	}
	return q, p.Violations
}

// where reads the conditions on entries, in the order in which they were sent.
func (p params) where() (all []ledger.Match) {
	for _, name := range p.Order {
		value, _ := p.Value(name)
		match := ledger.Match{Dimension: ledger.Dimension(name), Value: value}
		switch {
		case name == keyParam:
			match.Dimension = ledger.ByKey
		case name == operationParam:
			match.Dimension = ledger.ByOperation
		case !strings.HasPrefix(name, query.TagPrefix):
			continue
		}
		all = append(all, match)
		if err := checkEntries(ledger.EntryQuery{Where: []ledger.Match{match}}); err != nil {
			p.Refuse(name, reason(err))
		} else if len(all) == ledger.MaxGroupBy+1 {
			p.Refuse(name, "at most 4 of key_id, operation and tag:NAME can be given")
		}
	}
	return all
}

// checkEntries validates a part of a query.
func checkEntries(q ledger.EntryQuery) error {
	q.Account, q.From, q.To, q.Limit = anyone, ledger.MinTime, ledger.MaxTime, 1
	return q.Validate()
}

func (p params) cursor() string {
	cursor, given := p.Value(query.Cursor)
	if given && (cursor == "" || checkEntries(ledger.EntryQuery{After: cursor}) != nil) {
		p.Refuse(query.Cursor, "cursor must be the next_cursor of an answer")
	}
	return cursor
}

// window reads the start of a quota window.
func (p params) window() (start time.Time) {
	text, given := p.Value(windowParam)
	if !given {
		return start
	}
	start, ok := ParseWindow(text)
	if !ok {
		p.Refuse(windowParam, windowWanted)
	}
	return start
}

const windowWanted = "window must be the start of a quota window, such as 2026-01-31T09:00:00Z"

// ParseWindow reads the start of a quota window. Events show it with milliseconds; the ledger has none.
func ParseWindow(text string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, strings.Replace(text, " ", "+", 1))
	at = at.UTC().Truncate(time.Second)
	return at, err == nil && query.InRange(at) && at.Before(ledger.MaxTime)
}

// spanOfWindow is span for a window: all times, unless some are named.
func (p params) spanOfWindow(zone *time.Location) (from, to time.Time) {
	return p.Span(zone, ledger.MaxTime, ledger.MaxTime.Sub(ledger.MinTime))
}
