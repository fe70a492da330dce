package service

import (
	"fmt"
	"reflect"
	"testing"

	"platen.dev/events"
	"platen.dev/projections/timeline"
)

// Webhooks that fail are added up by account and receiver, those that fail most first, and fifty of these are shown.
func TestReceivers(t *testing.T) {
	jobs := [4]events.JobID{{1}, {2}, {3}, {4}}
	hosts := map[events.JobID]string{jobs[0]: "one", jobs[1]: "two", jobs[2]: "two", jobs[3]: "two"}
	hostOf := func(_ events.AccountID, id events.JobID) string { return hosts[id] }
	failed := events.WebhookAttempt{Number: 2, Status: 503}
	got := receivers([]timeline.Undelivered{
		{At: 9, Account: "acc_a", Job: jobs[0], Last: events.WebhookAttempt{Error: "no connection"}},
		{At: 8, Account: "acc_a", Job: jobs[1], Last: failed},
		{At: 7, Account: "acc_a", Job: jobs[2], Last: events.WebhookAttempt{Status: 404}, GivenUp: true},
		{At: 6, Account: "acc_b", Job: jobs[3], Last: failed},
	}, hostOf)
	want := []Receiver{
		{Account: "acc_a", Host: "two", Jobs: 2, GivenUp: 1, At: 8, Job: jobs[1], Status: 503},
		{Account: "acc_a", Host: "one", Jobs: 1, At: 9, Job: jobs[0], Error: "no connection"},
		{Account: "acc_b", Host: "two", Jobs: 1, At: 6, Job: jobs[3], Status: 503},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
	for n, shown := range map[int]int{timeline.MostShown: timeline.MostShown, timeline.MostShown + 1: timeline.MostShown} {
		var many []timeline.Undelivered
		for i := range n {
			many = append(many, timeline.Undelivered{Account: events.AccountID(fmt.Sprint(i))})
		}
		if got := receivers(many, hostOf); len(got) != shown {
			t.Errorf("of %d receivers %d are shown", n, len(got))
		}
	}
}
