package edge

import (
	"encoding/json"
	"strings"

	"platen.dev/edge/openapi"
	"platen.dev/edge/request"
	"platen.dev/edge/schema"
	"platen.dev/events"
)

// The API description. Requests are described by the declarations that validate them.

var apiInfo = openapi.Info{
	Title: "Platen", Version: "1.0.0",
	Summary: "Web pages, HTML, Markdown and e-invoices become PDFs and images.",
	Doc: `Every conversion is a job: submit it (` + "`202`" + ` with a job_id), poll ` + "`GET /jobs/{job_id}`" + ` until its status is
` + "`done` or `failed`" + `, and download the file within 24 hours, at most 3 times.

Send your key in the header ` + "`X-API-Key`" + `. A request that you may repeat should carry an ` + "`Idempotency-Key`" + `: a repetition
within 48 hours gets the first one's job. Every response has ` + "`X-Request-Id`" + ` and the rate of the account.

Errors are problem details (RFC 9457) with ` + "`detail`" + `, a code in ` + "`error`" + ` and the request's id. The violations of a schema come
all at once in a list. A ` + "`429`" + ` says in ` + "`Retry-After`" + ` when to try again.`,
	Tags: []openapi.Tag{
		{Name: "Conversions", Doc: "Each makes a job."},
		{Name: "Jobs", Doc: "Its status, and its file."},
		{Name: "E-invoices", Doc: "Checked and read at once, without a job."},
		{Name: "Usage", Doc: "What was charged, by the usage ledger. It is some seconds behind the live quota by which jobs are accepted."},
		{Name: "Description", Doc: "This document, and a page to read it. No key is needed."},
	},
	Webhooks: []openapi.Operation{describeNotice("job.finished", "A job is done"), describeNotice("job.failed", "A job has failed")},
}

func describeOperation(o *request.Operation) openapi.Operation {
	described := openapi.Operation{
		ID: camel(string(o.Name)), Method: "POST", Path: o.Path(), Tag: "Conversions", Summary: o.Summary, Doc: o.Doc,
		Headers: []openapi.Parameter{{
			Name: request.IdempotencyHeader, Kind: request.IdempotencyKey, Example: "order-4711",
			Doc: "A repetition with the same key within 48 hours gets the first request's job, and is not charged.",
		}},
		Body: &openapi.Body{Schema: o.Kind(), Examples: []openapi.Example{{Name: "typical", Value: o.Example}}},
		Responses: []openapi.Response{
			{
				Status: 202, Doc: "The job is accepted, durably.", Headers: append(openapi.CommonHeaders(), openapi.IdempotentReplayed),
				Content: []openapi.Content{{Type: jsonType, Schema: jobCreated, Examples: []openapi.Example{
					{Name: "queued", Value: json.RawMessage(`{"detail":"Job queued","job_id":"` + exampleID + `","status":"queued"}`)},
				}}},
			},
			{
				Status: 200, Doc: "With wait: the file, as the first of its downloads.",
				Headers: append(openapi.CommonHeaders(), openapi.IdempotentReplayed, openapi.JobID, openapi.Warning, openapi.ContentDisposition, openapi.AcceptRanges, openapi.ETag),
				Content: fileTypes(o.Name),
			},
			refusal("Invalid URL, refused address, or nothing to render.", emptyHTML),
			refusal("The key is missing or invalid.", invalidKey),
			refusal("A field needs a larger plan, or the month's jobs are used up.", planRequired("options.watermark", events.PlanStarter, "https://platen.dev/pricing")),
			refusal("An operator has suspended the account.", accountSuspended),
			refusal("With wait, and a repeated request: the file has expired.", fileExpired),
			refusal("The request, or what is to be rendered, is too large.", bodyTooLarge),
			encodingRefusal(), validationFailure(),
			refusal("Too many requests, jobs under way or test jobs, or the month's volume is used up.", limitReached(events.Concurrency{Plan: events.PlanFree, Limit: 3, InFlight: 3}, "https://platen.dev/pricing").after(5)),
			failure(), outage(),
		},
	}
	if o.Name == events.EInvoiceToPDF {
		described.Responses = append(described.Responses, refusal("There is no such template.", templateNotFound))
	}
	return described
}

// fileTypes are the types of the files that an operation makes.
func fileTypes(o events.Operation) []openapi.Content {
	if o.Image() {
		return []openapi.Content{{Type: "image/png"}, {Type: "image/jpeg"}, {Type: "image/webp"}}
	}
	return []openapi.Content{{Type: "application/pdf"}}
}

// camel returns an operation's name for generated clients: htmlToPdf.
func camel(name string) string {
	words := strings.Split(name, "-")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// refusal describes a status by one of its problems.
func refusal(doc string, p *problem) openapi.Response {
	headers := openapi.CommonHeaders()
	if p.retryAfter > 0 {
		headers = append(headers, openapi.RetryAfter)
	}
	return openapi.Response{
		Status: p.status, Doc: doc, Headers: headers,
		Content: []openapi.Content{{Type: problemType, Schema: errorResponse, Examples: []openapi.Example{{Name: p.slug, Value: exampleOf(p)}}}},
	}
}

// encodingRefusal describes 415, of the operations that read a body.
func encodingRefusal() openapi.Response {
	r := refusal("The body has a Content-Encoding other than identity.", unsupportedEncoding.with(`unsupported-content-encoding: the request has Content-Encoding "gzip"; send the body as it is, without that header.`))
	r.Headers = append(r.Headers, openapi.AcceptEncoding)
	return r
}

// exampleOf is the body of a problem, its fields in alphabetical order.
func exampleOf(p *problem) (example schema.Ordered) {
	add := func(name string, value any) { example = append(example, schema.Member{Name: name, Value: value}) }
	add("detail", p.detail)
	add("error", p.code)
	if u := p.upgrade; u != nil && u.Feature != "" {
		add("feature", u.Feature)
	} else if u != nil {
		add("in_flight", u.InFlight)
		add("limit", u.Limit)
		add("plan", u.Plan)
	}
	add("request_id", "b7a1c2d3-0e4f-4a5b-8c6d-7e8f9a0b1c2d")
	if u := p.upgrade; u != nil && u.RequiredPlan != "" {
		add("required_plan", u.RequiredPlan)
	}
	if p.retryAfter > 0 {
		add("retry_after_seconds", p.retryAfter)
	}
	add("status", p.status)
	add("title", p.title)
	add("type", "https://platen.dev/docs/errors#"+p.slug)
	if p.upgrade != nil {
		add("upgrade_url", p.upgrade.UpgradeURL)
	}
	return example
}

// validationFailure describes 422, which has two types of bodies.
func validationFailure() openapi.Response {
	r := refusal("The body or a header is not as described, or the content is not acceptable.", optionsConflict.with("EINVOICE_OPTIONS_CONFLICT: send template or template_id, not both."))
	missing := json.RawMessage(`{"detail":[{"loc":["body","html"],"msg":"Field required","type":"missing"}]}`)
	r.Content = append([]openapi.Content{{Type: jsonType, Schema: validationError, Examples: []openapi.Example{{Name: "missing field", Value: missing}}}}, r.Content...)
	return r
}

func failure() openapi.Response { return refusal("Something went wrong inside.", internalError) }

func outage() openapi.Response {
	return refusal("Nothing can be made durable at the moment. Try again.", unavailable)
}

var jobParameter = []openapi.Parameter{{
	Name: "job_id", Required: true, Kind: schema.String{Format: "uuid"}, Doc: "The id that the submission was answered with.", Example: exampleID,
}}

// jobResponses are those of an endpoint about a job: the good one, its own refusals, and those of
// every request with a key.
func jobResponses(good openapi.Response, refusals ...openapi.Response) []openapi.Response {
	all := append([]openapi.Response{good, refusal("The key is missing or invalid.", invalidKey)}, refusals...)
	return append(all, refusal("Too many requests.", rateLimited.after(7)), failure(), outage())
}

func describeStatus() openapi.Operation {
	return openapi.Operation{
		ID: "job", Method: "GET", Path: "/jobs/{job_id}", Tag: "Jobs", Summary: "Status of a job",
		Doc: "Readable for 30 days after the job's end.", PathParams: jobParameter,
		Responses: jobResponses(
			openapi.Response{Status: 200, Doc: "How the job is.", Headers: openapi.CommonHeaders(), Content: []openapi.Content{{Type: jsonType, Schema: jobStatus}}},
			refusal("The account has no such job.", noSuchJob),
		),
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
				Content: []openapi.Content{{Type: "application/pdf"}, {Type: "image/png"}, {Type: "image/jpeg"}, {Type: "image/webp"}},
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

func describeCancel() openapi.Operation {
	return openapi.Operation{
		ID: "cancelJob", Method: "POST", Path: "/jobs/{job_id}/cancel", Tag: "Jobs", Summary: "Cancel a job",
		Doc: "An extension. A job that has not ended fails with `CANCELLED`, and is not charged.", PathParams: jobParameter,
		Responses: jobResponses(
			openapi.Response{Status: 200, Doc: "The job is cancelled.", Headers: openapi.CommonHeaders(), Content: []openapi.Content{{Type: jsonType, Schema: cancelResponse}}},
			refusal("The account has no such job.", noSuchJob), refusal("The job has ended.", alreadyEnded),
		),
	}
}

func describeNotice(event, summary string) openapi.Operation {
	return openapi.Operation{
		ID: camel(strings.ReplaceAll(event, ".", "-")), Method: "POST", Path: event, Summary: summary,
		Doc:       "Sent to the job's `webhook_url` until it answers with 2xx, at most ten times. Its id is in `webhook-id`, and signed as docs/WEBHOOKS.md says.",
		Body:      &openapi.Body{Schema: jobNotice},
		Responses: []openapi.Response{{Status: 204, Doc: "Received."}},
	}
}

func describeWebhooks() openapi.Operation {
	return openapi.Operation{
		ID: "jobWebhooks", Method: "GET", Path: "/jobs/{job_id}/webhooks", Tag: "Jobs", Summary: "Attempts to send a job's webhook",
		Doc: "An extension. The last 50 attempts, readable as long as the job's status.", PathParams: jobParameter,
		Responses: jobResponses(
			openapi.Response{Status: 200, Doc: "What was attempted.", Headers: openapi.CommonHeaders(), Content: []openapi.Content{{Type: jsonType, Schema: webhookResponse}}},
			refusal("The account has no such job, or the job has no webhook.", noWebhook),
		),
	}
}

func describeRedelivery() openapi.Operation {
	return openapi.Operation{
		ID: "redeliverJobWebhook", Method: "POST", Path: "/jobs/{job_id}/webhooks/redeliver", Tag: "Jobs", Summary: "Send a job's webhook again",
		Doc: "An extension. The same id and body, with up to ten new attempts. While one is under way, nothing changes.", PathParams: jobParameter,
		Responses: jobResponses(
			openapi.Response{Status: 202, Doc: "It will be sent.", Headers: openapi.CommonHeaders(), Content: []openapi.Content{{Type: jsonType, Schema: redeliveryResponse}}},
			refusal("The account has no such job, or the job has no webhook.", noWebhook),
			refusal("The job has not ended.", notEnded),
		),
	}
}

func describeDocument() openapi.Operation {
	return openapi.Operation{
		ID: "openapi", Method: "GET", Path: openapi.DocumentPath, Tag: "Description", Summary: "This API, as an OpenAPI document", Public: true,
		Responses: []openapi.Response{
			{Status: 200, Doc: "OpenAPI 3.1.", Headers: append(openapi.CommonHeaders(), openapi.ETag), Content: []openapi.Content{{Type: jsonType}}},
			{Status: 304, Doc: "It has not changed.", Headers: append(openapi.CommonHeaders(), openapi.ETag)},
		},
	}
}

func describePage() openapi.Operation {
	return openapi.Operation{
		ID: "docs", Method: "GET", Path: openapi.DocsPath, Tag: "Description", Summary: "This API, as a page", Public: true,
		Responses: []openapi.Response{
			{Status: 200, Doc: "The page.", Headers: append(openapi.CommonHeaders(), openapi.ETag), Content: []openapi.Content{{Type: "text/html"}}},
			{Status: 304, Doc: "It has not changed.", Headers: append(openapi.CommonHeaders(), openapi.ETag)},
		},
	}
}
