package edge

import (
	"regexp"

	"platen.dev/edge/openapi"
	"platen.dev/edge/schema"
	"platen.dev/edge/usage"
	"platen.dev/ledger"
)

// The description of the endpoints about usage.

// amount is the schema of an amount charged. Corrections may make it negative.
var amount = schema.Integer{Min: -1 << 53, Max: 1 << 53}

var ledgerSource = openapi.Required("source", schema.String{OneOf: []string{usage.Source}}).Doc("The usage ledger, not the live quota.")

// figureFields are the sums of every row.
func figureFields(fields ...schema.Field[schema.None]) []schema.Field[schema.None] {
	return append(
		fields,
		openapi.Required("render_units", amount).Example(12),
		openapi.Required("bytes", amount).Example(578_556),
		openapi.Required("entries", count).Example(12),
	)
}

var usageFigures = openapi.Object{Name: "UsageFigures", Fields: figureFields()}

var usageRow = openapi.Object{Name: "UsageRow", Doc: "What was charged in one bucket to one group. Buckets and groups without entries have no row.", Fields: figureFields(
	openapi.Required("start", timestamp).Doc("Of the bucket, in the time zone.").Example("2026-01-31T00:00:00+01:00"),
	openapi.Required("end", timestamp).Example("2026-02-01T00:00:00+01:00"),
	openapi.Optional("key_id", schema.String{}).Doc("If grouped by key; empty for what was charged for no job.").Example("key_1f0e"),
	openapi.Optional("operation", schema.String{}).Doc("If grouped by operation.").Example("html-to-pdf"),
	openapi.Optional("tags", tagValues).Doc("If grouped by tags: the value of each, empty for jobs without it."),
)}

// tagValues are tags by name, whatever the limits for new jobs are.
var tagValues = schema.Dict[string]{Names: schema.String{}, Values: schema.String{}, Most: ledger.MaxTags}

var usageReport = openapi.Object{Name: "UsageReport", Fields: []openapi.Field{
	ledgerSource,
	openapi.Required("from", timestamp).Doc("Entries count from here on,").Example("2026-01-01T00:00:00+01:00"),
	openapi.Required("to", timestamp).Doc("and before here.").Example("2026-02-01T00:00:00+01:00"),
	openapi.Required("time_zone", schema.String{}).Example("Europe/Berlin"),
	openapi.Required("bucket", usage.BucketKind).Example("day"),
	openapi.Required("group_by", schema.List[string]{Items: schema.String{}}),
	openapi.Required("rows", schema.List[schema.None]{Items: usageRow}),
	openapi.Required("total", usageFigures),
}}

var entryPlace = openapi.Object{Name: "UsageEntrySource", Doc: "The entry's public event.", Fields: []openapi.Field{
	openapi.Required("topic", schema.String{}).Example("platen.events"),
	openapi.Required("partition", count).Example(3),
	openapi.Required("offset", count).Example(4711),
}}

var usageEntry = openapi.Object{Name: "UsageEntry", Doc: "Fields have the names that they have in the public events. What an entry lacks is missing.", Fields: []openapi.Field{
	openapi.Required("entry_id", schema.String{}).Example(exampleID + "/debit"),
	openapi.Required("kind", schema.String{OneOf: []string{"debit", "credit", "adjust"}}).Example("debit"),
	openapi.Optional("job_id", schema.String{}).Example(exampleID),
	openapi.Optional("key_id", schema.String{}).Example("key_1f0e"),
	openapi.Optional("operation", schema.String{}).Example("html-to-pdf"),
	openapi.Optional("tags", tagValues),
	openapi.Required("occurred_at", timestamp).Doc("In whole seconds.").Example("2026-01-31T09:00:00Z"),
	openapi.Required("window_start", timestamp).Doc("The quota window, by its start cut to seconds.").Example("2026-01-02T08:00:00Z"),
	openapi.Required("render_units", amount).Example(1),
	openapi.Required("bytes", amount).Example(48_213),
	openapi.Optional("ref_entry", schema.String{}).Doc("The entry that is corrected."),
	openapi.Optional("reason", schema.String{}).Doc("Why it was corrected."),
	openapi.Required("source", entryPlace),
}}

var usageEntries = openapi.Object{Name: "UsageEntries", Fields: []openapi.Field{
	ledgerSource,
	openapi.Required("entries", schema.List[schema.None]{Items: usageEntry}),
	openapi.Optional("next_cursor", schema.String{}).Doc("Null on the last page."),
}}

func windowFields(more ...schema.Field[schema.None]) []schema.Field[schema.None] {
	return append(figureFields(
		openapi.Required("start", timestamp).Doc("Cut to seconds, as in entries.").Example("2026-01-02T08:00:00Z"),
		openapi.Required("end", timestamp).Example("2026-02-02T08:00:00Z"),
		openapi.Required("status", schema.String{OneOf: []string{string(usage.Open), string(usage.Closed)}}).Doc("closed: its figures will not change.").Example("closed"),
	), more...)
}

var usageWindows = openapi.Object{Name: "UsageWindows", Fields: []openapi.Field{
	ledgerSource,
	openapi.Required("windows", schema.List[schema.None]{Items: openapi.Object{Name: "UsageWindowRow", Fields: windowFields()}}),
}}

var usageWindow = openapi.Object{Name: "UsageWindow", Fields: windowFields(
	ledgerSource,
	openapi.Required("by_operation", schema.List[schema.None]{Items: openapi.Object{Name: "UsageOfOperation", Fields: figureFields(
		openapi.Required("operation", schema.String{}).Doc("Empty for corrections.").Example("html-to-pdf"),
	)}}),
	openapi.Required("by_key", schema.List[schema.None]{Items: openapi.Object{Name: "UsageOfKey", Fields: figureFields(
		openapi.Required("key_id", schema.String{}).Doc("Empty for corrections.").Example("key_1f0e"),
	)}}),
	openapi.Required("fingerprint", openapi.Object{Name: "WindowFingerprint", Fields: []openapi.Field{
		openapi.Required("algorithm", schema.String{OneOf: []string{ledger.FingerprintAlgorithm}}),
		openapi.Required("sha256", schema.String{Pattern: regexp.MustCompile("[0-9a-f]{64}")}),
		openapi.Required("preliminary", schema.Bool{}).Doc("True while the window is open."),
	}}),
)}

var (
	fromParameter = openapi.Parameter{
		Name: "from", Kind: schema.String{}, Example: "2026-01-01",
		Doc: "A time in RFC 3339, or a date, which is its start in the time zone. Entries count from then on. 30 days before `to` unless it is given.",
	}
	toParameter     = openapi.Parameter{Name: "to", Kind: schema.String{}, Example: "2026-02-01T00:00:00Z", Doc: "Entries count before then. Now, unless it is given."}
	zoneParameter   = openapi.Parameter{Name: "time_zone", Kind: schema.String{}, Default: "UTC", Example: "Europe/Berlin", Doc: "A name of the IANA time zone database."}
	formatParameter = openapi.Parameter{Name: "format", Kind: usage.FormatKind, Default: "json", Doc: "`Accept: text/csv` asks for CSV, too."}
)

// usageResponses returns the responses of an endpoint about usage.
func usageResponses(good openapi.Response, refusals ...openapi.Response) []openapi.Response {
	invalid := refusal("A parameter is not as described, or the answer would be too large.", usageTooLarge.with("usage-too-large: the answer would have more than 100000 rows."))
	invalid.Content = append(validationFailure().Content[:1:1], invalid.Content...)
	all := append([]openapi.Response{good, refusal("The key is missing or invalid.", invalidKey)}, refusals...)
	return append(all, invalid, refusal("Too many requests, or too many queries about usage at once.", usageBusy), failure(), refusal("The ledger does not answer. Try again.", ledgerUnavailable))
}

// usageAnswer is a good response, in CSV as well if that is asked for.
func usageAnswer(doc string, kind schema.Kind, csv bool, headers ...openapi.Header) openapi.Response {
	r := openapi.Response{Status: 200, Doc: doc, Headers: append(openapi.CommonHeaders(), headers...), Content: []openapi.Content{{Type: jsonType, Schema: kind}}}
	if csv {
		r.Headers = append(r.Headers, openapi.ContentDisposition.OrNone())
		r.Content = append(r.Content, openapi.Content{Type: "text/csv"})
	}
	return r
}

func describeUsage() openapi.Operation {
	return openapi.Operation{
		ID: "usage", Method: "GET", Path: "/usage", Tag: "Usage", Summary: "What was charged",
		Doc: "An extension. Sums over the entries of the ledger, by time and by groups; as CSV with the same rows and columns.",
		Query: []openapi.Parameter{
			fromParameter, toParameter,
			{Name: "bucket", Kind: usage.BucketKind, Default: "day", Doc: "What a row sums up: all of the time, an hour, a day or a month of the time zone, or a quota window."},
			zoneParameter,
			{Name: "group_by", Kind: schema.String{}, Example: "operation,tag:customer", Doc: "Up to 4 of `key`, `operation` and `tag:NAME`, separated by commas."},
			formatParameter,
		},
		Responses: usageResponses(usageAnswer("The sums.", usageReport, true)),
	}
}

func describeEntries() openapi.Operation {
	return openapi.Operation{
		ID: "usageEntries", Method: "GET", Path: "/usage/entries", Tag: "Usage", Summary: "The entries behind the sums",
		Doc: "An extension. Entries by time and then by id, page by page. Besides the parameters below, `tag:NAME=VALUE` asks for the jobs " +
			"with a tag; of these, `key_id` and `operation` there may be 4.",
		Query: []openapi.Parameter{
			fromParameter, toParameter, zoneParameter,
			{Name: "window", Kind: schema.String{}, Example: "2026-01-02T08:00:00Z", Doc: "The start of a quota window. Then all times count, unless from or to is given."},
			{Name: "key_id", Kind: schema.String{}, Doc: "Only jobs of this API key."},
			{Name: "operation", Kind: schema.String{}, Example: "html-to-pdf", Doc: "Only jobs of this operation."},
			{Name: "limit", Kind: usage.LimitKind, Default: usage.DefaultLimit, Doc: "How many entries a page has."},
			{Name: "cursor", Kind: schema.String{}, Doc: "The `next_cursor` of the page before, with the same other parameters."},
			formatParameter,
		},
		Responses: usageResponses(usageAnswer("The entries.", usageEntries, true, openapi.NextPage)),
	}
}

func describeWindows() openapi.Operation {
	return openapi.Operation{
		ID: "usageWindows", Method: "GET", Path: "/usage/windows", Tag: "Usage", Summary: "The quota windows",
		Doc:       "An extension. Those that have entries, the oldest first.",
		Responses: usageResponses(usageAnswer("The windows.", usageWindows, false)),
	}
}

func describeWindow() openapi.Operation {
	return openapi.Operation{
		ID: "usageWindow", Method: "GET", Path: "/usage/windows/{start}", Tag: "Usage", Summary: "A quota window and its fingerprint",
		Doc:        "An extension. The fingerprint can be computed from the public events alone, as docs/API.md says.",
		PathParams: []openapi.Parameter{{Name: "start", Kind: timestamp, Doc: "The window's start.", Example: "2026-01-02T08:00:00Z"}},
		Responses:  usageResponses(usageAnswer("The window.", usageWindow, false), refusal("The ledger has no entry of such a window.", windowNotFound)),
	}
}
