package edge

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/valyala/fasthttp"

	"platen.dev/edge/schema"
	"platen.dev/events"
)

// problem is an error of the API (decisions.md, Errors): an RFC 9457 body that
// is a superset of the contract's {detail}.
type problem struct {
	status int
	// slug names the condition in the documentation's address, code in the field error.
	slug, code, title string
	// detail begins with the contract's name of the condition where it has one.
	detail string
	// retryAfter is in seconds; zero for none.
	retryAfter int64
	// upgrade is set where a larger plan would help.
	upgrade *upgrade
}

// upgrade names what a larger plan has.
type upgrade struct {
	Feature      string      `json:"feature"`
	RequiredPlan events.Plan `json:"required_plan"`
	UpgradeURL   string      `json:"upgrade_url"`
}

func (p problem) with(detail string) problem {
	p.detail = detail
	return p
}

func (p problem) after(seconds int64) problem {
	p.retryAfter = seconds
	return p
}

var (
	invalidKey = problem{
		status: 401, slug: "invalid-api-key", code: "INVALID_API_KEY", title: "Invalid or missing API key",
		detail: "Send a valid API key in the X-API-Key header.",
	}
	malformed = problem{
		status: 400, slug: "malformed-request", code: "MALFORMED_REQUEST", title: "Malformed HTTP request",
		detail: "The request could not be read as HTTP/1.1.",
	}
	requestTimeout = problem{
		status: 408, slug: "request-timeout", code: "REQUEST_TIMEOUT", title: "Request timeout",
		detail: "The request did not arrive within 30 seconds.",
	}
	headersTooLarge = problem{
		status: 431, slug: "headers-too-large", code: "HEADERS_TOO_LARGE", title: "Request headers too large",
		detail: "The request line and headers may have 16 KiB together.",
	}
	rateLimited = problem{
		status: 429, slug: "rate-limit-exceeded", code: "RATE_LIMIT_EXCEEDED", title: "Rate limit exceeded",
		detail: "rate-limit-exceeded: the account has made as many requests in the last 60 seconds as its plan allows.",
	}
	bodyTooLarge = problem{
		status: 413, slug: "payload-too-large", code: "PAYLOAD_TOO_LARGE", title: "Payload too large",
		detail: "payload-too-large: a request body may have 8 MiB.",
	}
	contentTooLarge = problem{status: 413, slug: "payload-too-large-for-queue", code: "PAYLOAD_TOO_LARGE_FOR_QUEUE", title: "Payload too large for the queue"}
	emptyHTML       = problem{
		status: 400, slug: "empty-html", code: "EMPTY_HTML", title: "Empty HTML",
		detail: "empty-html: nothing visible is left of the HTML once it is sanitised.",
	}
	invalidURL  = problem{status: 400, slug: "invalid-url", code: "INVALID_URL", title: "Invalid URL"}
	ssrfBlocked = problem{
		status: 400, slug: "ssrf-blocked", code: "SSRF_BLOCKED", title: "Address not allowed",
		detail: "SSRF_BLOCKED: pages on private or internal addresses are refused.",
	}
	markdownInvalid  = problem{status: 422, slug: "markdown-invalid", code: "MARKDOWN_INVALID", title: "Markdown cannot be converted"}
	invoiceInvalid   = problem{status: 422, slug: "einvoice-xml-invalid", code: "EINVOICE_XML_INVALID", title: "Invalid e-invoice"}
	optionsConflict  = problem{status: 422, slug: "einvoice-options-conflict", code: "EINVOICE_OPTIONS_CONFLICT", title: "Options exclude one another"}
	templateNotFound = problem{
		status: 404, slug: "einvoice-template-not-found", code: "EINVOICE_TEMPLATE_NOT_FOUND", title: "Template not found",
		detail: "EINVOICE_TEMPLATE_NOT_FOUND: this account has no template with that id.",
	}
	keyReused = problem{
		status: 422, slug: "idempotency-key-reused", code: "IDEMPOTENCY_KEY_REUSED", title: "Idempotency key reused",
		detail: "idempotency-key-reused: another request was accepted under this Idempotency-Key within 48 hours; choose another key.",
	}
	testLimit = problem{
		status: 429, slug: "test-rate-limit-exceeded", code: "TEST_RATE_LIMIT_EXCEEDED", title: "Too many test jobs",
		detail: "test-rate-limit-exceeded: an account may have 60 test jobs per minute and 2,000 per UTC day.",
	}
	deliveredElsewhere = problem{
		status: 404, slug: "output-delivered-externally", code: "OUTPUT_DELIVERED_EXTERNALLY", title: "File delivered elsewhere",
		detail: "output-delivered-externally: the file went to the storage that the job named and is not kept here.",
	}
	downloadBusy = problem{
		status: 429, slug: "download-busy", code: "DOWNLOAD_BUSY", title: "Download under way",
		detail: "download-busy: a file has one active stream at a time; wait until the other download has ended.",
	}
	downloadsExhausted = problem{
		status: 429, slug: "download-attempts-exhausted", code: "DOWNLOAD_ATTEMPTS_EXHAUSTED", title: "Download attempts exhausted",
		detail: "download-attempts-exhausted: the file was downloaded 3 times; submit the job again for a new file.",
	}
	preconditionFailed = problem{
		status: 412, slug: "precondition-failed", code: "PRECONDITION_FAILED", title: "Precondition failed",
		detail: "precondition-failed: the file is not the one that the request's If-Match or If-Unmodified-Since names.",
	}
	noSuchPath = problem{
		status: 404, slug: "not-found", code: "NOT_FOUND", title: "Not found",
		detail: "There is no such path; see the API description.",
	}
	methodNotAllowed = problem{
		status: 405, slug: "method-not-allowed", code: "METHOD_NOT_ALLOWED", title: "Method not allowed",
		detail: "This path takes the methods that the Allow header names.",
	}
	noSuchJob = problem{
		status: 404, slug: "job-not-found", code: "JOB_NOT_FOUND", title: "Job not found",
		detail: "job-not-found: this account has no job with that id.",
	}
	notComplete = problem{
		status: 404, slug: "job-not-complete", code: "JOB_NOT_COMPLETE", title: "Job not complete",
		detail: "job-not-complete: the job has no file; poll its status until it is done.",
	}
	fileExpired = problem{
		status: 410, slug: "file-expired", code: "FILE_EXPIRED", title: "File expired",
		detail: "file-expired: files are kept for 24 hours after their job finished.",
	}
	concurrencyLimit = problem{
		status: 429, slug: "concurrency-limit", code: "CONCURRENCY_LIMIT", title: "Too many concurrent jobs",
		detail: "concurrency-limit: as many jobs as the plan allows are under way; submit again when one has ended.",
	}
	quotaExceeded = problem{
		status: 402, slug: "quota-exceeded", code: "QUOTA_EXCEEDED", title: "Monthly quota exceeded",
		detail: "quota-exceeded: the plan's jobs of this month are used up or reserved; upgrade, or wait for the next window.",
	}
	quotaBytesExceeded = problem{
		status: 429, slug: "quota-bytes-exceeded", code: "QUOTA_BYTES_EXCEEDED", title: "Monthly volume exceeded",
		detail: "quota-bytes-exceeded: the plan's generated volume of this month is used up.",
	}
	unavailable = problem{
		status: 503, slug: "unavailable", code: "UNAVAILABLE", title: "Temporarily unavailable",
		detail: "The request could not be made durable in time; nothing is known to have been accepted. Try again.", retryAfter: 2,
	}
	internalError = problem{
		status: 500, slug: "internal-error", code: "INTERNAL_ERROR", title: "Internal error",
		detail: "Something went wrong inside; the request id helps to find it.",
	}
)

// refusals says what a shard's reply means to the caller.
var refusals = map[events.ReplyCode]problem{
	events.ConcurrencyLimit:   concurrencyLimit,
	events.QuotaExceeded:      quotaExceeded,
	events.QuotaBytesExceeded: quotaBytesExceeded,
	events.NoSuchAccount:      invalidKey,
	events.NoSuchKey:          invalidKey,
	events.KeyReused:          keyReused,
	events.TestLimit:          testLimit,
	events.NoSuchFile:         notComplete,
	events.FileGone:           fileExpired,
	events.DownloadBusy:       downloadBusy,
	events.DownloadsExhausted: downloadsExhausted,
}

// planRequired refuses what the account's plan does not have.
func planRequired(feature string, plan events.Plan, url string) problem {
	return problem{
		status: 402, slug: "plan-upgrade-required", code: "PLAN_UPGRADE_REQUIRED", title: "Plan upgrade required",
		detail:  fmt.Sprintf("plan-upgrade-required: %s needs the %s plan or a higher one.", feature, plan),
		upgrade: &upgrade{feature, plan, url},
	}
}

type problemBody struct {
	Type       string `json:"type"`
	Title      string `json:"title"`
	Status     int    `json:"status"`
	Error      string `json:"error"`
	Detail     string `json:"detail"`
	RequestID  string `json:"request_id"`
	RetryAfter int64  `json:"retry_after_seconds,omitempty"`
	*upgrade
}

func (s *Server) fail(ctx *fasthttp.RequestCtx, p problem) {
	ctx.Response.ResetBody()
	ctx.SetStatusCode(p.status)
	ctx.SetContentType("application/problem+json")
	if p.retryAfter > 0 {
		ctx.Response.Header.Set("Retry-After", strconv.FormatInt(p.retryAfter, 10))
	}
	writeJSON(ctx, problemBody{
		Type: s.cfg.DocsURL + "#" + p.slug, Title: p.title, Status: p.status, Error: p.code,
		Detail: p.detail, RequestID: string(ctx.Response.Header.Peek(requestIDHeader)), RetryAfter: p.retryAfter, upgrade: p.upgrade,
	})
}

// invalid answers schema violations in the shape that clients of Pydantic services parse.
func (s *Server) invalid(ctx *fasthttp.RequestCtx, violations []schema.Violation) {
	ctx.SetStatusCode(422)
	ctx.SetContentType("application/json")
	writeJSON(ctx, struct {
		Detail    []schema.Violation `json:"detail"`
		Type      string             `json:"type"`
		Title     string             `json:"title"`
		Status    int                `json:"status"`
		Error     string             `json:"error"`
		RequestID string             `json:"request_id"`
	}{violations, s.cfg.DocsURL + "#validation-error", "Validation error", 422, "VALIDATION_ERROR", string(ctx.Response.Header.Peek(requestIDHeader))})
}

func writeJSON(ctx *fasthttp.RequestCtx, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot be: every type written here marshals
	}
	ctx.SetBody(b)
}

const requestIDHeader = "X-Request-Id"

// setRequestID takes the caller's request id if it is sane, or makes one.
func setRequestID(ctx *fasthttp.RequestCtx) {
	id := string(ctx.Request.Header.Peek(requestIDHeader))
	if !saneID(id) {
		id = uuid.NewString()
	}
	ctx.Response.Header.Set(requestIDHeader, id)
}

func saneID(id string) bool {
	return len(id) >= 1 && len(id) <= 128 && strings.Trim(id, idCharacters) == ""
}

const idCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:"
