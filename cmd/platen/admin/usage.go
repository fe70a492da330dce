package admin

import (
	"errors"
	"net/http"
	"strings"

	"platen.dev/edge/query"
	"platen.dev/edge/schema"
	"platen.dev/edge/usage"
)

// This file has the routes of the usage ledger. They take the parameters of the API, and answer in JSON.

func (s *Server) ledgerUsage(w http.ResponseWriter, r *http.Request) {
	if _, err := s.Services.Accounts.Find(accountID(r)); err != nil {
		answerWith(w, accountID(r), nil, err)
		return
	}
	q, violations := usage.ParseQuery(queryParams(r), s.Now(), usage.JSON)
	if refuseAll(w, violations) {
		return
	}
	report, err := s.usageOf.Report(r.Context(), accountID(r), q)
	answer(w, report, err)
}

func (s *Server) ledgerEntries(w http.ResponseWriter, r *http.Request) {
	if _, err := s.Services.Accounts.Find(accountID(r)); err != nil {
		answerWith(w, accountID(r), nil, err)
		return
	}
	q, violations := usage.ParseEntryQuery(queryParams(r), s.Now(), usage.JSON)
	if refuseAll(w, violations) {
		return
	}
	entries, err := s.usageOf.Entries(r.Context(), accountID(r), q)
	answer(w, entries, err)
}

// answer responds to a query of the ledger.
func answer(w http.ResponseWriter, body any, err error) {
	switch {
	case err == nil:
		respond(w, 200, body)
	case errors.Is(err, usage.ErrBusy), errors.Is(err, usage.ErrUnavailable):
		refuse(w, 503, err.Error()+"; try again")
	default:
		refuse(w, 400, err.Error())
	}
}

// queryParams returns the parameters of a request, in no particular order.
func queryParams(r *http.Request) (all []query.Param) {
	for name, values := range r.URL.Query() {
		for _, value := range values {
			all = append(all, query.Param{Name: name, Value: value})
		}
	}
	return all
}

// refuseAll refuses a request with the violations, if there are any.
func refuseAll(w http.ResponseWriter, violations []schema.Violation) bool {
	var all []string
	for _, v := range violations {
		text, plain := strings.CutPrefix(v.Msg, "Value error, ")
		if name, ok := v.Loc[len(v.Loc)-1].(string); ok && !plain {
			text = name + ": " + text
		}
		all = append(all, text)
	}
	if len(all) > 0 {
		refuse(w, 400, strings.Join(all, "\n"))
	}
	return len(all) > 0
}
