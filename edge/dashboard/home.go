package dashboard

import (
	"cmp"
	"slices"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/projections"
)

// Sizes of the home page: how many of the newest jobs it lists, and how many it searches for failures.
const (
	recentJobs = 10
	lookedJobs = 100
)

// homePages is the page that members see first.
type homePages struct{ *site }

func (d homePages) home(ctx *fasthttp.RequestCtx, v visitor) {
	view, err := d.homeView(v, d.frame(ctx, v), d.origin(ctx))
	if err != nil {
		d.unavailable(ctx, "home", err)
		return
	}
	d.show(ctx, view)
}

// homeLive keeps the page up to date.
func (d homePages) homeLive(ctx *fasthttp.RequestCtx, v visitor) {
	f, address := d.frame(ctx, v), d.origin(ctx)
	d.stream(ctx, v, func() any {
		f.Now = d.cfg.Now().UTC()
		if view, err := d.homeView(v, f, address); err == nil {
			return view
		}
		return nil
	})
}

func (d homePages) homeView(v visitor, f page.Frame, address string) (view page.Home, err error) {
	u, err := d.cfg.Usage(v.Account)
	if err != nil {
		return view, err
	}
	list, err := d.cfg.Models.Jobs(v.Account, projections.Filter{}, nil, lookedJobs)
	if err != nil {
		return view, err
	}
	return page.Home{
		Frame: f, Running: u.Running, Limits: page.Limits{Running: u.Limits.Running, RequestsPerMinute: u.Limits.RequestsPerMinute},
		Quota:  quotaOf(u),
		Recent: d.jobRows(v.Account, list.Jobs[:min(recentJobs, len(list.Jobs))]), Failures: failures(list.Jobs), Looked: len(list.Jobs),
		Address: address, UpgradeURL: d.cfg.Place.UpgradeURL, DocsURL: d.cfg.Place.DocsURL,
	}, nil
}

func quotaOf(u service.Usage) page.Quota {
	return page.Quota{
		Jobs: u.Reserved + u.Used, JobLimit: u.Limits.Jobs, Bytes: u.Bytes, ByteLimit: u.Limits.Bytes, Start: u.WindowStart.Time(), End: u.WindowEnd.Time(),
		Tests: u.Tests, TestsPerDay: contract.TestsPerDay,
	}
}

// failures counts failed jobs by their error, most first.
func failures(jobs []projections.ListedJob) (all []page.Failure) {
	counts := map[events.ErrorCode]int{}
	for _, j := range jobs {
		if j.Error != "" {
			counts[j.Error]++
		}
	}
	for code, n := range counts {
		all = append(all, page.Failure{Code: code, Count: n})
	}
	slices.SortFunc(all, func(a, b page.Failure) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code))
	})
	return all
}

// jobRows are jobs as lists show them, with the names of their keys.
func (d *site) jobRows(account events.AccountID, jobs []projections.ListedJob) (all []page.Job) {
	names := d.keyNames(account)
	for _, j := range jobs {
		all = append(all, jobRow(j.ID, j.Job, names[j.Key]))
	}
	return all
}

func jobRow(id events.JobID, j projections.Job, keyName string) page.Job {
	return page.Job{
		ID: id, Operation: j.Operation, Status: j.Status, Test: j.Test, Created: j.Created.Time(), Finished: timeOf(j.Finished), Error: j.Error,
		Key: j.Key, KeyName: keyName, Tags: j.Tags, Size: j.File.Size, Pages: j.File.Pages, Total: time.Duration(j.Metrics.Total) * time.Millisecond,
	}
}

func (d *site) keyNames(account events.AccountID) map[events.KeyID]string {
	names := map[events.KeyID]string{}
	a, _, _ := d.cfg.Models.Account(account) // if this fails, the page only lacks the names
	for _, k := range a.Keys {
		names[k.ID] = k.Name
	}
	return names
}

// timeOf is an instant as pages have it: the zero time for none.
func timeOf(at events.Instant) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return at.Time()
}
