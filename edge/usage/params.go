package usage

import (
	"strings"

	"platen.dev/edge/query"
	"platen.dev/edge/schema"
	"platen.dev/ledger"
)

// Names of parameters that only queries about usage have.
const (
	bucketParam    = "bucket"
	groupByParam   = "group_by"
	formatParam    = "format"
	windowParam    = "window"
	keyParam       = "key_id"
	operationParam = "operation"
)

// params are the parameters of a query about usage.
type params struct{ *query.Params }

// Kinds of parameters, for the API description.
var (
	BucketKind = schema.String{OneOf: []string{"total", "hour", "day", "month", "window"}}
	FormatKind = schema.String{OneOf: []string{string(JSON), string(CSV)}}
	LimitKind  = schema.Integer{Min: 1, Max: ledger.MaxPage}
)

// Format is how an answer is written.
type Format string

// The formats.
const (
	JSON Format = "json"
	CSV  Format = "csv"
)

// DefaultLimit is how many entries a page has unless a parameter says so.
const DefaultLimit = 100

// reason returns the ledger's objection to a query, without the words around it.
func reason(err error) string {
	return strings.TrimPrefix(err.Error(), ledger.ErrInvalid.Error()+": query: ")
}

// Accepted is the format that a header Accept asks for: CSV if it names it, and JSON not.
func Accepted(header string) Format {
	csv, json := false, false
	for part := range strings.SplitSeq(header, ",") {
		kind, _, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "text/csv":
			csv = true
		case "application/json":
			json = true
		}
	}
	if csv && !json {
		return CSV
	}
	return JSON
}
