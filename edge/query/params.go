// Package query reads the parameters of a URL's query. It refuses repeated and unknown ones, and reports all violations at once.
package query

import (
	"encoding/json"
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"

	"platen.dev/edge/schema"
	"platen.dev/ledger"
)

// Param is a parameter as it was sent, decoded.
type Param struct{ Name, Value string }

// All returns the parameters of a query in the order in which they were sent; sent is fasthttp.Args.All.
func All(sent iter.Seq2[[]byte, []byte]) (all []Param) {
	for name, value := range sent {
		all = append(all, Param{string(name), string(value)})
	}
	return all
}

// Names of parameters that several endpoints have.
const (
	From   = "from"
	To     = "to"
	Zone   = "time_zone"
	Limit  = "limit"
	Cursor = "cursor"
	// TagPrefix begins the parameter of a tag: tag:NAME=VALUE.
	TagPrefix = "tag:"
)

// DefaultRange is the length of the span between from and to, if from is left out.
const DefaultRange = 30 * 24 * time.Hour

// Params holds the valid parameters of a request, and the violations of the others.
type Params struct {
	// Order has the names in the order in which they were sent.
	Order      []string
	Violations []schema.Violation
	values     map[string]string
}

// Read refuses parameters that are unknown or come twice.
func Read(all []Param, known func(name string) bool) *Params {
	p := &Params{values: map[string]string{}}
	for _, param := range all {
		_, twice := p.values[param.Name]
		switch {
		case !known(param.Name):
			p.add(schema.Violation{Loc: location(param.Name), Msg: "Extra inputs are not permitted", Type: "extra_forbidden"})
		case twice:
			p.Refuse(param.Name, shortened(param.Name)+" is given more than once")
		default:
			p.values[param.Name] = param.Value
			p.Order = append(p.Order, param.Name)
		}
	}
	return p
}

// None returns the violations of a request that takes no parameters.
func None(all []Param) []schema.Violation { return Read(all, OneOf()).Violations }

// OneOf reports whether a name is among names.
func OneOf(names ...string) func(string) bool {
	return func(name string) bool { return slices.Contains(names, name) }
}

func location(name string) []any { return []any{"query", shortened(name)} }

// shortened bounds the part of a name that is repeated, so that a response is not larger than its request.
func shortened(name string) string {
	if runes := []rune(name); len(runes) > schema.MaxName {
		return string(runes[:schema.MaxName-1]) + "…"
	}
	return name
}

func (p *Params) add(all ...schema.Violation) {
	p.Violations = append(p.Violations, all[:min(len(all), schema.MaxViolations-len(p.Violations))]...)
}

// Value returns a parameter, false if it was not given.
func (p *Params) Value(name string) (value string, given bool) {
	value, given = p.values[name]
	return value, given
}

// Refuse adds a violation that a schema cannot state.
func (p *Params) Refuse(name, wrong string) {
	p.add(schema.Violation{Loc: location(name), Msg: "Value error, " + wrong, Type: "value_error"})
}

// Check refuses a parameter unless a value, the parameter's or a part of its name, is of a kind.
func (p *Params) Check(kind schema.Kind, name, value string) {
	p.add(schema.Check(kind, value, location(name)...)...)
}

// Choice returns a parameter of a kind, otherwise if it was not sent.
func (p *Params) Choice(name string, kind schema.String, otherwise string) string {
	value, given := p.values[name]
	if !given {
		return otherwise
	}
	p.Check(kind, name, value)
	return value
}

var digits = regexp.MustCompile(`^-?[0-9]+$`)

// Truth returns true or false, nil if the parameter was not sent.
func (p *Params) Truth(name string) *bool {
	if _, given := p.values[name]; !given {
		return nil
	}
	is := p.Choice(name, TruthKind, "") == "true"
	return &is
}

// TruthKind is the kind of parameters that Truth reads.
var TruthKind = schema.String{OneOf: []string{"true", "false"}}

// Number returns an integer, otherwise if it was not sent.
func (p *Params) Number(name string, kind schema.Integer, otherwise int64) int64 {
	text, given := p.values[name]
	if !given {
		return otherwise
	}
	var value any = text
	if digits.MatchString(text) {
		value = json.Number(text)
	}
	p.add(schema.Check(kind, value, location(name)...)...)
	n, _ := json.Number(text).Int64()
	return n
}

// maxZone is longer than the name of any time zone.
const maxZone = 64

// Zone reads the name of a time zone.
func (p *Params) Zone() *time.Location {
	name, given := p.values[Zone]
	if !given {
		return time.UTC
	}
	location, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" || len(name) > maxZone {
		p.Refuse(Zone, "time_zone must be a name of the IANA time zone database, such as Europe/Berlin")
		return time.UTC
	}
	return location
}

// Span reads from and to. By default the span ends at the next whole second, and its length is before.
func (p *Params) Span(zone *time.Location, now time.Time, before time.Duration) (from, to time.Time) {
	to = p.Instant(To, zone, ceil(now))
	start := to.Add(-before)
	if start.Before(ledger.MinTime) {
		start = ledger.MinTime
	}
	from = p.Instant(From, zone, start)
	p.checkOrder(from, to)
	return from.In(zone), to.In(zone)
}

// OpenSpan reads from and to, each of which is zero if left out.
func (p *Params) OpenSpan(zone *time.Location) (from, to time.Time) {
	from, to = p.Instant(From, zone, from), p.Instant(To, zone, to)
	if !from.IsZero() && !to.IsZero() {
		p.checkOrder(from, to)
	}
	return from, to
}

func (p *Params) checkOrder(from, to time.Time) {
	if len(p.Violations) > 0 || from.Before(to) {
		return
	}
	if _, given := p.values[To]; !given {
		p.Refuse(From, "from must not be in the future without to, which is now by default")
		return
	}
	p.Refuse(From, "from must be before to")
}

func ceil(t time.Time) time.Time {
	if whole := t.Truncate(time.Second); !whole.Equal(t) {
		return whole.Add(time.Second)
	}
	return t
}

// Instant reads a time, or a date, which is its start in a zone.
func (p *Params) Instant(name string, zone *time.Location, otherwise time.Time) time.Time {
	text, given := p.values[name]
	if !given {
		return otherwise
	}
	at, ok := parseInstant(text, zone)
	if !ok {
		p.Refuse(name, name+" must be a time like 2026-01-31T09:00:00Z, in whole seconds, or a date like 2026-01-31, in the years 2000 to 2099")
		return otherwise
	}
	return at
}

// parseInstant reads a time, or a date, which stands for its start in a zone.
func parseInstant(text string, zone *time.Location) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, strings.Replace(text, " ", "+", 1)) // an unencoded plus sign arrives as a space
	if date, wrong := time.Parse(time.DateOnly, text); wrong == nil && InRange(date) {
		at, err = ledger.StartOfDay(zone, date.Year(), date.Month(), date.Day())
	}
	return at, err == nil && InRange(at) && at.Nanosecond() == 0
}

// InRange reports whether a time is within the years 2000 to 2099, those of the ledger.
func InRange(t time.Time) bool { return !t.Before(ledger.MinTime) && !t.After(ledger.MaxTime) }
