package dashboard

import (
	"slices"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
)

// keyPages are the pages of API keys.
type keyPages struct{ *site }

func (d keyPages) keys(ctx *fasthttp.RequestCtx, v visitor) { d.showKeys(ctx, v, "", events.Key{}) }

// showKeys shows the keys, and the secret of one that was just made.
func (d keyPages) showKeys(ctx *fasthttp.RequestCtx, v visitor, secret string, made events.Key) {
	view := page.Keys{Frame: d.frame(ctx, v), Keys: d.keyList(v.Account), Secret: secret, May: v.is(developers), Next: events.NewKeyID()}
	if secret != "" {
		view.Made = keyRow(made)
	}
	d.show(ctx, view)
}

// keyList returns the account's keys: active ones first, each group newest first.
func (d *site) keyList(account events.AccountID) (all []page.Key) {
	a, _, err := d.cfg.Models.Account(account)
	if err != nil {
		d.cfg.Logger.Error("read account", "account", string(account), "error", err)
	}
	for _, k := range a.Keys {
		all = append(all, keyRow(k))
	}
	slices.SortStableFunc(all, func(a, b page.Key) int {
		if a.Revoked.IsZero() != b.Revoked.IsZero() {
			if a.Revoked.IsZero() {
				return -1
			}
			return 1
		}
		return b.Created.Compare(a.Created)
	})
	return all
}

func keyRow(k events.Key) page.Key {
	return page.Key{
		ID: k.ID, Name: k.Name, Prefix: k.Prefix, LastFour: k.LastFour,
		Created: timeOf(k.Created), LastUsed: timeOf(k.LastUsed), Revoked: timeOf(k.Revoked),
	}
}

// makeKey makes a key and shows its secret, this once. The form has the key's id, so that one that is sent twice makes one key.
func (d keyPages) makeKey(ctx *fasthttp.RequestCtx, v visitor) {
	args := ctx.PostArgs()
	secret, key, err := d.cfg.Services.Keys.Make(v.principal(), service.NewKey{
		ID: events.KeyID(args.Peek("next")), Name: string(args.Peek("name")), Test: string(args.Peek("kind")) == "test",
	})
	if d.did(ctx, err) {
		d.showKeys(ctx, v, secret, key)
	}
}

func (d keyPages) revokeKey(ctx *fasthttp.RequestCtx, v visitor) {
	if d.confirmed(ctx) && d.did(ctx, d.cfg.Services.Keys.Revoke(v.principal(), events.KeyID(ctx.PostArgs().Peek("key")))) {
		redirect(ctx, Path+"/keys?done=key-revoked")
	}
}

// confirmed reports whether a form carries the sender's confirmation. If not, the response says so.
func (d *site) confirmed(ctx *fasthttp.RequestCtx) bool {
	if string(ctx.PostArgs().Peek("confirm")) == "yes" {
		return true
	}
	redirect(ctx, back(ctx)+"?wrong=confirm")
	return false
}
