package operator

import (
	"context"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/page"
	"platen.dev/projections/timeline"
)

// recentJobs shows how the last jobs of all accounts have gone.
func (c *Pages) recentJobs(ctx *fasthttp.RequestCtx, v visit) {
	recent, err := c.cfg.Services.Jobs.Recent(context.Background())
	if err != nil {
		c.unavailable(ctx, err)
		return
	}
	view := recentOf(recent)
	view.Operator = c.frame(ctx, v)
	c.show(ctx, view)
}

func recentOf(r service.Recent) page.RecentJobs {
	view := page.RecentJobs{Since: timeOf(r.Since), Done: int64(r.Done), Failed: int64(r.Failed), Failures: endedJobs(r.Failures), Slowest: endedJobs(r.Slowest)}
	for _, cause := range r.Causes {
		view.Causes = append(view.Causes, page.Failure{Code: cause.Code, Count: cause.Count})
	}
	for _, h := range r.Receivers {
		view.Receivers = append(view.Receivers, page.FailingReceiver{
			Account: h.Account, Host: h.Host, Jobs: h.Jobs, GivenUp: h.GivenUp, At: timeOf(h.At), Answer: h.Answer(),
		})
	}
	return view
}

func endedJobs(jobs []timeline.Ended) (all []page.EndedJob) {
	for _, e := range jobs {
		all = append(all, page.EndedJob{
			At: timeOf(e.At), Account: e.Account, ID: e.Job, Operation: e.Operation, Test: e.Test, Error: e.Error, Detail: e.Detail,
			Total: time.Duration(e.Metrics.Total) * time.Millisecond,
		})
	}
	return all
}
