package dashboard

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
	"platen.dev/projections"
)

// jobsPerPage is how many jobs a page of the list has.
const jobsPerPage = 50

// jobPages are the pages of jobs.
type jobPages struct {
	*site
	looks *looks
}

func newJobPages(s *site) jobPages { return jobPages{s, newLooks()} }

// jobs lists the jobs of the account. A search for an id leads to its job.
func (d jobPages) jobs(ctx *fasthttp.RequestCtx, v visitor) {
	args := ctx.QueryArgs()
	view := page.Jobs{Frame: d.frame(ctx, v), Filter: typedFilter(args), Keys: append(d.keyList(v.Account), page.Key{ID: events.DashboardKey, Name: string(events.DashboardKey)})}
	if text := strings.TrimSpace(string(args.Peek("id"))); text != "" {
		d.find(ctx, v, view, text)
		return
	}
	filter, wrong := readFilter(view.Filter)
	after, ok := parsePlace(string(args.Peek("after")))
	if !ok {
		wrong = append(wrong, "after")
	}
	if len(wrong) > 0 {
		ctx.SetStatusCode(422)
		for _, name := range wrong {
			view.Wrong = append(view.Wrong, page.Text("filter."+name))
		}
		d.show(ctx, view)
		return
	}
	if after == nil {
		d.catchUp(v.Account)
	}
	list, err := d.cfg.Models.Jobs(v.Account, filter, after, jobsPerPage)
	if err != nil {
		d.unavailable(ctx, "list jobs", err)
		return
	}
	view.Jobs = d.jobRows(v.Account, list.Jobs)
	if list.Next != nil {
		view.Next = nextPage(view.Filter, *list.Next)
	}
	d.show(ctx, view)
}

// find leads to the job whose id begins with a text, or lists those whose ids do.
func (d jobPages) find(ctx *fasthttp.RequestCtx, v visitor, view page.Jobs, text string) {
	d.catchUp(v.Account) // the job may have been sent a moment ago
	found, err := d.cfg.Models.FindJobs(v.Account, text)
	if err != nil {
		d.unavailable(ctx, "find job", err)
		return
	}
	if len(found) == 1 {
		redirect(ctx, Path+"/jobs/"+found[0].ID.String())
		return
	}
	view.Find, view.Jobs = clip(text), d.jobRows(v.Account, found)
	if len(found) == 0 {
		view.Wrong = []string{page.Text("filter.id")}
	}
	d.show(ctx, view)
}

// Parameters of the list.
const (
	statusParam    = "status"
	operationParam = "operation"
	keyParam       = "key_id"
	errorParam     = "error_code"
	testParam      = "test"
	tagNameParam   = "tag_name"
	tagValueParam  = "tag_value"
	fromParam      = "from"
	toParam        = "to"
	afterParam     = "after"
)

func typedFilter(args *fasthttp.Args) page.Filter {
	get := func(name string) string { return strings.TrimSpace(clip(string(args.Peek(name)))) }
	return page.Filter{
		Status: get(statusParam), Operation: get(operationParam), Key: get(keyParam), Error: get(errorParam), Test: get(testParam),
		TagName: get(tagNameParam), TagValue: get(tagValueParam), From: get(fromParam), To: get(toParam),
	}
}

// readFilter reads what the member typed, and names what is wrong with it.
func readFilter(typed page.Filter) (f projections.Filter, wrong []string) {
	f.Status, f.Operation, f.Key, f.Error = events.Status(typed.Status), events.Operation(typed.Operation), events.KeyID(typed.Key), events.ErrorCode(typed.Error)
	if f.Operation != "" && !slices.Contains(events.Operations(), f.Operation) {
		wrong = append(wrong, "operation")
	}
	if typed.Test != "" {
		test := typed.Test == "true"
		f.Test = &test
		if !test && typed.Test != "false" {
			wrong = append(wrong, "test")
		}
	}
	if typed.TagName != "" {
		f.Tags = []events.Tag{{Name: typed.TagName, Value: typed.TagValue}}
	} else if typed.TagValue != "" {
		wrong = append(wrong, "tag")
	}
	from, fromOK := day(typed.From)
	to, toOK := day(typed.To)
	if !fromOK || !toOK {
		wrong = append(wrong, "date")
	}
	f.From = from
	if to != 0 {
		f.To = to.Add(24 * time.Hour) // include the day itself
	}
	if f.From != 0 && f.To != 0 && f.From >= f.To {
		wrong = append(wrong, "span")
	}
	return f, wrong
}

// day reads a date: the beginning of the day in UTC, zero for none.
func day(text string) (events.Instant, bool) {
	if text == "" {
		return 0, true
	}
	t, err := time.Parse(time.DateOnly, text)
	return events.At(t), err == nil && t.Year() >= 1970
}

// nextPage is the address of the page after a place.
func nextPage(f page.Filter, after projections.Place) string {
	values := url.Values{}
	for name, value := range map[string]string{
		statusParam: f.Status, operationParam: f.Operation, keyParam: f.Key, errorParam: f.Error, testParam: f.Test,
		tagNameParam: f.TagName, tagValueParam: f.TagValue, fromParam: f.From, toParam: f.To, afterParam: after.Text(),
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return Path + "/jobs?" + values.Encode()
}

// parsePlace reads a place; nil for an empty text.
func parsePlace(text string) (*projections.Place, bool) {
	if text == "" {
		return nil, true
	}
	at, ok := projections.ParsePlace(text)
	return &at, ok
}
