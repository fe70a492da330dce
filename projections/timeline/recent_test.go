package timeline

import (
	"reflect"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// ends writes an envelope with events about jobs.
func ends(j *journal, epoch, cause int64, at events.Instant, evs ...events.Event) {
	j.put(events.Envelope{Epoch: epoch, Cause: cause, Account: "acc_a", At: at, Events: evs})
}

// recent reads the end of the journal.
func (j *journal) recent(since events.Instant) Recent {
	j.t.Helper()
	r, err := ReadRecent(testkit.Context(j.t), j.log, since)
	if err != nil {
		j.t.Fatal(err)
	}
	return r
}

// Every job that has ended since a time counts once, whatever happened before and even if a replaced owner wrote on; a webhook counts by its last
// attempt.
func TestRecent(t *testing.T) {
	j := newJournal(t)
	old, slow, quick, failed, void := events.NewJobID(), events.NewJobID(), events.NewJobID(), events.NewJobID(), events.NewJobID()
	origin := events.JobOrigin{Operation: events.URLToPDF, Test: true}
	first := j.put(events.Marker{Owner: "n1"})
	ends(j, first, 0, 99, events.JobFailed{Job: old, Code: events.PageTimeout})
	ends(j, first, 1, 100, events.JobDone{Job: quick, Metrics: events.Metrics{Total: 7}})
	ends(j, first, 2, 101, events.WebhookAttempted{Job: quick, WebhookAttempt: events.WebhookAttempt{Number: 1, Status: 500}})
	second := j.put(events.Marker{Owner: "n2"})
	ends(j, first, 3, 102, events.JobDone{Job: void})
	ends(j, second, 3, 103, events.JobDone{Job: slow, Metrics: events.Metrics{Total: 900}})
	ends(j, second, 4, 104, events.JobFailed{Job: failed, Code: events.NavigationFailed, Origin: origin})
	ends(j, second, 5, 105, events.WebhookAttempted{Job: quick, WebhookAttempt: events.WebhookAttempt{Number: 2, Status: 200}, Outcome: events.WebhookDelivered})
	last := events.WebhookAttempt{Number: 10, Error: "no connection"}
	ends(j, second, 6, 106, events.WebhookAttempted{Job: slow, WebhookAttempt: last, Outcome: events.WebhookGivenUp})
	want := Recent{
		Since: 100, Done: 2, Failed: 1, Causes: []Cause{{events.NavigationFailed, 1}},
		Failures: []Ended{{At: 104, Account: "acc_a", Job: failed, Operation: events.URLToPDF, Test: true, Error: events.NavigationFailed}},
		Slowest: []Ended{
			{At: 103, Account: "acc_a", Job: slow, Metrics: events.Metrics{Total: 900}},
			{At: 100, Account: "acc_a", Job: quick, Metrics: events.Metrics{Total: 7}},
		},
		Undelivered: []Undelivered{{106, "acc_a", slow, last, true}},
	}
	if got := j.recent(100); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
}

// Only the end of a journal is read, and Since says from when.
func TestRecentIsBounded(t *testing.T) {
	j := newJournal(t)
	epoch := j.put(events.Marker{Owner: "n"})
	var entries []events.Entry
	for i := range int64(recentRecords - 1) {
		entries = append(entries, events.Envelope{Epoch: epoch, Cause: i, Account: "acc_a", At: events.Instant(10 + i), Events: []events.Event{events.JobFailed{Job: events.NewJobID(), Code: events.PageTimeout}}})
	}
	j.putAll(entries)
	if got := j.recent(5); got.Since != 5 || got.Failed != recentRecords-1 || len(got.Failures) != MostShown || got.Failures[0].At != 10+recentRecords-2 {
		t.Errorf("as many records as are read: since %d, %d failed, %d shown", got.Since, got.Failed, len(got.Failures))
	}
	ends(j, epoch, recentRecords, 20_000, events.JobDone{Job: events.NewJobID()})
	ends(j, epoch, recentRecords+1, 20_001, events.JobDone{Job: events.NewJobID()})
	if got := j.recent(5); got.Since != 11 || got.Failed != recentRecords-2 || got.Done != 2 {
		t.Errorf("more: since %d, %d failed, %d done", got.Since, got.Failed, got.Done)
	}
}
