package edge

import (
	"regexp"

	"platen.dev/edge/openapi"
	"platen.dev/edge/request"
	"platen.dev/edge/schema"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// The bodies of responses, as the API description has them.

var jobState = schema.String{OneOf: []string{"queued", "rendering", "uploading", "done", "failed"}}

var timestamp = schema.String{Format: "date-time"}

var count = schema.Integer{Min: 0, Max: 1 << 53}

const exampleID = "8d2e6f0a-4c1b-4f0e-9b7a-2d1c3e4f5a6b"

var jobCreated = openapi.Object{Name: "JobCreatedResponse", Fields: []openapi.Field{
	openapi.Required("job_id", schema.String{Format: "uuid"}).Example(exampleID),
	openapi.Required("status", jobState).Example("queued"),
	openapi.Required("detail", schema.String{}).Doc("For people. The e-invoice profiles minimum and basicwl are warned of here.").Example("Job queued"),
}}

var jobMetrics = openapi.Object{Name: "JobMetrics", Fields: []openapi.Field{
	openapi.Optional("file_size_bytes", count).Example(48213),
	openapi.Optional("file_size_human", schema.String{}).Example("47.1 KB"),
	openapi.Optional("page_load_ms", count).Doc("Navigation and wait_for_selector, without wait_after_load_ms.").Example(112),
	openapi.Optional("processing_ms", count).Doc("Everything else that the service did, without waits asked for.").Example(64),
	openapi.Optional("total_duration_ms", count).Doc("Wall-clock time of it all.").Example(181),
	openapi.Optional("page_count", count).Example(2),
}}

// errorDetail and jobWarnings explain an outcome in sentences.
var (
	errorDetail = openapi.Optional("error_detail", schema.String{MaxLength: contract.MaxDetail}).
			Doc("An extension: why the job failed, in a sentence.")
	jobWarnings = openapi.Optional("warnings", schema.List[schema.None]{Items: jobWarning}).
			Doc("An extension: what was done nevertheless.")
	jobWarning = openapi.Object{Name: "JobWarning", Fields: []openapi.Field{
		openapi.Required("code", schema.String{OneOf: contract.WarningCodes()}).Example(contract.ResourceMissing),
		openapi.Required("detail", schema.String{MaxLength: contract.MaxDetail}).Example("https://example.com/logo.png is missing: HTTP status 404."),
	}}
)

var jobStatus = openapi.Object{Name: "JobStatusResponse", Fields: []openapi.Field{
	openapi.Required("status", jobState).Example("done"),
	openapi.Optional("created_at", timestamp).Example("2026-01-31T09:00:00.000Z"),
	openapi.Optional("finished_at", timestamp).Example("2026-01-31T09:00:00.181Z"),
	openapi.Optional("expires_at", timestamp).Doc("24 hours after the end, for a stored file.").Example("2026-02-01T09:00:00.181Z"),
	openapi.Optional("test", schema.Bool{}).Example(false),
	openapi.Optional("pages_count", count).Example(2),
	openapi.Optional("error_code", schema.String{OneOf: errorCodes()}).Doc("Why the job failed."),
	errorDetail, jobWarnings,
	openapi.Optional("metrics", jobMetrics),
	openapi.Optional("tags", request.Tags).Doc("An extension: those of the request; missing if it had none."),
}}

// jobNotice is the body of a webhook.
var jobNotice = openapi.Object{Name: "JobNotice", Fields: []openapi.Field{
	openapi.Required("type", schema.String{OneOf: []string{"job.finished", "job.failed"}}).Example("job.finished"),
	openapi.Required("timestamp", timestamp).Doc("As finished_at.").Example("2026-01-31T09:00:00.181Z"),
	openapi.Required("job_id", schema.String{Format: "uuid"}).Example(exampleID),
	openapi.Required("status", schema.String{OneOf: []string{"done", "failed"}}).Example("done"),
	openapi.Required("test", schema.Bool{}).Example(false),
	openapi.Required("created_at", timestamp).Example("2026-01-31T09:00:00.000Z"),
	openapi.Required("finished_at", timestamp).Example("2026-01-31T09:00:00.181Z"),
	openapi.Optional("expires_at", timestamp).Doc("Missing for a delivered job, as is file_url.").Example("2026-02-01T09:00:00.181Z"),
	openapi.Optional("file_url", schema.String{Format: "uri"}).Doc("Needs your key, as every download.").Example("https://pdf.example.com/jobs/" + exampleID + "/download"),
	openapi.Optional("error_code", schema.String{OneOf: errorCodes()}),
	errorDetail, jobWarnings,
	openapi.Optional("pages_count", count).Example(2),
	openapi.Optional("metrics", jobMetrics),
	openapi.Optional("tags", request.Tags).Doc("An extension: those of the request; missing if it had none."),
}}

var webhookAttempt = openapi.Object{Name: "WebhookAttempt", Fields: []openapi.Field{
	openapi.Required("number", count).Example(1),
	openapi.Required("at", timestamp).Doc("When it began.").Example("2026-01-31T09:00:00.412Z"),
	openapi.Optional("status", count).Doc("Of your response; null if there was none.").Example(503),
	openapi.Required("duration_ms", count).Example(87),
	openapi.Optional("error", schema.String{}).Doc("Why there was no response."),
	openapi.Optional("answer", schema.String{}).Doc("The first KiB of your response.").Example("busy"),
	openapi.Optional("outcome", schema.String{OneOf: []string{"delivered", "given-up"}}).Doc("Null if it is tried again."),
	openapi.Optional("next_attempt_at", timestamp).Example("2026-01-31T09:00:05.398Z"),
}}

var webhookResponse = openapi.Object{Name: "WebhookResponse", Fields: []openapi.Field{
	openapi.Required("webhook_id", schema.String{}).Doc("As in the header webhook-id.").Example("msg_8d2e6f0a4c1b4f0e9b7a2d1c3e4f5a6b"),
	openapi.Required("attempts", schema.List[schema.None]{Items: webhookAttempt}),
}}

var redeliveryResponse = openapi.Object{Name: "RedeliveryResponse", Fields: []openapi.Field{
	openapi.Required("detail", schema.String{}).Example("Webhook queued"),
}}

var cancelResponse = openapi.Object{Name: "CancelResponse", Fields: []openapi.Field{
	openapi.Required("job_id", schema.String{}).Example(exampleID),
	openapi.Required("status", schema.String{OneOf: []string{"failed"}}),
	openapi.Required("detail", schema.String{}).Example("Job cancelled"),
}}

func errorCodes() (all []string) {
	for _, code := range events.ErrorCodes() {
		all = append(all, string(code))
	}
	return all
}

var errorResponse = openapi.Object{Name: "ErrorResponse", Doc: "Problem details (RFC 9457).", Fields: []openapi.Field{
	openapi.Required("detail", schema.String{}).Doc("The condition's name and a sentence that a person can act on."),
	openapi.Required("type", schema.String{Format: "uri"}),
	openapi.Required("title", schema.String{}),
	openapi.Required("status", schema.Integer{Min: 400, Max: 599}),
	openapi.Required("error", schema.String{Pattern: regexp.MustCompile(`[A-Z0-9_]+`)}).Doc("The condition as a code."),
	openapi.Required("request_id", schema.String{}),
	openapi.Optional("job_id", schema.String{}).Doc("With wait: the job."),
	openapi.Optional("violations", schema.List[schema.None]{Items: ruleViolation}).Doc("An extension, with EINVOICE_RULES_VIOLATED: up to 50."),
	openapi.Optional("retry_after_seconds", count).Doc("As in the header Retry-After."),
	openapi.Optional("feature", schema.String{}).Doc("With 402: what needs a larger plan,"),
	openapi.Optional("required_plan", schema.String{OneOf: []string{"starter", "pro", "business"}}).Doc("and the smallest plan that has it."),
	openapi.Optional("plan", schema.String{}).Doc("With CONCURRENCY_LIMIT_EXCEEDED: the account's plan,"),
	openapi.Optional("limit", count).Doc("how many jobs may be unfinished at once,"),
	openapi.Optional("in_flight", count).Doc("and how many are."),
	openapi.Optional("upgrade_url", schema.String{Format: "uri"}).Doc("With either, and with QUOTA_EXCEEDED: where plans are changed."),
}}

var violation = openapi.Object{Name: "ValidationError", Fields: []openapi.Field{
	openapi.Required("loc", schema.List[schema.None]{Items: schema.Either{schema.String{}, count}}).Doc("The path of the field, beginning with body or header."),
	openapi.Required("msg", schema.String{}),
	openapi.Required("type", schema.String{}),
}}

var validationError = openapi.Object{Name: "HTTPValidationError", Doc: "All violations of a request.", Fields: []openapi.Field{
	openapi.Required("detail", schema.List[schema.None]{Items: violation}),
	openapi.Optional("type", schema.String{Format: "uri"}),
	openapi.Optional("title", schema.String{}),
	openapi.Optional("status", schema.Integer{Min: 422, Max: 422}),
	openapi.Optional("error", schema.String{}),
	openapi.Optional("request_id", schema.String{}),
}}
