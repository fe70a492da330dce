package edge

import (
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/query"
	"platen.dev/edge/request"
	"platen.dev/edge/schema"
	"platen.dev/events"
	"platen.dev/projections"
	"platen.dev/projections/view"
)

const jobsPath = "/jobs"

// Parameters of a list of jobs, beside those that other lists have.
const (
	statusParam    = "status"
	operationParam = "operation"
	keyParam       = "key_id"
	errorParam     = "error_code"
	testParam      = "test"
)

// Kinds of parameters.
var (
	operationKind = schema.String{OneOf: operationNames()}
	errorKind     = schema.String{OneOf: errorCodes()}
	keyKind       = schema.String{MinLength: 1, MaxLength: 64}
	jobLimit      = schema.Integer{Min: 1, Max: 200}
)

// defaultJobLimit is how many jobs a page has unless a parameter says so.
const defaultJobLimit = 50

func operationNames() (all []string) {
	for _, o := range events.Operations() {
		all = append(all, string(o))
	}
	return all
}

// jobQuery asks for a page of the list of an account's jobs.
type jobQuery struct {
	projections.Filter
	after *projections.Place
	limit int
}

// parseJobQuery reads the parameters of a list of jobs, or returns all that is wrong with them.
func parseJobQuery(all []query.Param) (q jobQuery, violations []schema.Violation) {
	named := query.OneOf(statusParam, operationParam, keyParam, errorParam, testParam, query.From, query.To, query.Zone, query.Limit, query.Cursor)
	p := query.Read(all, func(name string) bool { return named(name) || strings.HasPrefix(name, query.TagPrefix) })
	q.Status = events.Status(p.Choice(statusParam, jobState, ""))
	q.Operation = events.Operation(p.Choice(operationParam, operationKind, ""))
	q.Key = events.KeyID(p.Choice(keyParam, keyKind, ""))
	q.Error = events.ErrorCode(p.Choice(errorParam, errorKind, ""))
	q.Test = p.Truth(testParam)
	q.Tags = wantedTags(p)
	from, to := p.OpenSpan(p.Zone())
	q.From, q.To = instantOf(from), instantOf(to)
	q.limit = int(p.Number(query.Limit, jobLimit, defaultJobLimit))
	if text, given := p.Value(query.Cursor); given {
		at, ok := projections.ParsePlace(text)
		if !ok {
			p.Refuse(query.Cursor, "cursor must be the next_cursor of an answer")
		}
		q.after = &at
	}
	return q, p.Violations
}

// wantedTags reads the tags that jobs must have. It refuses tags that no job can have.
func wantedTags(p *query.Params) (all []events.Tag) {
	for _, name := range p.Order {
		tag, is := strings.CutPrefix(name, query.TagPrefix)
		if !is {
			continue
		}
		value, _ := p.Value(name)
		p.Check(request.Tags.Names, name, tag)
		p.Check(request.Tags.Values, name, value)
		all = append(all, events.Tag{Name: tag, Value: value})
		if len(all) == request.Tags.Most+1 {
			p.Refuse(name, "a job has at most 8 tags")
		}
	}
	return all
}

func instantOf(t time.Time) events.Instant {
	if t.IsZero() {
		return 0
	}
	return events.At(t)
}

// jobs lists the jobs of the caller's account. A list that begins has whatever is durable by now.
func (s *jobs) list(ctx *fasthttp.RequestCtx) *problem {
	caller, wrong := s.enter(ctx)
	if wrong != nil {
		return wrong
	}
	q, violations := parseJobQuery(queryParams(ctx))
	if len(violations) > 0 {
		return invalidRequest(violations)
	}
	if q.after == nil {
		if err := s.cfg.Fresh.Account(caller.Account); err != nil {
			return s.unreadable("list jobs", err)
		}
	}
	page, err := s.cfg.Models.Jobs(caller.Account, q.Filter, q.after, q.limit)
	if err != nil {
		return s.unreadable("list jobs", err, "account", string(caller.Account))
	}
	cursor := ""
	if page.Next != nil {
		cursor = page.Next.Text()
		ctx.Response.Header.Set("Link", nextLink(ctx, cursor))
	}
	ctx.SetStatusCode(200)
	ctx.SetContentType(jsonType)
	ctx.Response.Header.Set("Cache-Control", "private, no-store")
	ctx.SetBody(view.AppendJobs(make([]byte, 0, 512*(1+len(page.Jobs))), page.Jobs, cursor))
	return nil
}
