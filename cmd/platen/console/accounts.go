package console

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
	"platen.dev/projections"
)

// This file has the pages and actions of accounts.

// mostAccounts is how many accounts the list shows, maxFind how long a text may be that they are searched for.
const (
	mostAccounts = 200
	maxFind      = 60
)

func (c *Console) accounts(ctx *fasthttp.RequestCtx, v visit) { c.listAccounts(ctx, v, nil) }

func (c *Console) listAccounts(ctx *fasthttp.RequestCtx, v visit, notice *page.Notice) {
	all, err := c.cfg.Client.Accounts()
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

// rowsOf are the first accounts with a text in their ids, of how many there are.
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

func (c *Console) createAccount(ctx *fasthttp.RequestCtx, v visit) {
	made, err := c.cfg.Client.CreateAccount(events.Plan(ctx.PostArgs().Peek("plan")))
	c.answer(ctx, err, accountPage(made.ID), page.DeedCreated, func(n *page.Notice) { c.listAccounts(ctx, v, n) })
}

func accountPage(id events.AccountID) string { return Path + "/accounts/" + string(id) }

func (c *Console) account(ctx *fasthttp.RequestCtx, v visit) { c.showAccount(ctx, v, nil, "") }

// showAccount shows an account, with the secret of a key that was just made.
func (c *Console) showAccount(ctx *fasthttp.RequestCtx, v visit, notice *page.Notice, secret string) {
	known, err := c.cfg.Client.Account(v.account)
	if err != nil { // which says so if there is no such account
		ctx.SetStatusCode(404)
		c.listAccounts(ctx, v, &page.Notice{Bad: true, Text: err.Error()})
		return
	}
	view := page.AccountPage{Operator: c.frame(ctx, v), ID: v.account, Plans: events.Plans(), Secret: secret, NextKey: events.NewKeyID()}
	view.Suspended, view.SuspendedFor = timeOf(known.Suspended), known.SuspendedFor
	view.Notice = cmp.Or(notice, view.Notice)
	if err := errors.Join(c.readUsage(&view), c.readKeys(&view), c.readTrail(&view)); err != nil {
		c.unavailable(ctx, err)
		return
	}
	c.show(ctx, view)
}

func (c *Console) readUsage(view *page.AccountPage) error {
	u, err := c.cfg.Client.Usage(view.ID)
	view.Plan, view.Blocks, view.Megabytes, view.Running = u.Plan, u.Blocks, u.MaxFile>>20, u.Running
	view.Quota = page.Quota{
		Jobs: u.Reserved + u.Used, JobLimit: u.Limits.Jobs, Bytes: u.Bytes, ByteLimit: u.Limits.Bytes,
		Start: u.WindowStart.Time(), End: u.WindowEnd.Time(),
	}
	view.Limits = page.Limits{Running: u.Limits.Running, RequestsPerMinute: u.Limits.RequestsPerMinute}
	return err
}

func (c *Console) readKeys(view *page.AccountPage) error {
	keys, err := c.cfg.Client.Keys(view.ID)
	for _, k := range keys {
		view.Keys = append(view.Keys, page.Key{ID: k.ID, Name: k.Name, Prefix: k.Prefix, LastFour: k.LastFour, Created: timeOf(k.Created), LastUsed: timeOf(k.LastUsed), Revoked: timeOf(k.Revoked)})
	}
	return err
}

func (c *Console) readTrail(view *page.AccountPage) error {
	entries, err := c.cfg.Client.Trail(view.ID)
	for _, e := range entries {
		by := cmp.Or(e.Email, string(e.By.Member))
		if e.By.Operator {
			by = "operator"
		}
		view.Trail = append(view.Trail, page.Entry{At: e.At.Time(), By: by, Address: e.By.Address, What: e.What, Subject: e.Subject})
	}
	return err
}

// refused shows the account again, with why an action was refused.
func (c *Console) refused(ctx *fasthttp.RequestCtx, v visit) func(*page.Notice) {
	return func(n *page.Notice) { c.showAccount(ctx, v, n, "") }
}

func (c *Console) setPlan(ctx *fasthttp.RequestCtx, v visit) {
	err := c.cfg.Client.SetPlan(v.account, events.Plan(ctx.PostArgs().Peek("plan")))
	c.answer(ctx, err, accountPage(v.account), page.DeedPlan, c.refused(ctx, v))
}

func (c *Console) setBlocks(ctx *fasthttp.RequestCtx, v visit) {
	blocks, err := number(ctx)
	if err == nil {
		err = c.cfg.Client.SetBlocks(v.account, blocks)
	}
	c.answer(ctx, err, accountPage(v.account), page.DeedBlocks, c.refused(ctx, v))
}

func (c *Console) setFileLimit(ctx *fasthttp.RequestCtx, v visit) {
	megabytes, err := number(ctx)
	if err == nil {
		err = c.cfg.Client.SetFileLimit(v.account, megabytes<<20)
	}
	c.answer(ctx, err, accountPage(v.account), page.DeedFileLimit, c.refused(ctx, v))
}

var errNumber = errors.New("that is not a whole number")

// number is the one that a form sends.
func number(ctx *fasthttp.RequestCtx) (int64, error) {
	n, err := strconv.ParseInt(string(ctx.PostArgs().Peek("number")), 10, 32)
	if err != nil || n < 0 {
		return 0, errNumber
	}
	return n, nil
}

func (c *Console) suspend(ctx *fasthttp.RequestCtx, v visit) {
	err := c.cfg.Client.Suspend(v.account, strings.TrimSpace(string(ctx.PostArgs().Peek("reason"))))
	c.answer(ctx, err, accountPage(v.account), page.DeedSuspended, c.refused(ctx, v))
}

func (c *Console) resume(ctx *fasthttp.RequestCtx, v visit) {
	c.answer(ctx, c.cfg.Client.Resume(v.account), accountPage(v.account), page.DeedResumed, c.refused(ctx, v))
}

func (c *Console) makeKey(ctx *fasthttp.RequestCtx, v visit) {
	form := ctx.PostArgs()
	made, err := c.cfg.Client.CreateKey(v.account, events.KeyID(form.Peek("next")), strings.TrimSpace(string(form.Peek("name"))), string(form.Peek("kind")) == "test")
	if err != nil {
		ctx.SetStatusCode(409)
		c.showAccount(ctx, v, &page.Notice{Bad: true, Text: err.Error()}, "")
		return
	}
	c.showAccount(ctx, v, nil, made.Secret)
}

func (c *Console) revokeKey(ctx *fasthttp.RequestCtx, v visit) {
	err := c.cfg.Client.RevokeKey(v.account, events.KeyID(ctx.PostArgs().Peek("key")))
	c.answer(ctx, err, accountPage(v.account), page.DeedRevoked, c.refused(ctx, v))
}
