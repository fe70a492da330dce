package edge

import (
	"regexp"
	"strings"

	"platen.dev/edge/openapi"
	"platen.dev/edge/schema"
	"platen.dev/events"
)

// The description of the API, made of the declarations that validate the requests.

var apiInfo = openapi.Info{
	Title: "Platen", Version: "1.0.0",
	Summary: "Web pages, HTML, Markdown and e-invoices become PDFs and images.",
	Doc: `Every conversion is a job: submit it (` + "`202`" + ` with a job_id), poll ` + "`GET /jobs/{job_id}`" + ` until its status is
` + "`done` or `failed`" + `, and download the file within 24 hours, at most 3 times.

Send your key in the header ` + "`X-API-Key`" + `. A request that may be sent twice should carry an ` + "`Idempotency-Key`" + `: a repetition
within 48 hours gets the first one's job. Every response has ` + "`X-Request-Id`" + ` and the rate of the account.

Errors are problem details (RFC 9457) with ` + "`detail`" + `, a code in ` + "`error`" + ` and the request's id. What a schema refuses is told
all at once in a list of violations. A ` + "`429`" + ` says in ` + "`Retry-After`" + ` when to come again.`,
	Tags: []openapi.Tag{
		{Name: "Conversions", Doc: "Each makes a job."},
		{Name: "Jobs", Doc: "What has become of it, and its file."},
		{Name: "Description", Doc: "This document, and a page to read it. No key is needed."},
	},
}

var status = schema.String{OneOf: []string{"queued", "rendering", "uploading", "done", "failed"}}

var moment = schema.String{Format: "date-time"}

var size = schema.Integer{Min: 0, Max: 1 << 53}

const exampleID = "8d2e6f0a-4c1b-4f0e-9b7a-2d1c3e4f5a6b"

var jobCreated = schema.Object{Name: "JobCreatedResponse", Fields: []schema.Field{
	{Name: "job_id", Required: true, Kind: schema.String{Format: "uuid"}, Example: exampleID},
	{Name: "status", Required: true, Kind: status, Example: "queued"},
	{Name: "detail", Required: true, Kind: schema.String{}, Doc: "For people. The e-invoice profiles minimum and basicwl are warned of here.", Example: "Job queued"},
}}

var jobMetrics = schema.Object{Name: "JobMetrics", Fields: []schema.Field{
	{Name: "file_size_bytes", Kind: size, Example: 48213},
	{Name: "file_size_human", Kind: schema.String{}, Example: "47.1 KB"},
	{Name: "page_load_ms", Kind: size, Doc: "Navigation and wait_for_selector, without wait_after_load_ms.", Example: 112},
	{Name: "processing_ms", Kind: size, Doc: "Everything else that the service did, without waits asked for.", Example: 64},
	{Name: "total_duration_ms", Kind: size, Doc: "Wall-clock time of it all.", Example: 181},
	{Name: "page_count", Kind: size, Example: 2},
}}

var jobStatus = schema.Object{Name: "JobStatusResponse", Fields: []schema.Field{
	{Name: "status", Required: true, Kind: status, Example: "done"},
	{Name: "created_at", Kind: moment, Example: "2026-01-31T09:00:00.000Z"},
	{Name: "finished_at", Kind: moment, Example: "2026-01-31T09:00:00.181Z"},
	{Name: "expires_at", Kind: moment, Doc: "24 hours after the end, for a stored file.", Example: "2026-02-01T09:00:00.181Z"},
	{Name: "test", Kind: schema.Bool{}, Example: false},
	{Name: "pages_count", Kind: size, Example: 2},
	{Name: "error_code", Kind: schema.String{OneOf: errorCodes()}, Doc: "Why the job failed."},
	{Name: "metrics", Kind: jobMetrics},
}}

func errorCodes() (all []string) {
	for _, code := range []events.ErrorCode{
		events.SSRFBlocked, events.FileTooLarge, events.PageTimeout, events.EInvoiceFailed, events.RenderFailed,
		events.NavigationFailed, events.SelectorTimeout, events.DeliveryFailed, events.BrowserCrashed,
	} {
		all = append(all, string(code))
	}
	return all
}

var errorResponse = schema.Object{Name: "ErrorResponse", Doc: "Problem details (RFC 9457).", Fields: []schema.Field{
	{Name: "detail", Required: true, Kind: schema.String{}, Doc: "The condition's name and a sentence that a person can act on."},
	{Name: "type", Required: true, Kind: schema.String{Format: "uri"}},
	{Name: "title", Required: true, Kind: schema.String{}},
	{Name: "status", Required: true, Kind: schema.Integer{Min: 400, Max: 599}},
	{Name: "error", Required: true, Kind: schema.String{Pattern: regexp.MustCompile(`[A-Z0-9_]+`)}, Doc: "The condition as a code."},
	{Name: "request_id", Required: true, Kind: schema.String{}},
	{Name: "retry_after_seconds", Kind: size, Doc: "As in the header Retry-After."},
	{Name: "feature", Kind: schema.String{}, Doc: "With 402: what needs a larger plan,"},
	{Name: "required_plan", Kind: schema.String{OneOf: []string{"starter", "pro", "business"}}, Doc: "the smallest plan that has it,"},
	{Name: "upgrade_url", Kind: schema.String{Format: "uri"}, Doc: "and where plans are changed."},
}}

var validationError = schema.Object{Name: "HTTPValidationError", Doc: "What is wrong with a request, all of it.", Fields: []schema.Field{
	{Name: "detail", Required: true, Kind: schema.List{Items: schema.Object{Name: "ValidationError", Fields: []schema.Field{
		{Name: "loc", Required: true, Kind: schema.List{Items: schema.Either{schema.String{}, size}}, Doc: "The way to the place, from body or header on."},
		{Name: "msg", Required: true, Kind: schema.String{}},
		{Name: "type", Required: true, Kind: schema.String{}},
	}}}},
	{Name: "type", Kind: schema.String{Format: "uri"}},
	{Name: "title", Kind: schema.String{}},
	{Name: "status", Kind: schema.Integer{Min: 422, Max: 422}},
	{Name: "error", Kind: schema.String{}},
	{Name: "request_id", Kind: schema.String{}},
}}

// DescribeAPI is the OpenAPI document of the service.
func DescribeAPI() []byte {
	var all []openapi.Operation
	for _, op := range operations {
		all = append(all, op.describe())
	}
	return openapi.Build(apiInfo, append(all, describeStatus(), describeDownload(), describeDocument(), describePage()))
}

func (o operation) describe() openapi.Operation {
	described := openapi.Operation{
		ID: camel(string(o.name)), Method: "POST", Path: o.path(), Tag: "Conversions", Summary: o.summary, Doc: o.doc,
		Headers: []openapi.Parameter{{
			Name: idempotencyHeader, Kind: idempotencyKind, Example: "order-4711",
			Doc: "A repetition with the same key within 48 hours gets the first request's job, and is not charged.",
		}},
		Body: &openapi.Body{Schema: o.body, Examples: []openapi.Example{{Name: "typical", Value: o.example}}},
		Responses: []openapi.Response{
			{
				Status: 202, Doc: "The job is accepted, durably.", Headers: append(openapi.CommonHeaders(), openapi.IdempotentReplayed),
				Content: []openapi.Content{{Type: jsonType, Schema: jobCreated, Examples: []openapi.Example{
					{Name: "queued", Value: map[string]any{"job_id": exampleID, "status": "queued", "detail": "Job queued"}},
				}}},
			},
			refusal("Invalid URL, refused address, or nothing to render.", emptyHTML),
			refusal("The key is missing or invalid.", invalidKey),
			refusal("A field needs a larger plan, or the month's jobs are used up.", planRequired("options.watermark", events.PlanStarter, "https://platen.dev/pricing")),
			refusal("The request, or what is to be rendered, is too large.", bodyTooLarge),
			invalidRequest(),
			refusal("Too many requests, jobs under way or test jobs, or the month's volume is used up.", concurrencyLimit.after(5)),
			failure(), outage(),
		},
	}
	if o.name == events.EInvoiceToPDF {
		described.Responses = append(described.Responses, refusal("There is no such template.", templateNotFound))
	}
	return described
}

// camel is the name of an operation for generated clients: htmlToPdf.
func camel(name string) string {
	words := strings.Split(name, "-")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

const (
	jsonType    = "application/json"
	problemType = "application/problem+json"
)

// refusal describes a status by one of its problems.
func refusal(doc string, p problem) openapi.Response {
	example := map[string]any{
		"detail": p.detail, "type": "https://platen.dev/docs/errors#" + p.slug, "title": p.title, "status": p.status,
		"error": p.code, "request_id": "b7a1c2d3-0e4f-4a5b-8c6d-7e8f9a0b1c2d",
	}
	headers := openapi.CommonHeaders()
	if p.retryAfter > 0 {
		example["retry_after_seconds"] = p.retryAfter
		headers = append(headers, openapi.RetryAfter)
	}
	if u := p.upgrade; u != nil {
		example["feature"], example["required_plan"], example["upgrade_url"] = u.Feature, string(u.RequiredPlan), u.UpgradeURL
	}
	return openapi.Response{
		Status: p.status, Doc: doc, Headers: headers,
		Content: []openapi.Content{{Type: problemType, Schema: errorResponse, Examples: []openapi.Example{{Name: p.slug, Value: example}}}},
	}
}

func invalidRequest() openapi.Response {
	r := refusal("The body or a header is not as described, or the content is not acceptable.", optionsConflict.with("EINVOICE_OPTIONS_CONFLICT: send template or template_id, not both."))
	r.Content = append([]openapi.Content{{Type: jsonType, Schema: validationError, Examples: []openapi.Example{{Name: "missing field", Value: map[string]any{
		"detail": []any{map[string]any{"loc": []any{"body", "html"}, "msg": "Field required", "type": "missing"}},
	}}}}}, r.Content...)
	return r
}

func failure() openapi.Response { return refusal("Something went wrong inside.", internalError) }

func outage() openapi.Response {
	return refusal("Nothing can be made durable at the moment. Try again.", unavailable)
}

var jobParameter = []openapi.Parameter{{Name: "job_id", Required: true, Kind: schema.String{}, Doc: "The id that the submission was answered with.", Example: exampleID}}

func describeStatus() openapi.Operation {
	return openapi.Operation{
		ID: "jobStatus", Method: "GET", Path: "/jobs/{job_id}", Tag: "Jobs", Summary: "Status of a job",
		Doc: "Readable for 30 days after the job's end.", PathParams: jobParameter,
		Responses: []openapi.Response{
			{Status: 200, Doc: "How the job is.", Headers: openapi.CommonHeaders(), Content: []openapi.Content{{Type: jsonType, Schema: jobStatus}}},
			refusal("The key is missing or invalid.", invalidKey),
			refusal("The account has no such job.", noSuchJob),
			refusal("Too many requests.", rateLimited.after(7)),
			failure(), outage(),
		},
	}
}

func describeDownload() openapi.Operation {
	return openapi.Operation{
		ID: "jobDownload", Method: "GET", Path: "/jobs/{job_id}/download", Tag: "Jobs", Summary: "File of a job",
		Doc:        "At most 3 downloads, one at a time, within 24 hours. HEAD and conditional requests that send nothing spend none.",
		PathParams: jobParameter,
		Responses: []openapi.Response{
			{
				Status: 200, Doc: "The file.", Headers: append(openapi.CommonHeaders(), openapi.ContentDisposition, openapi.AcceptRanges, openapi.ETag),
				Content: []openapi.Content{{Type: "application/pdf"}, {Type: "image/png"}, {Type: "image/jpeg"}},
			},
			{Status: 304, Doc: "The file is the one that If-None-Match names.", Headers: append(openapi.CommonHeaders(), openapi.ETag)},
			refusal("The key is missing or invalid.", invalidKey),
			refusal("The account has no such job, the job has no file, or its file was delivered elsewhere.", notComplete),
			refusal("The file has expired.", fileExpired),
			refusal("The file is not the one that If-Match names.", preconditionFailed),
			refusal("Too many requests, another download is under way, or all are spent.", downloadBusy.after(10)),
			failure(), outage(),
		},
	}
}

func describeDocument() openapi.Operation {
	return openapi.Operation{
		ID: "openapi", Method: "GET", Path: openapi.DocumentPath, Tag: "Description", Summary: "This document", Public: true,
		Responses: []openapi.Response{
			{Status: 200, Doc: "OpenAPI 3.1.", Headers: append(openapi.CommonHeaders(), openapi.ETag), Content: []openapi.Content{{Type: jsonType}}},
			{Status: 304, Doc: "It has not changed.", Headers: append(openapi.CommonHeaders(), openapi.ETag)},
		},
	}
}

func describePage() openapi.Operation {
	return openapi.Operation{
		ID: "docs", Method: "GET", Path: openapi.DocsPath, Tag: "Description", Summary: "A page to read it", Public: true,
		Responses: []openapi.Response{
			{Status: 200, Doc: "The page.", Headers: append(openapi.CommonHeaders(), openapi.ETag), Content: []openapi.Content{{Type: "text/html"}}},
			{Status: 304, Doc: "It has not changed.", Headers: append(openapi.CommonHeaders(), openapi.ETag)},
		},
	}
}
