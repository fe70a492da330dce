package edge

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/valyala/fasthttp"

	"platen.dev/edge/schema"
	"platen.dev/einvoice/report"
	"platen.dev/events"
)

const (
	jsonType    = "application/json"
	problemType = "application/problem+json"
)

// problemBody is the body of a problem.
type problemBody struct {
	Type       string `json:"type"`
	Title      string `json:"title"`
	Status     int    `json:"status"`
	Error      string `json:"error"`
	Detail     string `json:"detail"`
	RequestID  string `json:"request_id"`
	JobID      string `json:"job_id,omitempty"`
	RetryAfter int64  `json:"retry_after_seconds,omitempty"`
	// Broken are business rules.
	Broken []report.Violation `json:"violations,omitempty"`
	*upgrade
}

// validationBody is the body of a validation error, in the shape that clients of
// Pydantic services parse.
type validationBody struct {
	Detail    []schema.Violation `json:"detail"`
	Type      string             `json:"type"`
	Title     string             `json:"title"`
	Status    int                `json:"status"`
	Error     string             `json:"error"`
	RequestID string             `json:"request_id"`
}

// failedWith is the user value that holds the problem with which a request failed.
type failedWith struct{}

// fail replaces the response by a problem.
func (s *Server) fail(ctx *fasthttp.RequestCtx, p *problem) {
	ctx.SetUserValue(failedWith{}, p)
	ctx.Response.ResetBody()
	ctx.SetStatusCode(p.status)
	id := string(ctx.Response.Header.Peek(requestIDHeader))
	if p.violations != nil {
		ctx.SetContentType(jsonType)
		writeJSON(ctx, validationBody{p.violations, s.cfg.DocsURL + "#validation-error", "Validation error", p.status, "VALIDATION_ERROR", id})
		return
	}
	ctx.SetContentType(problemType)
	if p.allow != "" {
		ctx.Response.Header.Set("Allow", p.allow)
	}
	if p.accepts != "" { // RFC 9110, section 12.5.3
		ctx.Response.Header.Set(acceptEncodingHeader, p.accepts)
	}
	if p.retryAfter > 0 {
		ctx.Response.Header.Set("Retry-After", strconv.FormatInt(p.retryAfter, 10))
	}
	job := ""
	if p.job != (events.JobID{}) {
		job = p.job.String()
	}
	writeJSON(ctx, problemBody{
		JobID: job, Type: s.cfg.DocsURL + "#" + p.slug, Title: p.title, Status: p.status, Error: p.code,
		Detail: p.detail, RequestID: id, RetryAfter: p.retryAfter, Broken: p.broken, upgrade: p.upgrade,
	})
}

func writeJSON(ctx *fasthttp.RequestCtx, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // impossible: every type written here can be marshalled
	}
	ctx.SetBody(b)
}

const requestIDHeader = "X-Request-Id"

// setRequestID takes the caller's request id if it is well-formed, or makes one.
func setRequestID(ctx *fasthttp.RequestCtx) {
	id := string(ctx.Request.Header.Peek(requestIDHeader))
	if !wellFormedID(id) {
		id = uuid.NewString()
	}
	ctx.Response.Header.Set(requestIDHeader, id)
}

func wellFormedID(id string) bool {
	return len(id) >= 1 && len(id) <= 128 && strings.Trim(id, idCharacters) == ""
}

const idCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:"
