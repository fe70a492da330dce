package edge

import (
	"fmt"
	"strings"
	"time"

	"platen.dev/edge/dashboard"
	"platen.dev/edge/schema"
	"platen.dev/einvoice/report"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/projections"
)

// problem is an error of the API (docs/API.md, Errors), written as problem details
// (RFC 9457). Those declared here are shared and never changed.
type problem struct {
	status int
	// slug names the condition in the documentation's URL, code in the field error.
	slug, code, title string
	// detail begins with the API's name of the condition where it has one.
	detail string
	// reason is why a job failed, with its error.
	reason string
	// retryAfter is in seconds; zero for none.
	retryAfter int64
	// allow lists the methods that the path takes, if the request had another.
	allow string
	// accepts is the encoding that a body may have, if the request's had another.
	accepts string
	// upgrade is set where a larger plan helps.
	upgrade *upgrade
	// job is the job that it is about, zero if the caller has named it.
	job events.JobID
	// broken are the business rules that an e-invoice breaks.
	broken []report.Violation
	// violations make it a validation error, which has a body of its own and no other fields.
	violations []schema.Violation
}

// upgrade names the feature that a larger plan has, or the limit that it raises.
type upgrade struct {
	Feature      string      `json:"feature,omitempty"`
	RequiredPlan events.Plan `json:"required_plan,omitempty"`
	Plan         events.Plan `json:"plan,omitempty"`
	Limit        int64       `json:"limit,omitempty"`
	InFlight     int64       `json:"in_flight,omitempty"`
	UpgradeURL   string      `json:"upgrade_url"`
}

// with is the problem with another detail.
func (p problem) with(detail string) *problem {
	p.detail = detail
	return &p
}

// allowing is the problem for a path that takes other methods.
func (p problem) allowing(methods string) *problem {
	p.allow = methods
	return &p
}

// after is the problem with a time to wait, in seconds.
func (p problem) after(seconds int64) *problem {
	p.retryAfter = seconds
	return &p
}

var (
	invalidKey = &problem{
		status: 401, slug: "invalid-api-key", code: "INVALID_API_KEY", title: "Invalid or missing API key",
		detail: "Send a valid API key in the X-API-Key header.",
	}
	malformed = &problem{
		status: 400, slug: "malformed-request", code: "MALFORMED_REQUEST", title: "Malformed HTTP request",
		detail: "The request could not be read as HTTP/1.1.",
	}
	requestTimeout = &problem{
		status: 408, slug: "request-timeout", code: "REQUEST_TIMEOUT", title: "Request timeout",
		detail: fmt.Sprintf("The request did not arrive within %d seconds.", defaultTimeouts.read/time.Second),
	}
	headersTooLarge = &problem{
		status: 431, slug: "headers-too-large", code: "HEADERS_TOO_LARGE", title: "Request headers too large",
		detail: fmt.Sprintf("The request line and headers may have %d KiB together.", maxHeader>>10),
	}
	rateLimited = &problem{
		status: 429, slug: "rate-limit-exceeded", code: "RATE_LIMIT_EXCEEDED", title: "Rate limit exceeded",
		detail: fmt.Sprintf("rate-limit-exceeded: the account has made as many requests in the last %d seconds as its plan allows.", contract.RateWindow/time.Second),
	}
	bodyTooLarge = &problem{
		status: 413, slug: "payload-too-large", code: "PAYLOAD_TOO_LARGE", title: "Payload too large",
		detail: fmt.Sprintf("payload-too-large: a request body may have %d MiB.", contract.MaxBody>>20),
	}
	unsupportedEncoding = &problem{
		status: 415, slug: "unsupported-content-encoding", code: "UNSUPPORTED_CONTENT_ENCODING", title: "Unsupported content encoding",
		detail: "unsupported-content-encoding: send the body as it is, without Content-Encoding.", accepts: identity,
	}
	noBodyWanted    = bodyTooLarge.with(fmt.Sprintf("payload-too-large: this endpoint takes no body (up to %d KiB is ignored).", smallBody>>10))
	formTooLarge    = bodyTooLarge.with(fmt.Sprintf("payload-too-large: a form is limited to %d MiB.", dashboard.LargeForm>>20))
	contentTooLarge = &problem{status: 413, slug: "payload-too-large-for-queue", code: "PAYLOAD_TOO_LARGE_FOR_QUEUE", title: "Payload too large for the queue"}
	emptyHTML       = &problem{
		status: 400, slug: "empty-html", code: "EMPTY_HTML", title: "Empty HTML",
		detail: "empty-html: nothing visible is left of the HTML once it is sanitised.",
	}
	invalidURL  = &problem{status: 400, slug: "invalid-url", code: "INVALID_URL", title: "Invalid URL"}
	ssrfBlocked = &problem{
		status: 400, slug: "ssrf-blocked", code: "SSRF_BLOCKED", title: "Address not allowed",
		detail: "SSRF_BLOCKED: pages on private or internal addresses are refused.",
	}
	markdownInvalid  = &problem{status: 422, slug: "markdown-invalid", code: "MARKDOWN_INVALID", title: "Markdown cannot be converted"}
	invoiceInvalid   = &problem{status: 422, slug: "einvoice-xml-invalid", code: "EINVOICE_XML_INVALID", title: "Invalid e-invoice"}
	invoiceBroken    = &problem{status: 422, slug: "einvoice-rules-violated", code: "EINVOICE_RULES_VIOLATED", title: "Business rules violated"}
	invoiceNotFound  = &problem{status: 422, slug: "einvoice-not-found", code: "EINVOICE_NOT_FOUND", title: "No e-invoice in the PDF"}
	optionsConflict  = &problem{status: 422, slug: "einvoice-options-conflict", code: "EINVOICE_OPTIONS_CONFLICT", title: "Options exclude one another"}
	templateNotFound = &problem{
		status: 404, slug: "einvoice-template-not-found", code: "EINVOICE_TEMPLATE_NOT_FOUND", title: "Template not found",
		detail: "EINVOICE_TEMPLATE_NOT_FOUND: this account has no template with that id.",
	}
	keyReused = &problem{
		status: 422, slug: "idempotency-key-reused", code: "IDEMPOTENCY_KEY_REUSED", title: "Idempotency key reused",
		detail: fmt.Sprintf("idempotency-key-reused: another request was accepted under this Idempotency-Key within %d hours; choose another key.", contract.IdempotencyLife/time.Hour),
	}
	testLimit = &problem{
		status: 429, slug: "test-rate-limit-exceeded", code: "TEST_RATE_LIMIT_EXCEEDED", title: "Too many test jobs",
		detail: "test-rate-limit-exceeded: an account may have 60 test jobs per minute and 2,000 per UTC day.",
	}
	deliveredElsewhere = &problem{
		status: 404, slug: "output-delivered-externally", code: "OUTPUT_DELIVERED_EXTERNALLY", title: "File delivered elsewhere",
		detail: "output-delivered-externally: the file went to the storage that the job named and is not kept here.",
	}
	downloadBusy = &problem{
		status: 429, slug: "download-busy", code: "DOWNLOAD_BUSY", title: "Download under way",
		detail: "download-busy: a file has one active stream at a time; wait until the other download has ended.",
	}
	downloadsExhausted = &problem{
		status: 429, slug: "download-attempts-exhausted", code: "DOWNLOAD_ATTEMPTS_EXHAUSTED", title: "Download attempts exhausted",
		detail: fmt.Sprintf("download-attempts-exhausted: the file was downloaded %d times; submit the job again for a new file.", contract.MaxDownloads),
	}
	preconditionFailed = &problem{
		status: 412, slug: "precondition-failed", code: "PRECONDITION_FAILED", title: "Precondition failed",
		detail: "precondition-failed: the file is not the one that the request's If-Match or If-Unmodified-Since names.",
	}
	noSuchPath = &problem{
		status: 404, slug: "not-found", code: "NOT_FOUND", title: "Not found",
		detail: "There is no such path; see the API description.",
	}
	methodNotAllowed = &problem{
		status: 405, slug: "method-not-allowed", code: "METHOD_NOT_ALLOWED", title: "Method not allowed",
		detail: "This path takes the methods that the Allow header names.",
	}
	noSuchJob = &problem{
		status: 404, slug: "job-not-found", code: "JOB_NOT_FOUND", title: "Job not found",
		detail: "job-not-found: this account has no job with that id.",
	}
	noWebhook = &problem{
		status: 404, slug: "no-webhook", code: "NO_WEBHOOK", title: "No webhook",
		detail: "no-webhook: the job was submitted without webhook_url.",
	}
	noEvidence = &problem{
		status: 404, slug: "no-evidence", code: "NO_EVIDENCE", title: "No evidence",
		detail: "no-evidence: only a job that has made an e-invoice has evidence, from its end on.",
	}
	notEnded = &problem{
		status: 409, slug: "job-not-ended", code: "JOB_NOT_ENDED", title: "Job not ended",
		detail: "job-not-ended: the webhook is sent when the job is done or has failed.",
	}
	syncTimeout = &problem{
		status: 503, slug: "sync-timeout", code: "SYNC_TIMEOUT", title: "Not done in time",
		detail: fmt.Sprintf("sync-timeout: the job was not done within %d seconds, and is cancelled; nothing is charged. Send the request without wait, and poll.", contract.WaitLimit/time.Second),
	}
	alreadyEnded = &problem{
		status: 409, slug: "job-already-ended", code: "JOB_ALREADY_ENDED", title: "Job already ended",
		detail: "job-already-ended: the job is done or has failed, and cannot be cancelled.",
	}
	notComplete = &problem{
		status: 404, slug: "job-not-complete", code: "JOB_NOT_COMPLETE", title: "Job not complete",
		detail: "job-not-complete: the job has no file; poll its status until it is done.",
	}
	fileExpired = &problem{
		status: 410, slug: "file-expired", code: "FILE_EXPIRED", title: "File expired",
		detail: fmt.Sprintf("file-expired: files are kept for %d hours after their job finished.", contract.FileLife/time.Hour),
	}
	concurrencyLimit = &problem{
		status: 429, slug: "concurrency-limit", code: "CONCURRENCY_LIMIT_EXCEEDED", title: "Too many concurrent jobs",
		detail: "concurrency-limit: as many jobs as the plan allows are under way; submit again when one has ended.",
	}
	accountSuspended = &problem{
		status: 403, slug: "account-suspended", code: "ACCOUNT_SUSPENDED", title: "Account suspended",
		detail: "account-suspended: the account gets no new jobs. The dashboard says why; jobs accepted before continue.",
	}
	planUpgrade   = &problem{status: 402, slug: "plan-upgrade-required", code: "PLAN_UPGRADE_REQUIRED", title: "Plan upgrade required"}
	quotaExceeded = &problem{
		status: 402, slug: "quota-exceeded", code: "QUOTA_EXCEEDED", title: "Monthly quota exceeded",
		detail: "quota-exceeded: the plan's jobs of this month are used up or reserved; upgrade, or wait for the next window.",
	}
	quotaBytesExceeded = &problem{
		status: 429, slug: "quota-bytes-exceeded", code: "QUOTA_BYTES_EXCEEDED", title: "Monthly volume exceeded",
		detail: "quota-bytes-exceeded: the plan's generated volume of this month is used up.",
	}
	windowNotFound = &problem{
		status: 404, slug: "window-not-found", code: "WINDOW_NOT_FOUND", title: "Quota window not found",
		detail: "window-not-found: the ledger has no entry of a quota window of this account that begins then.",
	}
	usageTooLarge = &problem{status: 422, slug: "usage-too-large", code: "USAGE_TOO_LARGE", title: "Too much usage for one answer"}
	usageBusy     = &problem{
		status: 429, slug: "usage-busy", code: "USAGE_BUSY", title: "Usage queries under way",
		detail: "usage-busy: an account has two usage queries under way at a time, or one about a single window; wait until one has ended.", retryAfter: 2,
	}
	ledgerUnavailable = &problem{
		status: 503, slug: "ledger-unavailable", code: "LEDGER_UNAVAILABLE", title: "Ledger unavailable",
		detail: "ledger-unavailable: the usage ledger did not answer in time. Jobs continue, and what they are charged will be in it. Try again.", retryAfter: 5,
	}
	unavailable = &problem{
		status: 503, slug: "unavailable", code: "UNAVAILABLE", title: "Temporarily unavailable",
		detail: "The request could not be made durable in time; nothing is known to have been accepted. Try again.", retryAfter: 2,
	}
	internalError = &problem{
		status: 500, slug: "internal-error", code: "INTERNAL_ERROR", title: "Internal error",
		detail: "Something went wrong inside; the request id helps to find it.",
	}
)

// problems are all conditions with a slug of their own, by status.
var problems = []*problem{
	malformed, emptyHTML, invalidURL, ssrfBlocked,
	invalidKey,
	planUpgrade, quotaExceeded,
	accountSuspended,
	templateNotFound, deliveredElsewhere, noSuchPath, noSuchJob, noWebhook, noEvidence, notComplete, windowNotFound,
	methodNotAllowed,
	requestTimeout,
	notEnded, alreadyEnded,
	fileExpired,
	preconditionFailed,
	bodyTooLarge, contentTooLarge,
	unsupportedEncoding,
	markdownInvalid, invoiceInvalid, invoiceBroken, invoiceNotFound, optionsConflict, keyReused, usageTooLarge,
	rateLimited, testLimit, downloadBusy, downloadsExhausted, concurrencyLimit, quotaBytesExceeded, usageBusy,
	headersTooLarge,
	internalError,
	syncTimeout, ledgerUnavailable, unavailable,
}

// notRead ends a request about something that this node cannot read now: it is behind, its rows are being made again, it is about to end because
// it has lost its disk, or the store of results does not answer.
var notRead = unavailable.with("The data could not be read in time. Try again.")

// nodeStops ends waiting requests when the node shuts down.
var nodeStops = unavailable.with("The node is shutting down; the job continues. Send the request again with the same Idempotency-Key, or poll the job.")

// endsUnread ends a request that has not arrived when the node shuts down.
var endsUnread = unavailable.with("The node is shutting down, and the request has not arrived completely. Nothing was accepted; try again.")

// notCancelled ends a request that reached its time limit, but whose job could not be cancelled.
var notCancelled = unavailable.with("The job is not done in time and could not be cancelled; it continues. Send the request again with the same Idempotency-Key, or poll the job.")

// refusals maps the replies of a shard that refuse a command.
var refusals = map[events.ReplyCode]*problem{
	events.ConcurrencyLimit:   concurrencyLimit,
	events.QuotaExceeded:      quotaExceeded,
	events.Suspended:          accountSuspended,
	events.QuotaBytesExceeded: quotaBytesExceeded,
	events.NoSuchAccount:      invalidKey,
	events.NoSuchKey:          invalidKey,
	events.KeyReused:          keyReused,
	events.TestLimit:          testLimit,
	events.NoSuchFile:         notComplete,
	events.NoWebhook:          noWebhook,
	events.NotEnded:           notEnded,
	events.AlreadyEnded:       alreadyEnded,
	events.FileGone:           fileExpired,
	events.DownloadBusy:       downloadBusy,
	events.DownloadsExhausted: downloadsExhausted,
}

// planRequired refuses a feature that the account's plan does not have.
func planRequired(feature string, plan events.Plan, url string) *problem {
	p := planUpgrade.with(fmt.Sprintf("plan-upgrade-required: %s needs the %s plan or a higher one.", feature, plan))
	p.upgrade = &upgrade{Feature: feature, RequiredPlan: plan, UpgradeURL: url}
	return p
}

// limitReached is concurrencyLimit with the account's figures.
func limitReached(c events.Concurrency, url string) *problem {
	p := *concurrencyLimit
	p.upgrade = &upgrade{Plan: c.Plan, Limit: c.Limit, InFlight: c.InFlight, UpgradeURL: url}
	return &p
}

// usedUp is quotaExceeded with the place where plans are changed.
func usedUp(url string) *problem {
	p := *quotaExceeded
	p.upgrade = &upgrade{UpgradeURL: url}
	return &p
}

// invalidRequest refuses a request whose form is wrong.
func invalidRequest(violations []schema.Violation) *problem {
	return &problem{status: 422, violations: violations}
}

// rulesViolated refuses an e-invoice that breaks business rules: the fatal ones.
func rulesViolated(found report.Rules) *problem {
	var sets, lines []string
	for _, s := range found.Sets {
		sets = append(sets, s.Name+" "+s.Version)
	}
	var broken []report.Violation
	for _, v := range found.Violations {
		if v.Severity == report.Fatal && len(broken) < contract.MaxRulesViolated {
			broken = append(broken, v)
			lines = append(lines, fmt.Sprintf("%s (%s), line %d: %s %s", v.Rule, v.Term, v.Line, v.Message, v.Fix))
		}
	}
	p := invoiceBroken.with(fmt.Sprintf("EINVOICE_RULES_VIOLATED: the invoice breaks rules of %s:\n%s", strings.Join(sets, ", "), strings.Join(lines, "\n")))
	p.broken = broken
	return p
}

// jobFailed is the problem of a request that waited for a job that failed.
func jobFailed(job projections.Job) *problem {
	return &problem{
		status: 422, slug: "job-failed", code: string(job.Error), title: "Job failed",
		detail: "job-failed: the job ended with the error that the field error names; nothing is charged. " + job.Reason(),
		reason: strings.TrimSuffix(string(job.Error)+": "+job.Reason(), ": "),
	}
}
