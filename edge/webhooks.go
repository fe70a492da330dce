package edge

import (
	"github.com/valyala/fasthttp"

	"platen.dev/projections/view"
)

// webhooks lists the attempts to send the webhook of a job.
func (s *jobs) webhooks(ctx *fasthttp.RequestCtx, text string) *problem {
	f, wrong := s.find(ctx, text, false)
	if wrong != nil {
		return wrong
	}
	if !f.job.Webhook {
		return noWebhook
	}
	log, err := s.cfg.Models.Webhook(f.account, f.id)
	if err != nil {
		return s.unreadable("read the attempts of a webhook", err, "job", f.id.String())
	}
	ctx.SetStatusCode(200)
	ctx.SetContentType(jsonType)
	ctx.SetBody(view.AppendWebhook(nil, f.id, log))
	return nil
}

// redeliver has the webhook of a job sent again.
func (s *jobs) redeliver(ctx *fasthttp.RequestCtx, text string) *problem {
	f, wrong := s.find(ctx, text, false)
	if wrong != nil {
		return wrong
	}
	if wrong := s.answered(f.id, s.cfg.Jobs.Redeliver(f.by(), f.id)); wrong != nil {
		return wrong
	}
	ctx.SetStatusCode(202)
	ctx.SetContentType(jsonType)
	ctx.SetBodyString(`{"detail":"Webhook queued"}`)
	return nil
}
