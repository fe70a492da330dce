package edge

import (
	"platen.dev/edge/openapi"
	"platen.dev/edge/query"
	"platen.dev/edge/schema"
)

// The description of the list of jobs.

var listedJob = openapi.Object{Name: "ListedJob", Doc: "A job's status, and what it came from.", Fields: append([]openapi.Field{
	openapi.Required("job_id", schema.String{Format: "uuid"}).Example(exampleID),
	openapi.Required("operation", operationKind).Example("html-to-pdf"),
	openapi.Optional("key_id", schema.String{}).Doc("The API key of the request.").Example("key_1f0e"),
}, jobStatus.Fields...)}

var jobList = openapi.Object{Name: "JobList", Fields: []openapi.Field{
	openapi.Required("jobs", schema.List[schema.None]{Items: listedJob}),
	openapi.Optional("next_cursor", schema.String{}).Doc("Null on the last page. A page may have fewer jobs than `limit`, even none, and others may follow."),
}}

func describeJobs() openapi.Operation {
	invalid := validationFailure()
	invalid.Doc, invalid.Content = "A parameter is not as described.", invalid.Content[:1]
	return openapi.Operation{
		ID: "jobs", Method: "GET", Path: jobsPath, Tag: "Jobs", Summary: "The account's jobs",
		Doc: "An extension. The newest first, page by page, each for 30 days after its end. Besides the parameters below, `tag:NAME=VALUE` asks for " +
			"the jobs with a tag; there may be several.",
		Query: []openapi.Parameter{
			{Name: statusParam, Kind: jobState, Doc: "Only jobs of this status."},
			{Name: operationParam, Kind: operationKind, Example: "html-to-pdf", Doc: "Only jobs of this operation."},
			{Name: keyParam, Kind: keyKind, Doc: "Only jobs of this API key."},
			{Name: errorParam, Kind: errorKind, Doc: "Only jobs that failed for this reason."},
			{Name: testParam, Kind: query.TruthKind, Doc: "Only jobs in test mode, or only others."},
			{Name: query.From, Kind: schema.String{}, Example: "2026-01-01", Doc: "Only jobs created then or later: a time in RFC 3339 in whole seconds, or a date, which is its start in the time zone."},
			{Name: query.To, Kind: schema.String{}, Example: "2026-02-01T00:00:00Z", Doc: "Only jobs created before then."},
			zoneParameter,
			{Name: query.Limit, Kind: jobLimit, Default: defaultJobLimit, Doc: "How many jobs a page has at most."},
			{Name: query.Cursor, Kind: schema.String{}, Doc: "The `next_cursor` of the page before, with the same other parameters."},
		},
		Responses: jobResponses(
			openapi.Response{Status: 200, Doc: "The jobs.", Headers: append(openapi.CommonHeaders(), openapi.NextPage), Content: []openapi.Content{{Type: jsonType, Schema: jobList}}},
			invalid,
		),
	}
}
