package dashboard

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/apikey"
	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
)

func (d *Dashboard) keys(ctx *fasthttp.RequestCtx, v visitor) { d.showKeys(ctx, v, "", events.Key{}) }

// showKeys shows the keys, and the secret of one that was just made.
func (d *Dashboard) showKeys(ctx *fasthttp.RequestCtx, v visitor, secret string, made events.Key) {
	view := page.Keys{Frame: d.frame(ctx, v), Keys: d.keyList(v.account), Secret: secret, May: v.is(developers), Next: events.NewKeyID()}
	if secret != "" {
		view.Made = keyRow(made)
	}
	d.show(ctx, view)
}

// keyList is the account's keys, those that are good first, each the newest first.
func (d *Dashboard) keyList(account events.AccountID) (all []page.Key) {
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
func (d *Dashboard) makeKey(ctx *fasthttp.RequestCtx, v visitor) {
	name, prefix := strings.TrimSpace(string(ctx.PostArgs().Peek("name"))), apikey.Live
	if string(ctx.PostArgs().Peek("kind")) == "test" {
		prefix = apikey.Test
	}
	if name == "" || len(name) > events.MaxKeyName || !utf8.ValidString(name) {
		redirect(ctx, Path+"/keys?wrong=key-name")
		return
	}
	secret, key := apikey.New(prefix, d.now())
	key.Name = name
	if id, err := events.ParseKeyID(string(ctx.PostArgs().Peek("next"))); err == nil {
		key.ID = id
	}
	code, err := d.send(v, events.IssueKey{Key: key})
	if err == nil && code == events.AlreadyExists {
		redirect(ctx, Path+"/keys?wrong=key-made")
		return
	}
	if d.accepted(ctx, code, err) {
		d.catchUp(v.account)
		d.showKeys(ctx, v, secret, key)
	}
}

func (d *Dashboard) revokeKey(ctx *fasthttp.RequestCtx, v visitor) {
	if !confirmed(ctx) {
		redirect(ctx, Path+"/keys?wrong=confirm")
		return
	}
	if d.do(ctx, v, events.RevokeKey{Key: events.KeyID(ctx.PostArgs().Peek("key"))}) {
		redirect(ctx, Path+"/keys?done=key-revoked")
	}
}

// confirmed reports whether a form says that its sender means it.
func confirmed(ctx *fasthttp.RequestCtx) bool {
	return string(ctx.PostArgs().Peek("confirm")) == "yes"
}
