package usage

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"platen.dev/edge/schema"
	"platen.dev/ledger"
)

// Param is a parameter of a query, decoded.
type Param struct{ Name, Value string }

// Names of parameters.
const (
	fromParam      = "from"
	toParam        = "to"
	bucketParam    = "bucket"
	zoneParam      = "time_zone"
	groupByParam   = "group_by"
	formatParam    = "format"
	windowParam    = "window"
	keyParam       = "key_id"
	operationParam = "operation"
	limitParam     = "limit"
	cursorParam    = "cursor"
	tagPrefix      = "tag:"
)

// Kinds of parameters, for the API description.
var (
	BucketKind = schema.String{OneOf: []string{"total", "hour", "day", "month", "window"}}
	FormatKind = schema.String{OneOf: []string{string(JSON), string(CSV)}}
	LimitKind  = schema.Integer{Min: 1, Max: ledger.MaxPage}
)

// Format is how an answer is written.
type Format string

// The formats.
const (
	JSON Format = "json"
	CSV  Format = "csv"
)

// Defaults of parameters.
const (
	defaultRange = 30 * 24 * time.Hour
	DefaultLimit = 100
)

// params are the parameters of a request as far as they may be there. Each is read once.
type params struct {
	values     map[string]string
	order      []string // the names as they were sent
	violations []schema.Violation
}

// readParams refuses parameters that are unknown or come twice.
func readParams(all []Param, known func(name string) bool) *params {
	p := &params{values: map[string]string{}}
	for _, param := range all {
		_, twice := p.values[param.Name]
		switch {
		case !known(param.Name):
			p.add(schema.Violation{Loc: location(param.Name), Msg: "Extra inputs are not permitted", Type: "extra_forbidden"})
		case twice:
			p.refuse(param.Name, shortened(param.Name)+" is given more than once")
		default:
			p.values[param.Name] = param.Value
			p.order = append(p.order, param.Name)
		}
	}
	return p
}

func oneOf(names ...string) func(string) bool {
	return func(name string) bool {
		for _, n := range names {
			if n == name {
				return true
			}
		}
		return false
	}
}

func location(name string) []any { return []any{"query", shortened(name)} }

// shortened bounds what is repeated of a name, so that a response is not larger than its request.
func shortened(name string) string {
	if runes := []rune(name); len(runes) > schema.MaxName {
		return string(runes[:schema.MaxName-1]) + "…"
	}
	return name
}

func (p *params) add(all ...schema.Violation) {
	p.violations = append(p.violations, all[:min(len(all), schema.MaxViolations-len(p.violations))]...)
}

// refuse adds a violation that a schema cannot state.
func (p *params) refuse(name, wrong string) {
	p.add(schema.Violation{Loc: location(name), Msg: "Value error, " + wrong, Type: "value_error"})
}

// choice reads one of the values of a kind.
func (p *params) choice(name string, kind schema.String, otherwise string) string {
	value, given := p.values[name]
	if !given {
		return otherwise
	}
	p.add(schema.Check(kind, value, location(name)...)...)
	return value
}

var digits = regexp.MustCompile(`^-?[0-9]+$`)

// number reads an integer.
func (p *params) number(name string, kind schema.Integer, otherwise int64) int64 {
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

// zone reads the name of a time zone.
func (p *params) zone() *time.Location {
	name, given := p.values[zoneParam]
	if !given {
		return time.UTC
	}
	location, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" || len(name) > maxZone {
		p.refuse(zoneParam, "time_zone must be a name of the IANA time zone database, such as Europe/Berlin")
		return time.UTC
	}
	return location
}

// span reads from and to. Without them the span ends at the next whole second, and is as long as
// before says.
func (p *params) span(zone *time.Location, now time.Time, before time.Duration) (from, to time.Time) {
	to = p.instant(toParam, zone, ceil(now))
	start := to.Add(-before)
	if start.Before(ledger.MinTime) {
		start = ledger.MinTime
	}
	from = p.instant(fromParam, zone, start)
	if len(p.violations) == 0 && !from.Before(to) {
		p.refuse(fromParam, "from must be before to")
	}
	return from.In(zone), to.In(zone)
}

func ceil(t time.Time) time.Time {
	if whole := t.Truncate(time.Second); !whole.Equal(t) {
		return whole.Add(time.Second)
	}
	return t
}

// instant reads a moment.
func (p *params) instant(name string, zone *time.Location, otherwise time.Time) time.Time {
	text, given := p.values[name]
	if !given {
		return otherwise
	}
	at, ok := parseInstant(text, zone)
	if !ok {
		p.refuse(name, name+" must be a time like 2026-01-31T09:00:00Z, in whole seconds, or a date like 2026-01-31, in the years 2000 to 2099")
		return otherwise
	}
	return at
}

// parseInstant reads a time, or a date, which stands for its start in a zone.
func parseInstant(text string, zone *time.Location) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, strings.Replace(text, " ", "+", 1)) // a plus sign that was not encoded is a space
	if date, wrong := time.Parse(time.DateOnly, text); wrong == nil && inRange(date) {
		at, err = ledger.StartOfDay(zone, date.Year(), date.Month(), date.Day())
	}
	return at, err == nil && inRange(at) && at.Nanosecond() == 0
}

func inRange(t time.Time) bool { return !t.Before(ledger.MinTime) && !t.After(ledger.MaxTime) }

// reason is what the ledger has against a query, without the words around it.
func reason(err error) string {
	return strings.TrimPrefix(err.Error(), ledger.ErrInvalid.Error()+": query: ")
}

// NoParams returns what is wrong with the parameters of a request that takes none.
func NoParams(all []Param) []schema.Violation { return readParams(all, oneOf()).violations }

// Accepted is the format that a header Accept asks for: CSV if it names it, and JSON not.
func Accepted(header string) Format {
	csv, json := false, false
	for part := range strings.SplitSeq(header, ",") {
		kind, _, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "text/csv":
			csv = true
		case "application/json":
			json = true
		}
	}
	if csv && !json {
		return CSV
	}
	return JSON
}
