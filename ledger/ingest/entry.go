package ingest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/public"
	"platen.dev/ledger"
)

// ErrPoison means that a record is not valid usage, and that trying again does not help. The text
// says what is wrong.
var ErrPoison = errors.New("not a valid record of usage")

// EntryOf returns the ledger entry for a record of a topic of public events. Most records are about
// something else: is is false for them. The error is ErrPoison.
func EntryOf(topic string, partition int32, r eventlog.Record) (e ledger.Entry, is bool, err error) {
	event, err := public.Parse(r)
	if err != nil {
		return e, false, fmt.Errorf("%w: %w", ErrPoison, err)
	}
	return FromEvent(ledger.Source{Topic: topic, Partition: partition, Offset: r.Offset}, event)
}

// FromEvent is EntryOf for a parsed record.
func FromEvent(at ledger.Source, event public.Received) (e ledger.Entry, is bool, err error) {
	var debited public.UsageDebited
	var adjusted public.UsageAdjusted
	if is, err = event.Decode(&debited); is && err == nil {
		e, err = debit(debited)
	} else if !is {
		if is, err = event.Decode(&adjusted); is && err == nil {
			e, err = adjustment(adjusted)
		}
	}
	if !is {
		return e, false, nil
	}
	e.Occurred = event.At.Truncate(time.Second)
	e.Source = at
	if err == nil && e.Account != string(event.Account) {
		err = fmt.Errorf("the data is of account %.140q, the event of %.140q", e.Account, event.Account)
	}
	if err == nil {
		err = e.Validate()
	}
	if err != nil {
		return ledger.Entry{}, false, fmt.Errorf("%w: %w", ErrPoison, err)
	}
	return e, true, nil
}

func debit(d public.UsageDebited) (ledger.Entry, error) {
	window, err := d.Window.Parse()
	return ledger.Entry{
		ID: string(d.Entry), Account: string(d.Account), Job: d.Job, Kind: ledger.Debit,
		Key: string(d.Key), Operation: string(d.Operation), Tags: tagsOf(d.Tags),
		Window: window.Truncate(time.Second), Units: d.Units, Bytes: d.Bytes,
	}, err
}

func adjustment(a public.UsageAdjusted) (ledger.Entry, error) {
	window, err := a.Window.Parse()
	e := ledger.Entry{
		ID: string(a.Entry), Account: string(a.Account), Window: window.Truncate(time.Second),
		Units: a.Units, Bytes: a.Bytes, Ref: string(a.Ref), Reason: a.Reason,
	}
	switch a.Kind {
	case events.Credit:
		e.Kind = ledger.Credit
	case events.Correction:
		e.Kind = ledger.Adjust
	default:
		err = errors.Join(err, fmt.Errorf("kind %.70q is unknown", a.Kind))
	}
	return e, err
}

// tagsOf returns tags sorted by name, so that an entry has one form.
func tagsOf(tags public.Tags) (all []ledger.Tag) {
	for name, value := range tags {
		all = append(all, ledger.Tag{Name: name, Value: value})
	}
	slices.SortFunc(all, func(a, b ledger.Tag) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// wanted reports whether a record is about usage, or is not a public event.
func wanted(r eventlog.Record) bool {
	event, err := public.Parse(r)
	return err != nil || public.IsUsage(event.Type)
}
