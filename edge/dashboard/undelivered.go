package dashboard

import (
	"context"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
	"platen.dev/projections"
)

// Bounds of a page of webhooks that were not delivered: how many it has, and how many jobs it looks at for them.
const (
	undeliveredPerPage = 50
	undeliveredLooked  = 1_000
)

// undelivered lists the jobs whose webhook has been tried and not been delivered.
func (d webhookPages) undelivered(ctx *fasthttp.RequestCtx, v visitor) {
	view := page.Undelivered{Frame: d.frame(ctx, v), Most: undeliveredPerPage}
	after, ok := parsePlace(string(ctx.QueryArgs().Peek(afterParam)))
	if !ok {
		d.message(ctx, 404, "nopage")
		return
	}
	if after == nil {
		d.catchUp(v.Account)
	}
	next, err := d.lookForUndelivered(&view, v.Account, after)
	if err != nil {
		d.unavailable(ctx, "list webhooks", err)
		return
	}
	if next != nil {
		view.Next = Path + "/webhooks/undelivered?after=" + next.Text()
	}
	d.show(ctx, view)
}

// lookForUndelivered fills a page, and returns after which job to continue; nil at the end.
func (d webhookPages) lookForUndelivered(view *page.Undelivered, account events.AccountID, after *projections.Place) (*projections.Place, error) {
	for range undeliveredLooked / jobsPerPage {
		list, err := d.cfg.Models.Jobs(account, projections.Filter{}, after, jobsPerPage)
		if err != nil {
			return nil, err
		}
		for _, j := range list.Jobs {
			if !j.Webhook {
				continue
			}
			log, err := d.cfg.Models.Webhook(account, j.ID)
			if err != nil {
				return nil, err
			}
			if n := len(log.Attempts); n > 0 && !log.Delivered() {
				view.Jobs = append(view.Jobs, page.UndeliveredJob{Job: jobRow(j.ID, j.Job, ""), Last: attemptRow(log.Attempts[n-1])})
			}
		}
		if after = list.Next; after == nil || len(view.Jobs) >= undeliveredPerPage {
			break
		}
	}
	return after, nil
}

// redeliverMany sends the webhooks of the chosen jobs again, except those that have changed since the page was shown.
func (d webhookPages) redeliverMany(ctx *fasthttp.RequestCtx, v visitor) {
	chosen := ctx.PostArgs().PeekMulti("job")
	if len(chosen) == 0 || len(chosen) > 2*undeliveredPerPage {
		redirect(ctx, Path+"/webhooks/undelivered?wrong=choose")
		return
	}
	var ids []events.JobID
	for _, text := range chosen {
		if id, err := events.ParseJobID(string(text)); err == nil {
			ids = append(ids, id)
		}
	}
	_, err := d.cfg.Services.Jobs.RedeliverEach(context.Background(), v.principal(), ids)
	if d.did(ctx, err) {
		redirect(ctx, Path+"/webhooks/undelivered?done=redelivered-many")
	}
}
