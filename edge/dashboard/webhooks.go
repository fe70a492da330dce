package dashboard

import (
	"context"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/projections"
)

// Webhooks knows the secrets that an account's webhooks have in common, and how they are sealed.
type Webhooks interface {
	// Settings are those of an account.
	Settings(events.AccountID) (WebhookSettings, error)
	// FirstSecret signs the webhooks of an account until the first rotation.
	FirstSecret(events.AccountID) string
	// NewSecret makes a secret, in clear and sealed.
	NewSecret(events.AccountID) (secret string, sealed events.Sealed)
	// SealHeader seals the value of a header, or returns why there cannot be such a header.
	SealHeader(id events.AccountID, name, value string) (events.Sealed, error)
	// SendTest sends a webhook like those of an account, once, about a job that there is not. The error means that
	// nothing was sent.
	SendTest(ctx context.Context, id events.AccountID, url string, failed bool) (events.WebhookAttempt, error)
}

// Bounds of test webhooks that are sent at once: of one account, and of all.
const (
	testsPerAccount = 1
	testsPerNode    = 8
)

// WebhookSettings are what all webhooks of an account have in common, without the secrets.
type WebhookSettings struct {
	// Rotated is set if the account has had more than its first secret. Overlap is until when the one before the
	// newest signs too.
	Rotated bool
	Overlap events.Instant
	// Mark tells the newest secret from others, and says nothing about it.
	Mark []byte
	// Headers are names.
	Headers []string
}

func (d *Dashboard) webhooks(ctx *fasthttp.RequestCtx, v visitor) {
	d.showWebhooks(ctx, v, page.Webhooks{})
}

// showWebhooks adds the settings to what a page shows this once.
func (d *Dashboard) showWebhooks(ctx *fasthttp.RequestCtx, v visitor, view page.Webhooks) {
	view.Frame, view.MostHeaders = d.frame(ctx, v), contract.MaxWebhookHeaders
	set, err := d.cfg.Webhooks.Settings(v.account)
	if err != nil {
		d.unavailable(ctx, "read settings of webhooks", err)
		return
	}
	view.Rotated, view.Headers, view.Mark = set.Rotated, set.Headers, hex.EncodeToString(set.Mark)
	if d.now() < set.Overlap {
		view.Overlap = set.Overlap.Time()
	}
	d.show(ctx, view)
}

// showSecret shows the first secret, which nobody has been shown before. Later ones are shown when they are made.
func (d *Dashboard) showSecret(ctx *fasthttp.RequestCtx, v visitor) {
	set, err := d.cfg.Webhooks.Settings(v.account)
	switch {
	case err != nil:
		d.unavailable(ctx, "read settings of webhooks", err)
	case set.Rotated:
		redirect(ctx, Path+"/webhooks?wrong=rotated")
	default:
		d.showWebhooks(ctx, v, page.Webhooks{Secret: d.cfg.Webhooks.FirstSecret(v.account)})
	}
}

// rotateSecret makes another secret and shows it, this once. The one before signs too for some hours. The form says which
// secret that is, so that one that is sent twice makes one secret.
func (d *Dashboard) rotateSecret(ctx *fasthttp.RequestCtx, v visitor) {
	hours, err := strconv.ParseInt(string(ctx.PostArgs().Peek("hours")), 10, 16)
	if err != nil || !confirmed(ctx) {
		redirect(ctx, Path+"/webhooks?wrong=confirm")
		return
	}
	after, err := hex.DecodeString(string(ctx.PostArgs().Peek("after")))
	if err != nil {
		redirect(ctx, Path+"/webhooks?wrong=confirm")
		return
	}
	secret, sealed := d.cfg.Webhooks.NewSecret(v.account)
	code, err := d.send(v, events.RotateWebhookSecret{Secret: sealed, Overlap: hours * 3600, After: after})
	if err == nil && code == events.AlreadyExists {
		redirect(ctx, Path+"/webhooks?wrong=secret-made")
		return
	}
	if d.accepted(ctx, code, err) {
		d.catchUp(v.account)
		d.showWebhooks(ctx, v, page.Webhooks{Secret: secret})
	}
}

// testWebhook sends a webhook as the account's jobs do, to an address that the member types, and shows the answer.
func (d *Dashboard) testWebhook(ctx *fasthttp.RequestCtx, v visitor) {
	address, failed := strings.TrimSpace(string(ctx.PostArgs().Peek("url"))), string(ctx.PostArgs().Peek("event")) == "job.failed"
	if _, err := contract.ParseURL(address, "http", "https"); err != nil {
		redirect(ctx, Path+"/webhooks?wrong=webhook-url")
		return
	}
	end, free := d.tests.begin(v.account)
	if !free {
		redirect(ctx, Path+"/webhooks?wrong=testing")
		return
	}
	defer end()
	sent, err := d.cfg.Webhooks.SendTest(context.Background(), v.account, address, failed)
	if err != nil {
		d.unavailable(ctx, "send a test webhook", err)
		return
	}
	result := attemptRow(projections.WebhookEntry{WebhookAttempt: sent})
	d.showWebhooks(ctx, v, page.Webhooks{Tested: address, Failed: failed, Result: &result, Taken: contract.Succeeded(sent.Status)})
}

func (d *Dashboard) setHeader(ctx *fasthttp.RequestCtx, v visitor) {
	name, value := strings.TrimSpace(string(ctx.PostArgs().Peek("name"))), string(ctx.PostArgs().Peek("value"))
	sealed, err := d.cfg.Webhooks.SealHeader(v.account, name, value)
	if err != nil {
		redirect(ctx, Path+"/webhooks?wrong=header")
		return
	}
	if d.do(ctx, v, events.SetWebhookHeader{Name: name, Value: sealed}) {
		redirect(ctx, Path+"/webhooks?done=header-set")
	}
}

func (d *Dashboard) deleteHeader(ctx *fasthttp.RequestCtx, v visitor) {
	if !confirmed(ctx) {
		redirect(ctx, Path+"/webhooks?wrong=confirm")
		return
	}
	if d.do(ctx, v, events.DeleteWebhookHeader{Name: string(ctx.PostArgs().Peek("header"))}) {
		redirect(ctx, Path+"/webhooks?done=header-deleted")
	}
}
