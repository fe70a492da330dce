package operator

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
	"platen.dev/projections"
)

// This file has the pages and actions of accounts.

// mostAccounts is how many accounts the list shows, maxFind the most bytes of a search text.
const (
	mostAccounts = 200
	trailEntries = 50
	maxFind      = 60
)

func (c *Pages) accounts(ctx *fasthttp.RequestCtx, v visit) { c.listAccounts(ctx, v, nil) }

func (c *Pages) listAccounts(ctx *fasthttp.RequestCtx, v visit, notice *page.Notice) {
	all, err := c.cfg.Services.Accounts.List()
	if err != nil {
		c.unavailable(ctx, err)
		return
	}
	view := page.Accounts{Operator: c.frame(ctx, v), Find: strings.TrimSpace(string(ctx.QueryArgs().Peek("find"))), Plans: events.Plans()}
	view.Notice = cmp.Or(notice, view.Notice)
	view.Find = view.Find[:min(len(view.Find), maxFind)]
	view.Accounts, view.Total = rowsOf(all, view.Find)
	c.show(ctx, view)
}

// rowsOf returns the first accounts whose ids contain a text, and how many there are.
func rowsOf(all []projections.Account, find string) (rows []page.AccountRow, total int) {
	for _, a := range all {
		if !strings.Contains(string(a.ID), find) {
			continue
		}
		if total++; total <= mostAccounts {
			rows = append(rows, page.AccountRow{ID: a.ID, Plan: a.Plan, Created: a.Created.Time(), Jobs: a.Used, Bytes: a.Bytes, Suspended: a.Suspended != 0})
		}
	}
	return rows, total
}

func (c *Pages) createAccount(ctx *fasthttp.RequestCtx, v visit) {
	id, err := c.cfg.Services.Accounts.Create(events.Plan(ctx.PostArgs().Peek("plan")), 0)
	c.answer(ctx, err, accountPage(id), page.DeedCreated, func(n *page.Notice) { c.listAccounts(ctx, v, n) })
}

func accountPage(id events.AccountID) string { return Path + "/accounts/" + string(id) }

func (c *Pages) account(ctx *fasthttp.RequestCtx, v visit) { c.showAccount(ctx, v, nil, "") }

// showAccount shows an account, with the secret of a key that was just made.
func (c *Pages) showAccount(ctx *fasthttp.RequestCtx, v visit, notice *page.Notice, secret string) {
	known, err := c.cfg.Services.Accounts.Find(v.account)
	if err != nil { // such as for an unknown account
		ctx.SetStatusCode(404)
		c.listAccounts(ctx, v, noticeOf(err))
		return
	}
	view := page.AccountPage{Operator: c.frame(ctx, v), ID: v.account, Plans: events.Plans(), Secret: secret, NextKey: events.NewKeyID(), Keys: keyRows(known.Keys)}
	view.Suspended, view.SuspendedFor = timeOf(known.Suspended), known.SuspendedFor
	view.Notice = cmp.Or(notice, view.Notice)
	if err := errors.Join(c.readUsage(&view), c.readTrail(&view)); err != nil {
		c.unavailable(ctx, err)
		return
	}
	c.show(ctx, view)
}

func (c *Pages) readUsage(view *page.AccountPage) error {
	u, err := c.cfg.Services.Accounts.Usage(view.ID)
	view.Plan, view.Blocks, view.Megabytes, view.Running = u.Plan, u.Blocks, u.MaxFile>>20, u.Running
	view.Quota = page.Quota{
		Jobs: u.Reserved + u.Used, JobLimit: u.Limits.Jobs, Bytes: u.Bytes, ByteLimit: u.Limits.Bytes,
		Start: u.WindowStart.Time(), End: u.WindowEnd.Time(),
	}
	view.Limits = page.Limits{Running: u.Limits.Running, RequestsPerMinute: u.Limits.RequestsPerMinute}
	return err
}

// keyRows are keys as the page shows them.
func keyRows(keys []events.Key) (rows []page.Key) {
	for _, k := range keys {
		rows = append(rows, page.Key{
			ID: k.ID, Name: k.Name, Prefix: k.Prefix, LastFour: k.LastFour,
			Created: timeOf(k.Created), LastUsed: timeOf(k.LastUsed), Revoked: timeOf(k.Revoked),
		})
	}
	return rows
}

func (c *Pages) readTrail(view *page.AccountPage) error {
	entries, err := c.cfg.Services.Accounts.Trail(view.ID, trailEntries)
	for _, e := range entries {
		by := cmp.Or(e.Email, string(e.By.Member))
		if e.By.Operator {
			by = "operator"
		}
		view.Trail = append(view.Trail, page.Entry{At: e.At.Time(), By: by, Address: e.By.Address, What: e.What, Subject: e.Subject, More: e.More, Last: timeOf(e.Last)})
	}
	return err
}

// refused shows the account again, with why an action was refused.
func (c *Pages) refused(ctx *fasthttp.RequestCtx, v visit) func(*page.Notice) {
	return func(n *page.Notice) { c.showAccount(ctx, v, n, "") }
}

func (c *Pages) setPlan(ctx *fasthttp.RequestCtx, v visit) {
	err := c.cfg.Services.Accounts.SetPlan(v.principal(), events.Plan(ctx.PostArgs().Peek("plan")))
	c.answer(ctx, err, accountPage(v.account), page.DeedPlan, c.refused(ctx, v))
}

func (c *Pages) setBlocks(ctx *fasthttp.RequestCtx, v visit) {
	blocks, err := number(ctx)
	if err == nil {
		err = c.cfg.Services.Accounts.SetBlocks(v.principal(), blocks)
	}
	c.answer(ctx, err, accountPage(v.account), page.DeedBlocks, c.refused(ctx, v))
}

func (c *Pages) setFileLimit(ctx *fasthttp.RequestCtx, v visit) {
	megabytes, err := number(ctx)
	if err == nil {
		err = c.cfg.Services.Accounts.LimitFiles(v.principal(), megabytes<<20)
	}
	c.answer(ctx, err, accountPage(v.account), page.DeedFileLimit, c.refused(ctx, v))
}

var errNumber = errors.New("that is not a whole number")

// number returns the number in a form.
func number(ctx *fasthttp.RequestCtx) (int64, error) {
	n, err := strconv.ParseInt(string(ctx.PostArgs().Peek("number")), 10, 32)
	if err != nil || n < 0 {
		return 0, errNumber
	}
	return n, nil
}

func (c *Pages) suspend(ctx *fasthttp.RequestCtx, v visit) {
	err := c.cfg.Services.Accounts.Suspend(v.principal(), strings.TrimSpace(string(ctx.PostArgs().Peek("reason"))))
	c.answer(ctx, err, accountPage(v.account), page.DeedSuspended, c.refused(ctx, v))
}

func (c *Pages) resume(ctx *fasthttp.RequestCtx, v visit) {
	c.answer(ctx, c.cfg.Services.Accounts.Resume(v.principal()), accountPage(v.account), page.DeedResumed, c.refused(ctx, v))
}

func (c *Pages) makeKey(ctx *fasthttp.RequestCtx, v visit) {
	form := ctx.PostArgs()
	secret, _, err := c.cfg.Services.Keys.Make(v.principal(), service.NewKey{
		ID: events.KeyID(form.Peek("next")), Name: string(form.Peek("name")), Test: string(form.Peek("kind")) == "test",
	})
	if err != nil {
		ctx.SetStatusCode(409)
		c.showAccount(ctx, v, noticeOf(err), "")
		return
	}
	c.showAccount(ctx, v, nil, secret)
}

func (c *Pages) revokeKey(ctx *fasthttp.RequestCtx, v visit) {
	err := c.cfg.Services.Keys.Revoke(v.principal(), events.KeyID(ctx.PostArgs().Peek("key")))
	c.answer(ctx, err, accountPage(v.account), page.DeedRevoked, c.refused(ctx, v))
}
