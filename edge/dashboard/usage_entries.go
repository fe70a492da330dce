package dashboard

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/query"
	"platen.dev/edge/usage"
	"platen.dev/events"
	"platen.dev/ledger"
)

// entriesPerPage is how many entries a page has.
const entriesPerPage = 100

// entries lists the entries behind a figure. Its parameters are those of the API.
func (d usagePages) entries(ctx *fasthttp.RequestCtx, v visitor) {
	view := page.UsageEntries{Frame: d.frame(ctx, v)}
	params := query.All(ctx.QueryArgs().All())
	q, violations := usage.ParseEntryQuery(params, d.cfg.Now(), usage.JSON)
	if len(violations) > 0 {
		ctx.SetStatusCode(422)
		view.Wrong = []string{asked("entries")}
		d.show(ctx, view)
		return
	}
	q.Limit = entriesPerPage
	names := d.keyNames(v.Account)
	view.From, view.To, view.Only = q.From.UTC(), q.To.UTC(), conditions(q.Where, names)
	found, err := d.cfg.Ledger.Entries(context.Background(), v.Account, q)
	if err != nil {
		view.Missing = d.missing(ctx, v, err)
		d.show(ctx, view)
		return
	}
	for _, e := range found.Entries {
		view.Entries = append(view.Entries, entryRow(e, names))
	}
	if found.Next != nil {
		view.Next = nextEntries(params, *found.Next)
	}
	d.show(ctx, view)
}

// conditions returns the conditions that entries meet, in words.
func conditions(all []ledger.Match, names map[events.KeyID]string) (only []page.UsageGroup) {
	for _, m := range all {
		g := group(m.Dimension, m.Value, func(id string) string { return names[events.KeyID(id)] })
		if tag, isTag := m.Dimension.Tag(); isTag && m.Value != "" {
			g.Name = tag + "=" + m.Value
		}
		only = append(only, g)
	}
	return only
}

func entryRow(e usage.Entry, names map[events.KeyID]string) page.UsageEntry {
	at, _ := time.Parse(time.RFC3339, e.Occurred)
	job, err := events.ParseJobID(e.Job)
	row := page.UsageEntry{
		ID: e.ID, Kind: e.Kind, Charge: e.Kind == ledger.Debit.String(), At: at, Job: job, HasJob: err == nil,
		Operation: events.Operation(e.Operation), Key: events.KeyID(e.Key), KeyName: names[events.KeyID(e.Key)],
		Jobs: e.Units, Bytes: e.Bytes, Ref: e.Ref, Reason: e.Reason,
	}
	for name, value := range e.Tags {
		row.Tags = append(row.Tags, events.Tag{Name: name, Value: value})
	}
	slices.SortFunc(row.Tags, func(a, b events.Tag) int { return strings.Compare(a.Name, b.Name) })
	return row
}

// nextEntries is the address of the page after a cursor.
func nextEntries(params []query.Param, cursor string) string {
	values := url.Values{}
	for _, p := range params {
		values.Set(p.Name, p.Value)
	}
	values.Set(query.Cursor, cursor)
	return Path + "/usage/entries?" + values.Encode()
}
