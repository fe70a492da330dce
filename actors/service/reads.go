package service

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/projections"
	"platen.dev/projections/timeline"
)

// List returns all accounts.
func (a Accounts) List() ([]projections.Account, error) {
	if err := a.Fresh.All(); err != nil {
		return nil, err
	}
	return a.Replica.Accounts()
}

// Find returns an account, or refuses with events.NoSuchAccount.
func (a Accounts) Find(id events.AccountID) (projections.Account, error) {
	if err := a.Fresh.Account(id); err != nil {
		return projections.Account{}, err
	}
	found, known, err := a.Replica.Account(id)
	if err == nil && !known {
		err = refuse(events.NoSuchAccount)
	}
	return found, err
}

// Usage is an account's usage in its quota window, with its limits.
type Usage struct {
	account.Usage
	Plan    events.Plan
	MaxFile int64 // bytes
	Blocks  int64 // of extra volume
	Tests   int64 // test jobs today, in UTC
}

// Usage returns an account's usage, as this node has read it.
func (a Accounts) Usage(id events.AccountID) (Usage, error) {
	s, err := a.state(id)
	if err == nil && !s.Exists() {
		err = refuse(events.NoSuchAccount)
	}
	return Usage{
		Usage: account.UsageAt(s, a.now(), account.LimitsOf), Plan: s.Plan,
		MaxFile: cmp.Or(s.MaxFile, contract.MaxFileBytes), Blocks: s.Blocks, Tests: s.Tests.On(a.now()),
	}, err
}

// Trail returns the last changes of an account, the newest first.
func (a Accounts) Trail(id events.AccountID, limit int) ([]projections.TrailEntry, error) {
	if _, err := a.Find(id); err != nil {
		return nil, err
	}
	entries, _, err := a.Replica.Trail(id, 0, limit)
	return entries, err
}

// Bounds of Recent: how far back it looks, and how long it may take.
const (
	recentTime   = time.Hour
	recentWithin = 5 * time.Second
)

// Recent summarises the jobs of the last hour, as far as the end of the journal tells.
type Recent struct {
	timeline.Recent
	// Receivers lists receivers whose webhooks fail, most failures first.
	Receivers []Receiver `json:"receivers"`
}

// Receiver is a host at which webhooks of an account fail.
type Receiver struct {
	Account events.AccountID `json:"account"`
	// Host is the receiver's name and port; "" if the job's row is gone.
	Host string `json:"host"`
	// Jobs counts the jobs whose last attempt has failed, GivenUp those among them that are not
	// retried.
	Jobs    int `json:"jobs"`
	GivenUp int `json:"given_up"`
	// The last of these attempts.
	At     events.Instant `json:"at_ms"`
	Job    events.JobID   `json:"job_id"`
	Status int            `json:"status,omitempty"`
	Error  string         `json:"error,omitempty"`
}

// Answer returns the status of the last of these attempts, or its error.
func (r Receiver) Answer() string {
	if r.Error == "" && r.Status > 0 {
		return strconv.Itoa(r.Status)
	}
	return r.Error
}

// Recent reads the summary of the last hour's jobs, of all accounts.
func (j Jobs) Recent(ctx context.Context) (Recent, error) {
	ctx, cancel := context.WithTimeout(ctx, recentWithin)
	defer cancel()
	r, err := timeline.ReadRecent(ctx, j.Log, events.At(j.Now().Add(-recentTime)))
	return Recent{r, receivers(r.Undelivered, j.receiverOf)}, err
}

// receiverOf returns the host that the webhook of a job goes to; "" if it is no longer known.
func (j Jobs) receiverOf(of events.AccountID, id events.JobID) string {
	s, err := account.ReplicaStore{Reader: j.Replica, Partition: events.Partition(of, j.Log.Partitions())}.Job(of, id)
	if err != nil {
		return ""
	}
	address, err := j.Seal.Open(id, s.Notice.URL)
	if err != nil {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// receivers adds up the webhooks that were not delivered, the newest first, by account and host.
func receivers(undelivered []timeline.Undelivered, hostOf func(events.AccountID, events.JobID) string) []Receiver {
	all := []Receiver{}
	for _, u := range undelivered {
		host := hostOf(u.Account, u.Job)
		i := slices.IndexFunc(all, func(r Receiver) bool { return r.Account == u.Account && r.Host == host })
		if i < 0 {
			i = len(all)
			all = append(all, Receiver{Account: u.Account, Host: host, At: u.At, Job: u.Job, Status: u.Last.Status, Error: u.Last.Error})
		}
		all[i].Jobs++
		if u.GivenUp {
			all[i].GivenUp++
		}
	}
	slices.SortStableFunc(all, func(a, b Receiver) int { return cmp.Compare(b.Jobs, a.Jobs) })
	return all[:min(len(all), timeline.MostShown)]
}
