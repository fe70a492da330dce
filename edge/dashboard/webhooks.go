package dashboard

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard/page"
	"platen.dev/events/contract"
	"platen.dev/projections"
)

// webhookPages are the pages about what an account's webhooks have in common, and those that were not delivered.
type webhookPages struct{ *site }

func (d webhookPages) webhooks(ctx *fasthttp.RequestCtx, v visitor) {
	d.showWebhooks(ctx, v, page.Webhooks{})
}

// showWebhooks shows the settings, beside what a page shows only once.
func (d webhookPages) showWebhooks(ctx *fasthttp.RequestCtx, v visitor, view page.Webhooks) {
	view.Frame, view.MostHeaders = d.frame(ctx, v), contract.MaxWebhookHeaders
	set, err := d.cfg.Services.Webhooks.Settings(v.Account)
	if err != nil {
		d.unavailable(ctx, "read settings of webhooks", err)
		return
	}
	view.Rotated, view.Mark = len(set.Secret) > 0, hex.EncodeToString(set.SecretMark())
	for _, h := range set.Headers {
		view.Headers = append(view.Headers, h.Name)
	}
	if d.now() < set.Overlap {
		view.Overlap = set.Overlap.Time()
	}
	d.show(ctx, view)
}

// showSecret shows the first secret.
func (d webhookPages) showSecret(ctx *fasthttp.RequestCtx, v visitor) {
	secret, err := d.cfg.Services.Webhooks.FirstSecret(v.principal())
	if d.did(ctx, err) {
		d.showWebhooks(ctx, v, page.Webhooks{Secret: secret})
	}
}

// rotateSecret makes another secret and shows it, once. The form names the secret that it replaces, so that sending it twice makes one secret. The page
// says until when the one before signs.
func (d webhookPages) rotateSecret(ctx *fasthttp.RequestCtx, v visitor) {
	hours, err := strconv.ParseInt(string(ctx.PostArgs().Peek("hours")), 10, 16)
	after, bad := hex.DecodeString(string(ctx.PostArgs().Peek("after")))
	if err != nil || bad != nil {
		redirect(ctx, Path+"/webhooks?wrong=confirm")
		return
	}
	if !d.confirmed(ctx) {
		return
	}
	secret, err := d.cfg.Services.Webhooks.RotateSecret(v.principal(), hours*3600, after, true)
	if d.did(ctx, err) {
		d.showWebhooks(ctx, v, page.Webhooks{Secret: secret})
	}
}

// testWebhook sends a webhook as the account's jobs do, to an address that the member types, and shows the answer.
func (d webhookPages) testWebhook(ctx *fasthttp.RequestCtx, v visitor) {
	address, failed := strings.TrimSpace(string(ctx.PostArgs().Peek("url"))), string(ctx.PostArgs().Peek("event")) == "job.failed"
	sent, err := d.cfg.Services.Webhooks.Test(v.principal(), address, failed)
	if d.did(ctx, err) {
		result := attemptRow(projections.WebhookEntry{WebhookAttempt: sent})
		d.showWebhooks(ctx, v, page.Webhooks{Tested: address, Failed: failed, Result: &result, Taken: contract.Succeeded(sent.Status)})
	}
}

func (d webhookPages) setHeader(ctx *fasthttp.RequestCtx, v visitor) {
	args := ctx.PostArgs()
	if d.did(ctx, d.cfg.Services.Webhooks.SetHeader(v.principal(), string(args.Peek("name")), string(args.Peek("value")))) {
		redirect(ctx, Path+"/webhooks?done=header-set")
	}
}

func (d webhookPages) deleteHeader(ctx *fasthttp.RequestCtx, v visitor) {
	if d.confirmed(ctx) && d.did(ctx, d.cfg.Services.Webhooks.DeleteHeader(v.principal(), string(ctx.PostArgs().Peek("header")))) {
		redirect(ctx, Path+"/webhooks?done=header-deleted")
	}
}
