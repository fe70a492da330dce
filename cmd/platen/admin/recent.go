package admin

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"platen.dev/actors/service"
)

// This file shows how the last jobs of all accounts have gone.

// RecentJobs reads how the jobs of the last hour have gone.
func (c Client) RecentJobs() (r service.Recent, err error) { return r, c.do("GET", "/recent", nil, &r) }

func runRecentJobs(c call) error {
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
