package admin

import (
	"cmp"
	"time"

	"platen.dev/actors/service"
	"platen.dev/cmd/platen/terminal"
)

// This file summarises the last jobs of all accounts.

// RecentJobs reads the summary of the last hour's jobs.
func (c Client) RecentJobs() (r service.Recent, err error) { return r, c.do("GET", "/recent", nil, &r) }

func runRecentJobs(c call) error {
	r, err := c.client.RecentJobs()
	return c.print(err, func(w terminal.Lines) {
		w.Printf("since\t%s: %d done, %d failed\n", formatTime(r.Since), r.Done, r.Failed)
		for _, cause := range r.Causes {
			w.Printf("\t%d × %s\n", cause.Count, cause.Code)
		}
		w.Text("\nFAILED\tACCOUNT\tJOB\tOPERATION\tERROR\tDETAIL\n")
		for _, e := range r.Failures {
			w.Printf("%s\t%s\t%s\t%s\t%s\t%s\n", formatTime(e.At), e.Account, e.Job, e.Operation, e.Error, e.Detail)
		}
		w.Text("\nSLOWEST\tACCOUNT\tJOB\tOPERATION\tTOOK\n")
		for _, e := range r.Slowest {
			w.Printf("%s\t%s\t%s\t%s\t%s\n", formatTime(e.At), e.Account, e.Job, e.Operation, time.Duration(e.Metrics.Total)*time.Millisecond)
		}
		w.Text("\nWEBHOOK\tACCOUNT\tRECEIVER\tFAILING\tGIVEN UP\tLAST ANSWER\n")
		for _, h := range r.Receivers {
			w.Printf("%s\t%s\t%s\t%d\t%d\t%s\n", formatTime(h.At), h.Account, cmp.Or(h.Host, "-"), h.Jobs, h.GivenUp, cmp.Or(h.Answer(), "-"))
		}
	})
}
