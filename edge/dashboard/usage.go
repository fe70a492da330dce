package dashboard

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/usage"
	"platen.dev/events"
	"platen.dev/ledger"
)

// Ledger returns what an account was charged; usage.Service implements it.
type Ledger interface {
	Windows(context.Context, events.AccountID) (usage.Windows, error)
	Report(context.Context, events.AccountID, usage.Query) (usage.Report, error)
	Entries(context.Context, events.AccountID, usage.EntryQuery) (usage.Entries, error)
}

// usagePages are the pages about what an account was charged.
type usagePages struct{ *site }

func (d usagePages) usage(ctx *fasthttp.RequestCtx, v visitor) {
	if view, _, ok := d.usageView(ctx, v); ok {
		d.show(ctx, view)
	}
}

// usageCSV sends the rows of the page as a file. Without figures it is the page, which says why.
func (d usagePages) usageCSV(ctx *fasthttp.RequestCtx, v visitor) {
	view, report, ok := d.usageView(ctx, v)
	switch {
	case !ok:
	case len(view.Wrong) > 0 || view.Missing != "":
		d.show(ctx, view)
	default:
		ctx.SetContentType("text/csv; charset=utf-8; header=present")
		ctx.Response.Header.Set("Content-Disposition", `attachment; filename="usage.csv"`)
		ctx.SetBody(report.CSV())
	}
}

// usageView returns the page and its rows. If there is none, ok is false and the response says so.
func (d usagePages) usageView(ctx *fasthttp.RequestCtx, v visitor) (view page.Usage, shown usage.Report, ok bool) {
	live, err := d.cfg.Usage(v.Account)
	if err != nil {
		d.unavailable(ctx, "usage", err)
		return view, shown, false
	}
	view = page.Usage{Frame: d.frame(ctx, v), Asked: askedUsage(ctx.QueryArgs()), Live: quotaOf(live)}
	present := presentWindow(view.Live)
	view.Windows, view.Window = []page.UsageWindow{present}, present
	groupBy, wrong := dimensions(view.Asked)
	windows, err := d.cfg.Ledger.Windows(context.Background(), v.Account)
	if err != nil {
		return d.withoutFigures(ctx, v, view, err), shown, true
	}
	view.Windows = allWindows(windows, present)
	if view.Window, ok = chosenWindow(view.Windows, view.Asked.Window); !ok {
		wrong = append(wrong, asked("window"))
	}
	if len(wrong) > 0 {
		ctx.SetStatusCode(422)
		view.Wrong = wrong
		return view, shown, true
	}
	if shown, err = d.charge(&view, v.Account, groupBy); err != nil {
		view = d.withoutFigures(ctx, v, view, err)
	}
	return view, shown, true
}

// asked returns a text about a question to the ledger.
func asked(what string) string { return page.Text("asked." + what) }

// withoutFigures shows why there are no figures.
func (d usagePages) withoutFigures(ctx *fasthttp.RequestCtx, v visitor, view page.Usage, err error) page.Usage {
	view.Missing = d.missing(ctx, v, err)
	return view
}

// missing explains why the ledger has no answer, and sets the status.
func (d usagePages) missing(ctx *fasthttp.RequestCtx, v visitor, err error) string {
	switch {
	case errors.Is(err, usage.ErrBusy):
		ctx.SetStatusCode(429)
		return asked("busy")
	case errors.Is(err, usage.ErrTooLarge), errors.Is(err, ledger.ErrOverflow):
		ctx.SetStatusCode(422)
		return asked("large")
	}
	d.cfg.Logger.Warn("dashboard: usage", "account", string(v.Account), "error", err)
	ctx.SetStatusCode(503)
	return asked("unavailable")
}

// Parameters of the page.
const (
	windowParam = "window"
	byParam     = "by"
	tagParam    = "tag"
)

func askedUsage(args *fasthttp.Args) page.UsageQuery {
	get := func(name string) string { return clip(strings.TrimSpace(string(args.Peek(name)))) }
	return page.UsageQuery{Window: get(windowParam), By: get(byParam), Tag: get(tagParam)}
}

// dimensions returns the dimension by which figures are divided, if any.
func dimensions(q page.UsageQuery) (by []ledger.Dimension, wrong []string) {
	switch q.By {
	case "":
		return nil, nil
	case string(ledger.ByKey), string(ledger.ByOperation):
		return []ledger.Dimension{ledger.Dimension(q.By)}, nil
	case tagParam:
		by = []ledger.Dimension{ledger.ByTag(q.Tag)}
		if (ledger.Query{Account: "any", From: ledger.MinTime, To: ledger.MaxTime, GroupBy: by}).Validate() != nil {
			return nil, []string{asked("tag")}
		}
		return by, nil
	}
	return nil, []string{asked("by")}
}

// presentWindow returns the current window in whole seconds, as in the ledger.
func presentWindow(q page.Quota) page.UsageWindow {
	return page.UsageWindow{Start: q.Start.UTC().Truncate(time.Second), End: q.End.UTC().Truncate(time.Second), Present: true}
}

// allWindows are those of the ledger and the present one, which may have no entries yet, the newest first.
func allWindows(w usage.Windows, present page.UsageWindow) (all []page.UsageWindow) {
	for _, row := range w.Windows {
		start, _ := usage.ParseWindow(row.Start)
		end, _ := time.Parse(time.RFC3339, row.End)
		figures := page.UsageFigures{Jobs: row.Units, Bytes: row.Bytes, Entries: row.Entries}
		if start.Equal(present.Start) {
			present.Charged = figures
			continue
		}
		all = append([]page.UsageWindow{{Start: start, End: end, Closed: row.Status == usage.Closed, Charged: figures}}, all...)
	}
	return append([]page.UsageWindow{present}, all...)
}

// chosenWindow is the one with a start, the present one by default.
func chosenWindow(all []page.UsageWindow, text string) (page.UsageWindow, bool) {
	start, ok := usage.ParseWindow(text)
	for _, w := range all {
		if text == "" || ok && w.Start.Equal(start) {
			return w, true
		}
	}
	return all[0], false
}

// charge fills in what was charged on the days of the window, and returns the rows of the page.
func (d usagePages) charge(view *page.Usage, account events.AccountID, by []ledger.Dimension) (usage.Report, error) {
	report, err := d.report(account, view.Window, by)
	if err != nil {
		return report, err
	}
	corrected, err := d.corrections(account, view.Window, dimension(report))
	if err != nil {
		return report, err
	}
	if report.Rows, err = folded(report); err != nil {
		return report, err
	}
	names := d.keyNames(account)
	view.Groups, view.Rows = divided(report, corrected, func(id string) string { return names[events.KeyID(id)] })
	view.Total = figures(report.Total)
	values := url.Values{windowParam: {view.Window.Start.Format(time.RFC3339)}, byParam: {view.Asked.By}, tagParam: {view.Asked.Tag}}
	view.CSV = Path + "/usage.csv?" + values.Encode()
	return report, nil
}

func (d usagePages) report(account events.AccountID, w page.UsageWindow, by []ledger.Dimension) (usage.Report, error) {
	q := ledger.Query{From: w.Start, To: w.End, Location: time.UTC, Bucket: ledger.Day, GroupBy: by}
	return d.cfg.Ledger.Report(context.Background(), account, usage.Query{Query: q})
}

// corrections returns the corrections of each day; nil if the report has them as a group of its own.
func (d usagePages) corrections(account events.AccountID, w page.UsageWindow, by ledger.Dimension) (map[string]page.UsageFigures, error) {
	if by == ledger.ByKey || by == ledger.ByOperation {
		return nil, nil
	}
	operations, err := d.report(account, w, []ledger.Dimension{ledger.ByOperation})
	return corrections(operations), err
}
