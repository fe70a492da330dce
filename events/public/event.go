package public

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// Event is a fact as it is published.
type Event struct {
	Position
	// Sequence counts the facts of a partition from 1, without gaps within a timeline and the same whoever
	// publishes them. A new timeline continues with a far higher number than any before it.
	Sequence int64
	Account  events.AccountID
	// At is when it happened, by the clock of the partition's owner.
	At events.Instant
	// Subject is the job that the fact is about, otherwise the account.
	Subject string
	Data    Data
}

// ContentType is that of the data.
const ContentType = "application/json"

// The headers of a record: the attributes of the CloudEvent. Sequence and partition key are
// documented extensions of CloudEvents.
const (
	headerVersion  = "ce_specversion"
	headerID       = "ce_id"
	headerSource   = "ce_source"
	headerType     = "ce_type"
	headerSubject  = "ce_subject"
	headerTime     = "ce_time"
	headerKey      = "ce_partitionkey"
	headerSequence = "ce_sequence"
	headerTimeline = "ce_timeline"
	headerData     = "content-type"
	specVersion    = "1.0"
	timeLayout     = "2006-01-02T15:04:05.000Z"
)

// Limits of a record: Parse refuses others. Platen writes far less.
const (
	MaxHeaders = 16
	MaxHeader  = 1 << 10 // bytes of a header's value
)

// Record returns the event as a record of the topic. The key is the account.
func (e Event) Record() (eventlog.Record, error) {
	value, err := json.Marshal(e.Data)
	if err != nil {
		return eventlog.Record{}, fmt.Errorf("public event %s: %w", e.Position, err)
	}
	r := eventlog.Record{Key: []byte(e.Account), Value: value, Headers: []eventlog.Header{
		{Key: headerVersion, Value: specVersion},
		{Key: headerID, Value: e.Position.String()},
		{Key: headerSource, Value: sourceOf(string(e.Account))},
		{Key: headerType, Value: e.Data.eventType()},
		{Key: headerSubject, Value: e.Subject},
		{Key: headerTime, Value: e.At.String()},
		{Key: headerKey, Value: string(e.Account)},
		{Key: headerSequence, Value: strconv.FormatInt(e.Sequence, 10)},
		{Key: headerData, Value: ContentType},
	}}
	if e.Position.Timeline != "" {
		r.Headers = append(r.Headers, eventlog.Header{Key: headerTimeline, Value: string(e.Position.Timeline)})
	}
	return r, nil
}

// sourceOf returns the source of an event with a key: the account, or the partition.
func sourceOf(key string) string {
	if partition, is := events.AccountID(key).OfPartition(); is {
		return fmt.Sprint("/partitions/", partition)
	}
	return "/accounts/" + key
}

// Received is an event as a reader gets it: of any type, including types that this version does not
// know.
type Received struct {
	Position Position
	Sequence int64
	Type     string
	Account  events.AccountID
	Subject  string
	At       time.Time
	// Data is a JSON object. It shares the memory of the record.
	Data json.RawMessage
}

// Identity returns the id and the type that a record names, whether or not it is a public event.
func Identity(r eventlog.Record) (id, kind string) {
	for _, h := range r.Headers {
		switch h.Key {
		case headerID:
			id = h.Value
		case headerType:
			kind = h.Value
		}
	}
	return id, kind
}

// ErrForeign means that a record is not a public event of Platen.
var ErrForeign = errors.New("not a public event of Platen")

// Parse reads a record of the topic. Its error is ErrForeign, with the reason.
func Parse(r eventlog.Record) (Received, error) {
	if len(r.Headers) > MaxHeaders {
		return Received{}, fmt.Errorf("%w: %d headers", ErrForeign, len(r.Headers))
	}
	of := map[string]string{}
	for _, h := range r.Headers {
		if len(h.Value) > MaxHeader {
			return Received{}, fmt.Errorf("%w: header %.40q has %d bytes", ErrForeign, h.Key, len(h.Value))
		}
		of[h.Key] = h.Value
	}
	e := Received{Type: of[headerType], Subject: of[headerSubject], Account: events.AccountID(of[headerKey]), Data: r.Value}
	var wrong error
	read := func(name string, parse func(string) error) {
		if err := parse(of[name]); err != nil && wrong == nil {
			wrong = fmt.Errorf("%w: header %s is %.80q", ErrForeign, name, of[name])
		}
	}
	read(headerVersion, is(specVersion))
	read(headerData, is(ContentType))
	read(headerType, isNot(""))
	read(headerKey, is(string(r.Key)))
	read(headerSource, is(sourceOf(string(r.Key))))
	read(headerID, func(s string) (err error) { e.Position, err = parsePosition(s); return err })
	read(headerTimeline, is(string(e.Position.Timeline)))
	read(headerSequence, func(s string) (err error) { e.Sequence, err = parseCount(s, 1); return err })
	read(headerTime, func(s string) (err error) { e.At, err = time.Parse(timeLayout, s); return err })
	if wrong == nil && !isObject(r.Value) {
		wrong = fmt.Errorf("%w: the data is not a JSON object", ErrForeign)
	}
	return e, wrong
}

// Decode reads the data of an event into a pointer, and reports whether the event is of that type.
// Members that this version does not know are ignored.
func (e Received) Decode(into Data) (is bool, err error) {
	if e.Type != into.eventType() {
		return false, nil
	}
	if err := json.Unmarshal(e.Data, into); err != nil {
		return true, fmt.Errorf("data of %s: %w", e.Type, err)
	}
	return true, nil
}

// After returns the number of the last event before one that begins a timeline, or -1 for other events.
func (e Received) After() int64 {
	var begun TimelineBegun
	if is, err := e.Decode(&begun); !is || err != nil {
		return -1
	}
	return begun.After
}

// Is reports whether a received event is the fact: it has the same account, subject, time and type.
func (e Event) Is(read Received) bool {
	return e.Position == read.Position && e.Account == read.Account && e.Subject == read.Subject && e.At == events.At(read.At) && e.Data.eventType() == read.Type
}

var errUnexpected = errors.New("unexpected")

func is(want string) func(string) error {
	return func(have string) error { return check(have == want) }
}

func isNot(other string) func(string) error {
	return func(have string) error { return check(have != other) }
}

func check(ok bool) error {
	if !ok {
		return errUnexpected
	}
	return nil
}

func isObject(b []byte) bool { return len(b) > 0 && b[0] == '{' && json.Valid(b) }

func parsePosition(s string) (p Position, err error) {
	parts := strings.Split(s, "-")
	if len(parts) == 4 && events.TimelineID(parts[0]).Valid() {
		p.Timeline, parts = events.TimelineID(parts[0]), parts[1:]
	}
	if len(parts) != 3 {
		return p, errUnexpected
	}
	partition, err1 := strconv.ParseInt(parts[0], 10, 32)
	offset, err2 := parseCount(parts[1], 0)
	index, err3 := strconv.ParseInt(parts[2], 10, 32)
	p = Position{p.Timeline, int32(partition), offset, int(index)}
	if err := errors.Join(err1, err2, err3); err != nil {
		return p, err
	}
	return p, check(p.String() == s && partition >= 0 && index >= 0)
}

func parseCount(s string, least int64) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, err
	}
	return n, check(n >= least)
}

// MarshalJSON returns the event in CloudEvents' JSON format.
func (e Received) MarshalJSON() ([]byte, error) {
	return json.Marshal(structured{
		specVersion, e.Position.String(), sourceOf(string(e.Account)), e.Type, e.Subject, e.At.Format(timeLayout),
		string(e.Account), strconv.FormatInt(e.Sequence, 10), e.Position.Timeline, ContentType, e.Data,
	})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (e *Received) UnmarshalJSON(b []byte) (err error) {
	var s structured
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*e, err = Parse(eventlog.Record{Key: []byte(s.Key), Value: s.Data, Headers: []eventlog.Header{
		{Key: headerVersion, Value: s.Version},
		{Key: headerID, Value: s.ID},
		{Key: headerSource, Value: s.Source},
		{Key: headerType, Value: s.Type},
		{Key: headerSubject, Value: s.Subject},
		{Key: headerTime, Value: s.Time},
		{Key: headerKey, Value: s.Key},
		{Key: headerSequence, Value: s.Sequence},
		{Key: headerTimeline, Value: string(s.Timeline)},
		{Key: headerData, Value: s.ContentType},
	}})
	return err
}

// structured is an event in JSON format.
type structured struct {
	Version  string `json:"specversion"`
	ID       string `json:"id"`
	Source   string `json:"source"`
	Type     string `json:"type"`
	Subject  string `json:"subject"`
	Time     string `json:"time"`
	Key      string `json:"partitionkey"`
	Sequence string `json:"sequence"`
	// Timeline is missing in a partition that has not named one.
	Timeline    events.TimelineID `json:"timeline,omitempty"`
	ContentType string            `json:"datacontenttype"`
	Data        json.RawMessage   `json:"data"`
}
