package page_test

import (
	"time"

	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
)

func operator() page.Operator { return page.Operator{Token: "0f1e2d3c4b5a", Now: now} }

func accountList() page.Accounts {
	o := operator()
	o.Notice = &page.Notice{Text: "Account created."}
	return page.Accounts{Operator: o, Plans: events.Plans(), Total: 3, Accounts: []page.AccountRow{
		{ID: "acc_mfrggzdfmztwq2lk", Plan: events.PlanPro, Created: before(90 * 24 * time.Hour), Jobs: 48_213, Bytes: 7 << 30},
		{ID: "acc_nbswy3dpeb3w64tm", Plan: events.PlanFree, Created: before(2 * time.Hour), Suspended: true},
	}}
}

func account() page.AccountPage {
	o := operator()
	o.Notice = &page.Notice{Bad: true, Text: "extra volume is sold on the business plan only"}
	return page.AccountPage{
		Operator: o, ID: "acc_mfrggzdfmztwq2lk", Plan: events.PlanPro, Plans: events.Plans(), Quota: home().Quota, Limits: home().Limits, Running: 2, Megabytes: 150,
		Keys: keys, Secret: "sk_live_5f0c8d2b7a914e63", Trail: []page.Entry{{At: before(time.Hour), By: "operator", What: "PlanChanged"}},
	}
}

func suspendedAccount() page.AccountPage {
	a := account()
	a.Notice, a.Secret, a.Keys = &page.Notice{Text: "Account suspended."}, "", nil
	a.Suspended, a.SuspendedFor = before(2*time.Hour), "Invoice 2026-0117 is unpaid"
	return a
}

func cluster() page.Cluster {
	return page.Cluster{
		Operator: operator(), Lowest: 4, Highest: 5,
		Nodes: []page.ClusterNode{
			{ID: "node-8d2e6f01", This: true, State: "serving", Version: "1.8.0", Level: 5, Address: "10.0.0.5:7946", Owned: 2},
			{ID: "node-8d2e6f02", State: "not ready", Reason: "the disk is full", Version: "1.8.0", Level: 5, Address: "10.0.0.6:7946", Owned: 2, Halted: 1, Lag: 1280},
		},
		Partitions: []page.ClusterPartition{
			{Number: 0, Owner: "node-8d2e6f01", State: "serving", Level: 4},
			{Number: 1, Owner: "node-8d2e6f02", State: "halted", Level: 4, Reason: "commands are lost"},
			{Number: 2, State: "no owner", Level: 4},
		},
		Attention: []page.ClusterFinding{{About: "partition 1", Text: "halted: commands are lost.", Do: "platen admin partition continue 1"}},
	}
}

func queues() page.Queues {
	return page.Queues{
		Operator: operator(), Lanes: []page.Load{{Name: "heavy", Waiting: 3, Running: 1}, {Name: "quick", Waiting: 21, Running: 8}},
		Accounts: []page.Load{{Name: "acc_mfrggzdfmztwq2lk", Waiting: 24, Running: 9}},
	}
}

func recentJobs() page.RecentJobs {
	const account = "acc_mfrggzdfmztwq2lk"
	return page.RecentJobs{
		Operator: operator(), Since: before(time.Hour), Done: 12_407, Failed: 39,
		Causes: []page.Failure{{Code: events.NavigationFailed, Count: 36}, {Code: events.PageTimeout, Count: 3}},
		Failures: []page.EndedJob{
			{At: before(time.Minute), Account: account, ID: jobID(1), Operation: events.URLToPDF, Error: events.NavigationFailed},
			{At: before(4 * time.Minute), Account: account, ID: jobID(2), Operation: events.HTMLToPDF, Test: true, Error: events.PageTimeout},
			{At: before(5 * time.Minute), Account: "acc_nbswy3dpeb3w64tm", ID: jobID(3), Error: events.BrowserCrashed},
		},
		Slowest: []page.EndedJob{{At: before(20 * time.Minute), Account: account, ID: jobID(4), Operation: events.URLToImage, Total: 48*time.Second + 312*time.Millisecond}},
		Receivers: []page.FailingReceiver{
			{Account: account, Host: "hooks.shop.example", Jobs: 112, GivenUp: 9, At: before(time.Minute), Answer: "503"},
			{Account: "acc_nbswy3dpeb3w64tm", Host: "old.example:8443", Jobs: 1, At: before(30 * time.Minute), Answer: "no connection"},
		},
	}
}

// operators are the pages of operators.
func operators() []view {
	draining := cluster()
	draining.Draining, draining.Lowest, draining.Attention = true, 5, nil
	return []view{
		{"operator-outside", page.Outside{Reason: page.NotEntered}},
		{"operator-accounts", accountList()},
		{"operator-accounts-none", page.Accounts{Operator: operator(), Find: "acc_x", Plans: events.Plans()}},
		{"operator-account", account()},
		{"operator-account-suspended", suspendedAccount()},
		{"operator-cluster", cluster()},
		{"operator-cluster-draining", draining},
		{"operator-recent", recentJobs()},
		{"operator-recent-none", page.RecentJobs{Operator: operator(), Since: before(time.Hour)}},
		{"operator-queues", queues()},
		{"operator-queues-none", page.Queues{Operator: operator()}},
	}
}

func emptyOperators() []view {
	return []view{
		{"empty-outside", page.Outside{Reason: page.LinkUsed}},
		{"empty-accounts", page.Accounts{}},
		{"empty-account", page.AccountPage{}},
		{"empty-cluster", page.Cluster{}},
		{"empty-queues", page.Queues{}},
		{"empty-recent", page.RecentJobs{}},
	}
}
