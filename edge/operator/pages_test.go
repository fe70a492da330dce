package operator

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"platen.dev/actors/status"
	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
	"platen.dev/projections"
)

// The list shows two hundred accounts and their total number, and stays a small page.
func TestAccountsAreBounded(t *testing.T) {
	var all []projections.Account
	for i := range mostAccounts {
		all = append(all, projections.Account{ID: events.AccountID(fmt.Sprintf("acc_mfrggzdfmzt%05d", i)), Plan: events.PlanBusiness, Created: 1})
	}
	if rows, total := rowsOf(all, ""); len(rows) != mostAccounts || total != mostAccounts {
		t.Errorf("%d of %d", len(rows), total)
	}
	rows, total := rowsOf(append(all, projections.Account{ID: "acc_last"}), "")
	if len(rows) != mostAccounts || total != mostAccounts+1 {
		t.Errorf("%d of %d", len(rows), total)
	}
	if found, total := rowsOf(append(all, projections.Account{ID: "acc_last"}), "last"); len(found) != 1 || total != 1 {
		t.Errorf("found %v of %d", found, total)
	}
	var body bytes.Buffer
	if err := page.Write(&body, page.Accounts{Accounts: rows, Total: total, Operator: page.Operator{Now: start}}); err != nil || body.Len() > 150_000 {
		t.Errorf("the page has %d bytes (%v)", body.Len(), err)
	}
}

// Lanes are summed over the nodes.
func TestQueues(t *testing.T) {
	got := queuesOf(status.Report{
		Nodes: []status.Node{
			{Lanes: map[string]status.Jobs{"quick": {Waiting: 1, Running: 2}, "heavy": {Waiting: 7}}},
			{Lanes: map[string]status.Jobs{"quick": {Waiting: 10, Running: 20}}},
			{State: status.Gone},
		},
		Accounts: []status.Account{{Account: "acc_a", Waiting: 3, Running: 4}},
	})
	want := page.Queues{
		Lanes:    []page.Load{{Name: "heavy", Waiting: 7}, {Name: "quick", Waiting: 11, Running: 22}},
		Accounts: []page.Load{{Name: "acc_a", Waiting: 3, Running: 4}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

// The level can be raised as far as all running nodes can read.
func TestLevels(t *testing.T) {
	got := clusterOf(status.Report{
		Nodes:      []status.Node{{Level: 6}, {Level: 5}, {State: status.Gone}},
		Partitions: []status.Partition{{Level: 5}, {Partition: 1, Level: 4}},
	})
	if got.Lowest != 4 || got.Highest != 5 {
		t.Errorf("from %d to %d", got.Lowest, got.Highest)
	}
}
