package openapi_test

import (
	"regexp"

	"platen.dev/edge/openapi"
	"platen.dev/edge/schema"
)

// A part of the API as the edge declares it, with everything that a document can contain.

var info = openapi.Info{
	Title:   "Platen",
	Version: "1.0.0",
	Summary: "Documents from HTML, Markdown and web pages.",
	Doc:     "Submit a job, poll it until it is `done` or `failed`, download the file.\n\nEvery error has a `detail`.",
	Terms:   "https://platen.dev/docs/terms",
	Tags:    []openapi.Tag{{Name: "Conversions", Doc: "Each makes a job."}, {Name: "Jobs", Doc: "What became of it."}, {Name: "Service"}},
	Webhooks: []openapi.Operation{{
		ID: "jobFinishedEvent", Method: "POST", Path: "job.finished", Summary: "A job is done",
		Body:      &openapi.Body{Schema: jobStatus},
		Responses: []openapi.Response{{Status: 204, Doc: "Received."}},
	}},
}

var margin = openapi.Object{Name: "MarginOptions", Doc: "Each side is a CSS length.", Fields: []openapi.Field{
	openapi.Optional("top", schema.String{}).Example("10mm"),
	openapi.Optional("right", schema.String{}).Example("1in"),
	openapi.Optional("bottom", schema.String{}),
	openapi.Optional("left", schema.String{}),
}}

var watermark = openapi.Object{Name: "WatermarkOptions", Doc: "A text across every page.", Fields: []openapi.Field{
	openapi.Required("text", schema.String{MinLength: 1}).Doc("What it says.").Example("DRAFT"),
	openapi.Optional("color", schema.String{}).Default("rgba(200, 200, 200, 0.3)").Doc("CSS colour."),
	openapi.Optional("rotation_degrees", schema.Integer{Min: -360, Max: 360}).Default(-45),
}}

var pdfOptions = openapi.Object{Name: "PdfOptions", Doc: "How the PDF is made. Every field may be left out.", Fields: []openapi.Field{
	openapi.Optional("format", schema.String{OneOf: []string{"A4", "A3", "Letter", "Legal", "Tabloid"}, AnyCase: true}).Default("A4"),
	openapi.Optional("landscape", schema.Bool{}).Default(false).Doc("Landscape orientation."),
	openapi.Optional("margin", margin).Doc("Space around the content."),
	openapi.Optional("header_template", schema.String{MaxLength: 10_000}).Doc("HTML shown above every page."),
	openapi.Optional("watermark", watermark).Plan("starter"),
	openapi.Optional("user_password", schema.String{MinLength: 1, Secret: true}).Doc("Encrypts the PDF.").Plan("pro"),
	openapi.Optional("scale", schema.Number{Min: 0.5, Max: 2}).Doc("Fitted to the page when left out.").Example(0.8),
}}

var htmlBody = openapi.Object{Name: "HtmlToPdfRequest", Fields: []openapi.Field{
	openapi.Required("html", schema.String{MinLength: 1}).Doc("Markup; scripts are removed.").Example("<h1>Hello</h1>"),
	openapi.Optional("webhook_url", schema.String{Format: "uri"}).Doc("Where the outcome is sent."),
	openapi.Optional("options", pdfOptions),
	openapi.Optional("test", schema.Bool{}).Default(false).Doc("Runs the job without rendering and without charge."),
}}

var states = schema.String{OneOf: []string{"queued", "rendering", "uploading", "done", "failed"}}

var jobCreated = openapi.Object{Name: "JobCreatedResponse", Fields: []openapi.Field{
	openapi.Required("job_id", schema.String{Format: "uuid"}),
	openapi.Required("status", states),
	openapi.Required("detail", schema.String{}),
}}

var jobStatus = openapi.Object{Name: "JobStatusResponse", Fields: []openapi.Field{
	openapi.Required("status", states),
	openapi.Optional("created_at", schema.String{Format: "date-time"}),
	openapi.Optional("pages_count", schema.Integer{Min: 0, Max: 1 << 31}),
}}

var errorResponse = openapi.Object{Name: "ErrorResponse", Doc: "What went wrong.", Fields: []openapi.Field{
	openapi.Required("detail", schema.String{}).Doc("A name for the condition, and a sentence."),
	openapi.Optional("status", schema.Integer{Min: 400, Max: 599}),
}}

var validationError = openapi.Object{Name: "ValidationError", Fields: []openapi.Field{
	openapi.Required("loc", schema.List[schema.None]{Items: schema.Either{schema.String{}, schema.Integer{Min: 0, Max: 1 << 31}}}),
	openapi.Required("msg", schema.String{}),
	openapi.Required("type", schema.String{}),
}}

var invalid = openapi.Object{Name: "HTTPValidationError", Fields: []openapi.Field{
	openapi.Required("detail", schema.List[schema.None]{Items: validationError}),
}}

var jobID = openapi.Parameter{Name: "job_id", Doc: "The job.", Kind: schema.String{}, Example: "2b1f0f0e-7d43-4c63-9d3f-6f7f7f3b7a11"}

func refused(status int, doc string, headers ...openapi.Header) openapi.Response {
	return openapi.Response{
		Status: status, Doc: doc, Headers: append(openapi.CommonHeaders(), headers...),
		Content: []openapi.Content{{Type: "application/problem+json", Schema: errorResponse}},
	}
}

var htmlToPDF = openapi.Operation{
	ID: "htmlToPdf", Method: "POST", Path: "/html-to-pdf", Tag: "Conversions",
	Summary: "HTML to PDF", Doc: "Makes a PDF of HTML.",
	Headers: []openapi.Parameter{{
		Name: "Idempotency-Key", Doc: "A retry with the same key makes no second job.",
		Kind: schema.String{MinLength: 1, MaxLength: 255, Pattern: regexp.MustCompile(`[A-Za-z0-9_.:-]+`)}, Example: "order-4711",
	}},
	Body: &openapi.Body{Schema: htmlBody, Examples: []openapi.Example{
		{Name: "short", Summary: "The least that is needed", Value: map[string]any{"html": "<h1>Hello</h1>"}},
		{Name: "draft", Summary: "A draft in landscape", Value: map[string]any{
			"html": "<h1>Hello</h1>", "options": map[string]any{"landscape": true, "watermark": map[string]any{"text": "DRAFT"}},
		}},
	}},
	Responses: []openapi.Response{
		{
			Status: 202, Doc: "The job is queued.", Headers: append(openapi.CommonHeaders(), openapi.IdempotentReplayed),
			Content: []openapi.Content{{Type: "application/json", Schema: jobCreated, Examples: []openapi.Example{
				{Name: "queued", Value: map[string]any{"job_id": "2b1f0f0e-7d43-4c63-9d3f-6f7f7f3b7a11", "status": "queued", "detail": "Job queued"}},
			}}},
		},
		refused(401, "The key is missing or wrong."),
		{Status: 422, Doc: "The body is not as described.", Headers: openapi.CommonHeaders(), Content: []openapi.Content{
			{Type: "application/json", Schema: invalid, Examples: []openapi.Example{{Name: "missing", Value: map[string]any{
				"detail": []any{map[string]any{"loc": []any{"body", "html"}, "msg": "Field required", "type": "missing"}},
			}}}},
			{Type: "application/problem+json", Schema: errorResponse},
		}},
		refused(429, "Too many requests.", openapi.RetryAfter),
	},
}

var operations = []openapi.Operation{
	htmlToPDF,
	{
		ID: "job", Method: "GET", Path: "/jobs/{job_id}", Tag: "Jobs", Summary: "Status of a job",
		PathParams: []openapi.Parameter{jobID},
		Responses: []openapi.Response{
			{Status: 200, Doc: "The job.", Headers: openapi.CommonHeaders(), Content: []openapi.Content{{Type: "application/json", Schema: jobStatus}}},
			refused(404, "There is no such job."),
		},
	},
	{
		ID: "download", Method: "GET", Path: "/jobs/{job_id}/download", Tag: "Jobs", Summary: "The file",
		PathParams: []openapi.Parameter{jobID},
		Responses: []openapi.Response{{
			Status: 200, Doc: "The file.", Headers: append(openapi.CommonHeaders(), openapi.ContentDisposition, openapi.AcceptRanges, openapi.ETag.OrNone()),
			Content: []openapi.Content{{Type: "application/pdf"}, {Type: "image/png"}},
		}, refused(404, "There is no such file.")},
	},
	{
		ID: "document", Method: "GET", Path: "/openapi.json", Tag: "Service", Summary: "This document", Public: true,
		Responses: []openapi.Response{
			{Status: 200, Doc: "The document.", Headers: []openapi.Header{openapi.ETag}, Content: []openapi.Content{{Type: "application/json"}}},
			{Status: 304, Doc: "It has not changed."},
		},
	},
	{
		ID: "docs", Method: "GET", Path: "/docs", Tag: "Service", Summary: "A page to read it", Public: true,
		Responses: []openapi.Response{
			{Status: 200, Doc: "The page.", Content: []openapi.Content{{Type: "text/html"}}},
			{Status: 405, Doc: "Another method.", Headers: []openapi.Header{openapi.Allow}},
		},
	},
}
