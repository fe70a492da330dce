package usage

import (
	"slices"
	"strings"
	"time"

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
func ParseQuery(all []Param, now time.Time, otherwise Format) (Query, []schema.Violation) {
	p := readParams(all, oneOf(fromParam, toParam, bucketParam, zoneParam, groupByParam, formatParam))
	q := Query{Format: Format(p.choice(formatParam, FormatKind, string(otherwise)))}
	q.Bucket = p.bucket()
	q.GroupBy = p.groupBy()
	q.Location = p.zone()
	q.From, q.To = p.span(q.Location, now, defaultRange)
	if len(p.violations) == 0 {
		p.checkBuckets(q.Query)
	}
	return q, p.violations
}

func (p *params) bucket() ledger.Bucket {
	name := p.choice(bucketParam, BucketKind, ledger.Day.String())
	return ledger.Bucket(max(0, slices.Index(BucketKind.OneOf, name)))
}

// groupBy reads a list of dimensions. The ledger knows the rules of each.
func (p *params) groupBy() (all []ledger.Dimension) {
	list, given := p.values[groupByParam]
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
		p.refuse(groupByParam, "group_by must be up to 4 of key, operation and tag:NAME, separated by commas: "+reason(err))
	}
	return all
}

// checkBuckets refuses a span that has too many buckets, and a zone whose days have no buckets.
func (p *params) checkBuckets(q ledger.Query) {
	q.Account = anyone
	if _, err := ledger.NewFold(q); err != nil {
		p.refuse(bucketParam, reason(err))
	}
}

// ParseEntryQuery reads the parameters of a query for entries, or returns all that is wrong with
// them. A query for a window covers all of it unless it says from or to.
func ParseEntryQuery(all []Param, now time.Time, otherwise Format) (EntryQuery, []schema.Violation) {
	named := oneOf(fromParam, toParam, zoneParam, windowParam, keyParam, operationParam, limitParam, cursorParam, formatParam)
	p := readParams(all, func(name string) bool { return named(name) || strings.HasPrefix(name, tagPrefix) })
	q := EntryQuery{Format: Format(p.choice(formatParam, FormatKind, string(otherwise)))}
	q.Limit = int(p.number(limitParam, LimitKind, DefaultLimit))
	q.Where = p.where()
	q.After = p.cursor()
	zone := p.zone()
	q.Window = p.window()
	if before := defaultRange; q.Window.IsZero() {
		q.From, q.To = p.span(zone, now, before)
	} else {
		q.From, q.To = p.spanOfWindow(zone)
	}
	return q, p.violations
}

// where reads what entries must have, in the order in which it was sent.
func (p *params) where() (all []ledger.Match) {
	for _, name := range p.order {
		match := ledger.Match{Dimension: ledger.Dimension(name), Value: p.values[name]}
		switch {
		case name == keyParam:
			match.Dimension = ledger.ByKey
		case name == operationParam:
			match.Dimension = ledger.ByOperation
		case !strings.HasPrefix(name, tagPrefix):
			continue
		}
		all = append(all, match)
		if err := checkEntries(ledger.EntryQuery{Where: []ledger.Match{match}}); err != nil {
			p.refuse(name, reason(err))
		} else if len(all) == ledger.MaxGroupBy+1 {
			p.refuse(name, "at most 4 of key_id, operation and tag:NAME can be given")
		}
	}
	return all
}

// checkEntries validates a part of a query.
func checkEntries(q ledger.EntryQuery) error {
	q.Account, q.From, q.To, q.Limit = anyone, ledger.MinTime, ledger.MaxTime, 1
	return q.Validate()
}

func (p *params) cursor() string {
	cursor := p.values[cursorParam]
	if _, given := p.values[cursorParam]; given && (cursor == "" || checkEntries(ledger.EntryQuery{After: cursor}) != nil) {
		p.refuse(cursorParam, "cursor must be the next_cursor of an answer")
	}
	return cursor
}

// window reads the start of a quota window.
func (p *params) window() (start time.Time) {
	text, given := p.values[windowParam]
	if !given {
		return start
	}
	start, ok := ParseWindow(text)
	if !ok {
		p.refuse(windowParam, windowWanted)
	}
	return start
}

const windowWanted = "window must be the start of a quota window, such as 2026-01-31T09:00:00Z"

// ParseWindow reads the start of a quota window. Events show it with milliseconds; the ledger has none.
func ParseWindow(text string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, strings.Replace(text, " ", "+", 1))
	at = at.UTC().Truncate(time.Second)
	return at, err == nil && inRange(at) && at.Before(ledger.MaxTime)
}

// spanOfWindow is span for a window: all times, unless some are named.
func (p *params) spanOfWindow(zone *time.Location) (from, to time.Time) {
	return p.span(zone, ledger.MaxTime, ledger.MaxTime.Sub(ledger.MinTime))
}
