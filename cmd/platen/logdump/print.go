package logdump

import (
	"encoding/json"
	"fmt"
	"io"

	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// printer writes the records that pass the filter, one partition after another.
type printer struct {
	filter Filter
	w      io.Writer

	partition int32
	undecided bool           // the following commands have no envelope
	recent    bool           // a record that is not too old has been seen
	printed   bool           // a record has been printed
	marker    *line          // the latest one, to be printed before the first record
	causes    map[int64]bool // offsets of the commands about the filter's job
}

func (p *printer) begin(partition int32) {
	*p = printer{filter: p.filter, w: p.w, partition: partition, recent: p.filter.From.IsZero(), causes: map[int64]bool{}}
	p.printed = p.filter == Filter{JSON: p.filter.JSON} // without a filter every marker is printed
}

// line is one record in the form for scripts.
type line struct {
	Partition int32         `json:"partition"`
	Topic     string        `json:"topic"` // command or journal
	Offset    int64         `json:"offset"`
	At        string        `json:"at,omitempty"`
	Account   string        `json:"account,omitempty"`
	Type      string        `json:"type,omitempty"` // of a command's body; Marker, Envelope or Gap
	ID        string        `json:"id,omitempty"`   // of a command
	Fields    events.Fields `json:"fields,omitempty"`
	Events    []event       `json:"events,omitempty"`
	State     string        `json:"state,omitempty"` // undecided, void or unreadable
	Error     string        `json:"error,omitempty"`
}

type event struct {
	Type   string        `json:"type"`
	Fields events.Fields `json:"fields"`
}

// command prints a command if it passes the filter.
func (p *printer) command(r eventlog.Record) error {
	c, err := events.DecodeCommand(r.Value)
	if err != nil {
		return p.unreadable("command", r, err)
	}
	job, _ := events.Target(c.Body)
	if !p.passes(c.Account, c.At) || p.filter.Job != (events.JobID{}) && job != p.filter.Job {
		return nil
	}
	if p.filter.Job != (events.JobID{}) { // only then they are asked for: a long log has millions
		p.causes[r.Offset] = true
	}
	l := line{
		Topic: "command", Offset: r.Offset, At: c.At.String(), Account: string(c.Account), Type: events.TypeName(c.Body),
		ID: c.ID.String(), Fields: events.Describe(c.Body),
	}
	if p.undecided {
		l.State = "undecided"
	}
	return p.print(l)
}

// entry prints a journal entry if it passes the filter. Before the first record that passes, it
// prints the last marker: it says who owned the partition then.
func (p *printer) entry(r eventlog.Record, entry events.Entry, undecodable error, accepted bool) error {
	l := line{Topic: "journal", Offset: r.Offset}
	switch e := entry.(type) {
	case events.Marker:
		l.Type, l.Fields = "Marker", events.Describe(e)
		if !p.printed {
			p.marker = &l
			return nil
		}
	case events.Gap:
		l.Type, l.Fields = "Gap", events.Describe(e)
		if !accepted {
			l.State = "void"
		}
	case events.Envelope:
		if !p.passes(e.Account, e.At) || p.filter.Job != (events.JobID{}) && !p.concerns(e) {
			return nil
		}
		l.At, l.Account, l.Type = e.At.String(), string(e.Account), "Envelope"
		l.Fields = fieldsOf(e)
		for _, ev := range e.Events {
			l.Events = append(l.Events, event{events.TypeName(ev), events.Describe(ev)})
		}
		if !accepted {
			l.State = "void"
		}
	default:
		return p.unreadable("journal", r, undecodable)
	}
	return p.print(l)
}

// fieldsOf returns the fields of an envelope except its events and those at the beginning of a
// line.
func fieldsOf(e events.Envelope) events.Fields {
	fields := events.Fields{{Name: "cause", Value: e.Cause}, {Name: "epoch", Value: e.Epoch}, {Name: "command", Value: e.Command.String()}}
	if e.Reply != nil {
		fields = append(fields, events.Field{Name: "reply", Value: events.Describe(*e.Reply)})
	}
	if e.SetAside != "" {
		fields = append(fields, events.Field{Name: "set_aside", Value: e.SetAside})
	}
	return fields
}

// passes reports whether a record of an account passes the filter, apart from its job.
func (p *printer) passes(account events.AccountID, at events.Instant) bool {
	p.recent = p.recent || !at.Time().Before(p.filter.From)
	return p.recent && (p.filter.Account == "" || account == p.filter.Account)
}

// concerns reports whether an envelope is about the filter's job.
func (p *printer) concerns(e events.Envelope) bool {
	if p.causes[e.Cause] {
		return true
	}
	for _, ev := range e.Events {
		if job, ok := events.JobOf(ev); ok && job == p.filter.Job {
			return true
		}
	}
	return false
}

// unreadable prints a record that cannot be decoded, unless the filter is narrower.
func (p *printer) unreadable(topic string, r eventlog.Record, err error) error {
	if !p.recent || p.filter.Account != "" && string(r.Key) != string(p.filter.Account) || p.filter.Job != (events.JobID{}) {
		return nil
	}
	return p.print(line{Topic: topic, Offset: r.Offset, Account: string(r.Key), State: "unreadable", Error: fmt.Sprintf("%d bytes: %v", len(r.Value), err)})
}

func (p *printer) print(l line) error {
	p.printed = true
	if marker := p.marker; marker != nil {
		p.marker = nil
		if err := p.print(*marker); err != nil {
			return err
		}
	}
	l.Partition = p.partition
	if p.filter.JSON {
		return json.NewEncoder(p.w).Encode(l)
	}
	_, err := io.WriteString(p.w, l.String())
	return err
}

// String formats the record for people: a line, and one more for each event.
func (l line) String() string {
	s := fmt.Sprintf("%d %s %d", l.Partition, l.Topic, l.Offset)
	for _, part := range []string{l.At, l.Account, l.State} {
		if part != "" {
			s += "  " + part
		}
	}
	switch {
	case l.Error != "":
		s += "  " + l.Error
	case l.Type == "Envelope":
		s += "  " + l.Fields.String()
	default:
		s += fmt.Sprintf("  %s{%s}", l.Type, l.Fields)
	}
	s += "\n"
	for _, e := range l.Events {
		s += fmt.Sprintf("    %s{%s}\n", e.Type, e.Fields)
	}
	return s
}
