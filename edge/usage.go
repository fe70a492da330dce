package edge

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/query"
	"platen.dev/edge/schema"
	"platen.dev/edge/usage"
	"platen.dev/projections"
)

const csvType = "text/csv; charset=utf-8; header=present"

// usageAPI has the endpoints about usage.
type usageAPI struct {
	*front
	service *usage.Service
}

// report shows what the account was charged.
func (s *usageAPI) report(ctx *fasthttp.RequestCtx) *problem {
	caller, wrong := s.enter(ctx)
	if wrong != nil {
		return wrong
	}
	q, violations := usage.ParseQuery(queryParams(ctx), s.cfg.Now(), wantedFormat(ctx))
	if len(violations) > 0 {
		return invalidRequest(violations)
	}
	report, err := s.service.Report(context.Background(), caller.Account, q)
	if err != nil {
		return s.problem(caller, err)
	}
	sendAs(ctx, q.Format, report, "usage.csv")
	return nil
}

// entries shows the entries behind the figures.
func (s *usageAPI) entries(ctx *fasthttp.RequestCtx) *problem {
	caller, wrong := s.enter(ctx)
	if wrong != nil {
		return wrong
	}
	q, violations := usage.ParseEntryQuery(queryParams(ctx), s.cfg.Now(), wantedFormat(ctx))
	if len(violations) > 0 {
		return invalidRequest(violations)
	}
	entries, err := s.service.Entries(context.Background(), caller.Account, q)
	if err != nil {
		return s.problem(caller, err)
	}
	if entries.Next != nil {
		ctx.Response.Header.Set("Link", nextLink(ctx, *entries.Next))
	}
	sendAs(ctx, q.Format, entries, "entries.csv")
	return nil
}

// nextLink refers to the next page: the same query with another cursor.
func nextLink(ctx *fasthttp.RequestCtx, cursor string) string {
	var next fasthttp.Args
	ctx.QueryArgs().CopyTo(&next)
	next.Set("cursor", cursor)
	return "<?" + next.String() + `>; rel="next"`
}

func (s *usageAPI) windows(ctx *fasthttp.RequestCtx) *problem {
	caller, wrong := s.enterPlain(ctx)
	if wrong != nil {
		return wrong
	}
	windows, err := s.service.Windows(context.Background(), caller.Account)
	if err != nil {
		return s.problem(caller, err)
	}
	sendAs(ctx, usage.JSON, windows, "")
	return nil
}

// window shows one quota window, which is named by its start.
func (s *usageAPI) window(ctx *fasthttp.RequestCtx, text string) *problem {
	caller, wrong := s.enterPlain(ctx)
	if wrong != nil {
		return wrong
	}
	if plain, err := url.PathUnescape(text); err == nil { // many clients encode the colons
		text = plain
	}
	start, ok := usage.ParseWindow(text)
	if !ok {
		return invalidRequest([]schema.Violation{{
			Loc: []any{"path", "start"}, Type: "value_error",
			Msg: "Value error, start must be the start of a quota window, such as 2026-01-31T09:00:00Z",
		}})
	}
	window, err := s.service.Window(context.Background(), caller.Account, start)
	if err != nil {
		return s.problem(caller, err)
	}
	sendAs(ctx, usage.JSON, window, "")
	return nil
}

// enterPlain is enter for requests without parameters.
func (s *usageAPI) enterPlain(ctx *fasthttp.RequestCtx) (projections.Caller, *problem) {
	caller, wrong := s.enter(ctx)
	if wrong != nil {
		return caller, wrong
	}
	if violations := query.None(queryParams(ctx)); len(violations) > 0 {
		return caller, invalidRequest(violations)
	}
	return caller, nil
}

// queryParams returns the parameters of a request as they were sent.
func queryParams(ctx *fasthttp.RequestCtx) []query.Param { return query.All(ctx.QueryArgs().All()) }

// wantedFormat is the format that the header Accept asks for.
func wantedFormat(ctx *fasthttp.RequestCtx) usage.Format {
	return usage.Accepted(string(ctx.Request.Header.Peek("Accept")))
}

// sendAs writes an answer in a format.
func sendAs(ctx *fasthttp.RequestCtx, f usage.Format, answer any, name string) {
	ctx.SetStatusCode(200)
	ctx.Response.Header.Set("Cache-Control", "private, no-store")
	table, ok := answer.(interface{ CSV() []byte })
	if f != usage.CSV || !ok {
		ctx.SetContentType(jsonType)
		writeJSON(ctx, answer)
		return
	}
	ctx.SetContentType(csvType)
	ctx.Response.Header.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	ctx.SetBody(table.CSV())
}

// problem converts an error of a usage query.
func (s *usageAPI) problem(caller projections.Caller, err error) *problem {
	switch {
	case errors.Is(err, usage.ErrBusy):
		return usageBusy
	case errors.Is(err, usage.ErrNoWindow):
		return windowNotFound
	case errors.Is(err, usage.ErrTooLarge):
		what := strings.TrimPrefix(err.Error(), usage.ErrTooLarge.Error()+": ")
		return usageTooLarge.with("usage-too-large: " + what + "; ask for a shorter time, a larger bucket or fewer groups.")
	case errors.Is(err, usage.ErrUnavailable):
		s.cfg.Logger.Warn("usage query", "account", string(caller.Account), "error", err)
		return ledgerUnavailable
	}
	s.cfg.Logger.Error("usage query", "account", string(caller.Account), "error", err)
	return internalError
}
