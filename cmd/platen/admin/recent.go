package admin

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/projections/timeline"
)

// This file has how the last jobs of all accounts have gone, from both ends.

// Bounds of what is looked at: how far back, and how long that may take.
const (
	recentTime   = time.Hour
	recentWithin = 5 * time.Second
)

// RecentJobs is how the jobs of the last hour have gone, as far as the end of the journal tells.
type RecentJobs struct {
	timeline.Recent
	// Receivers are those of webhooks that fail, most first.
	Receivers []Receiver `json:"receivers"`
}

// Receiver is where webhooks of an account fail.
type Receiver struct {
	Account events.AccountID `json:"account"`
	// Host is the receiver's name and port; "" if the job's row is gone.
	Host string `json:"host"`
	// Jobs counts those whose last attempt has failed, GivenUp those of them that are not tried again.
	Jobs    int `json:"jobs"`
	GivenUp int `json:"given_up"`
	// The last of these attempts.
	At     events.Instant `json:"at_ms"`
	Job    events.JobID   `json:"job_id"`
	Status int            `json:"status,omitempty"`
	Error  string         `json:"error,omitempty"`
}

// Answer is what the receiver has answered last.
func (r Receiver) Answer() string {
	if r.Error == "" && r.Status > 0 {
		return strconv.Itoa(r.Status)
	}
	return r.Error
}

func (s *Server) recentJobs(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), recentWithin)
	defer cancel()
	recent, err := timeline.ReadRecent(ctx, s.Log, events.At(s.Now().Add(-recentTime)))
	if err != nil {
		refuse(w, 503, err.Error())
		return
	}
	respond(w, 200, RecentJobs{recent, receivers(recent.Undelivered, s.receiverOf)})
}

// receiverOf is the host that the webhook of a job goes to; "" if that is not known any more.
func (s *Server) receiverOf(of events.AccountID, id events.JobID) string {
	j, err := account.ReplicaStore{Reader: s.Replica, Partition: events.Partition(of, s.Log.Partitions())}.Job(of, id)
	if err != nil {
		return ""
	}
	address, err := s.Seal.Open(id, j.Notice.URL)
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

// RecentJobs reads how the jobs of the last hour have gone.
func (c Client) RecentJobs() (r RecentJobs, err error) { return r, c.do("GET", "/recent", nil, &r) }

func (c call) recentJobs() error {
	r, err := c.client.RecentJobs()
	return c.print(err, func(w io.Writer) {
		fmt.Fprintf(w, "since\t%s: %d done, %d failed\n", formatTime(r.Since), r.Done, r.Failed)
		for _, cause := range r.Causes {
			fmt.Fprintf(w, "\t%d × %s\n", cause.Count, cause.Code)
		}
		fmt.Fprintln(w, "\nFAILED\tACCOUNT\tJOB\tOPERATION\tERROR\tDETAIL")
		for _, e := range r.Failures {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", formatTime(e.At), e.Account, e.Job, e.Operation, e.Error, e.Detail)
		}
		fmt.Fprintln(w, "\nSLOWEST\tACCOUNT\tJOB\tOPERATION\tTOOK")
		for _, e := range r.Slowest {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", formatTime(e.At), e.Account, e.Job, e.Operation, time.Duration(e.Metrics.Total)*time.Millisecond)
		}
		fmt.Fprintln(w, "\nWEBHOOK\tACCOUNT\tRECEIVER\tFAILING\tGIVEN UP\tLAST ANSWER")
		for _, h := range r.Receivers {
			fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%s\n", formatTime(h.At), h.Account, cmp.Or(h.Host, "-"), h.Jobs, h.GivenUp, cmp.Or(h.Answer(), "-"))
		}
	})
}
