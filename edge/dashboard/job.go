package dashboard

import (
	"fmt"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/projections"
)

// inPath reads the job in a request's path. If the account has no such job, the response says so.
func (d *site) inPath(ctx *fasthttp.RequestCtx, v visitor) (id events.JobID, j projections.Job, ok bool) {
	text, _ := ctx.UserValue(jobInPath{}).(string)
	id, err := events.ParseJobID(text)
	if err == nil {
		if j, ok, err = d.knownJob(v.Account, id); err != nil {
			d.unavailable(ctx, "read job", err)
			return id, j, false
		}
	}
	if !ok {
		d.message(ctx, 404, "nojob")
	}
	return id, j, ok
}

// knownJob reads a job that any node may have accepted.
func (d *site) knownJob(account events.AccountID, id events.JobID) (projections.Job, bool, error) {
	return service.Lookup(d.cfg.Services.Fresh, account, func() (projections.Job, bool, error) { return d.cfg.Models.Job(account, id) })
}

func (d jobPages) job(ctx *fasthttp.RequestCtx, v visitor) {
	f := d.frame(ctx, v)
	id, j, ok := d.inPath(ctx, v)
	if !ok {
		return
	}
	view, err := d.jobView(f, v, id, j)
	if err != nil {
		d.unavailable(ctx, "job", err)
		return
	}
	d.show(ctx, view)
}

// jobLive keeps the page of a job up to date.
func (d jobPages) jobLive(ctx *fasthttp.RequestCtx, v visitor) {
	f := d.frame(ctx, v)
	id, _, ok := d.inPath(ctx, v)
	if !ok {
		return
	}
	d.stream(ctx, v, func() any {
		f.Now = d.cfg.Now().UTC()
		j, known, err := d.cfg.Models.Job(v.Account, id)
		if err != nil || !known {
			return nil
		}
		if view, err := d.jobView(f, v, id, j); err == nil {
			return view
		}
		return nil
	})
}

func (d *site) jobView(f page.Frame, v visitor, id events.JobID, j projections.Job) (page.JobPage, error) {
	log, err := d.cfg.Models.Webhook(v.Account, id)
	if err != nil {
		return page.JobPage{}, err
	}
	view := page.JobPage{
		Frame: f, Job: jobRow(id, j, d.keyNames(v.Account)[j.Key]), Timeline: course(j, log),
		Downloads: max(0, contract.MaxDownloads-j.Downloads), MaxDownloads: contract.MaxDownloads, Expires: timeOf(j.Expires),
		Gone: j.Gone || j.Expires != 0 && d.now() >= j.Expires, Delivered: j.Delivered, HasFile: j.Status == events.StatusDone && !j.Delivered,
		Ended: j.Finished != 0, Webhook: j.Webhook, Pictures: pagesShown(j, d.now()), Reason: j.Detail, Warnings: j.Warnings, Evidence: evidenceOf(j), DocsURL: d.cfg.Place.DocsURL,
	}
	for _, a := range log.Attempts {
		view.Attempts = append(view.Attempts, attemptRow(a))
	}
	return view, nil
}

// evidenceOf is a job's evidence as its page shows it; nil if it has none.
func evidenceOf(j projections.Job) *page.Evidence {
	e := j.Evidence
	if e == nil {
		return nil
	}
	shown := &page.Evidence{Profile: e.Profile, Compared: e.Compared, Mismatches: e.Mismatches, XML: fmt.Sprintf("%x", e.XML), File: fmt.Sprintf("%x", e.File)}
	for _, s := range e.Sets {
		shown.Rules = append(shown.Rules, page.CheckedRules{Name: s.Name, Version: s.Version, Fatal: s.Fatal, Others: s.Others})
	}
	return shown
}

// attemptRow is an attempt to send a webhook as pages show it.
func attemptRow(a projections.WebhookEntry) page.Attempt {
	return page.Attempt{
		Number: a.Number, At: timeOf(a.Began()), Status: a.Status, Took: time.Duration(a.Millis) * time.Millisecond,
		Error: a.Error, Answer: a.Answer, Outcome: a.Outcome, Next: timeOf(a.Next),
	}
}

// course returns the steps of a job that the read models know.
func course(j projections.Job, log projections.WebhookLog) []page.Step {
	steps := []page.Step{{Kind: page.StepAccepted, At: j.Created.Time()}}
	add := func(kind page.StepKind, at events.Instant, detail string) {
		steps = append(steps, page.Step{Kind: kind, At: timeOf(at), Detail: detail})
	}
	switch j.Status {
	case events.StatusDone:
		if j.Metrics.PageLoad > 0 {
			add(page.StepLoaded, 0, milliseconds(j.Metrics.PageLoad))
		}
		add(page.StepProcessed, 0, milliseconds(j.Metrics.Processing))
		add(page.StepDone, j.Finished, milliseconds(j.Metrics.Total))
	case events.StatusFailed:
		add(page.StepFailed, j.Finished, string(j.Error))
	}
	for _, a := range log.Attempts {
		if a.Status > 0 {
			add(page.StepWebhook, a.Began(), fmt.Sprint(a.Status))
		} else {
			add(page.StepUndelivered, a.Began(), a.Error)
		}
	}
	if j.Downloads > 0 {
		add(page.StepDownload, 0, fmt.Sprint(j.Downloads))
	}
	if j.Expires != 0 {
		add(page.StepExpires, j.Expires, "")
	}
	return steps
}

func milliseconds(n int64) string { return fmt.Sprintf("%d ms", n) }

// download sends the file of a job, which spends one of its downloads. It refuses HEAD requests and links from other sites.
func (d jobPages) download(ctx *fasthttp.RequestCtx, v visitor) {
	if !ctx.IsGet() || linkedFromElsewhere(&ctx.Request.Header) {
		d.message(ctx, 403, "origin")
		return
	}
	d.send(ctx, v, d.cfg.Files.Download)
}

// evidence sends the evidence of a job as a file.
func (d jobPages) evidence(ctx *fasthttp.RequestCtx, v visitor) {
	d.send(ctx, v, d.cfg.Files.Evidence)
}

// send sends a file about the job in the path, or shows why it cannot.
func (d jobPages) send(ctx *fasthttp.RequestCtx, v visitor, file SendJob) {
	id, _, ok := d.inPath(ctx, v)
	if !ok {
		return
	}
	if status, title, detail := file(ctx, v.principal(), id); status != 0 {
		ctx.SetStatusCode(status)
		d.show(ctx, page.Message{Title: title, Text: detail})
	}
}

// about does something about the job in the path, and goes back to its page.
func (d jobPages) about(ctx *fasthttp.RequestCtx, v visitor, done string, do func(service.Principal, events.JobID) error) {
	id, _, ok := d.inPath(ctx, v)
	if ok && d.did(ctx, do(v.principal(), id)) {
		redirect(ctx, Path+"/jobs/"+id.String()+"?done="+done)
	}
}

func (d jobPages) cancelJob(ctx *fasthttp.RequestCtx, v visitor) {
	d.about(ctx, v, "cancelled", d.cfg.Services.Jobs.Cancel)
}

func (d jobPages) redeliver(ctx *fasthttp.RequestCtx, v visitor) {
	d.about(ctx, v, "redelivered", d.cfg.Services.Jobs.Redeliver)
}
