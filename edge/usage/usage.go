// Package usage answers what an account was charged, by the usage ledger: it reads the parameters
// of a query, runs it within limits, and shows the answer as JSON and as CSV. The API serves account
// holders with it, the admin interface operators. Which quota windows may still change follows from
// the account's live state.
package usage

import (
	"context"
	"errors"
	"time"

	"platen.dev/events"
	"platen.dev/ledger"
)

// Ledger is the part of ledger.Ledger that a Service needs.
type Ledger interface {
	Usage(ctx context.Context, q ledger.Query) ([]ledger.Row, error)
	Entries(ctx context.Context, q ledger.EntryQuery) (ledger.Page, error)
}

// Errors of a Service; test for them with errors.Is.
var (
	// ErrBusy means that the account's limit of concurrent queries is reached.
	ErrBusy = errors.New("the account's other queries are under way")
	// ErrUnavailable means that the ledger did not answer, not in time, or has no room for another
	// query now. The query may be sent again.
	ErrUnavailable = errors.New("the ledger is not available")
	// ErrTooLarge means that the answer would be too large; the text says why.
	ErrTooLarge = errors.New("too large")
	// ErrNoWindow means that the ledger has no entry of a quota window.
	ErrNoWindow = errors.New("no such window")
)

// Source is the source that every answer names: the ledger, and not the live quota.
const Source = "ledger"

// Limits of queries.
const (
	// QueryLimit is how long one query of the ledger may take, WindowLimit all the queries for one window.
	QueryLimit  = 10 * time.Second
	WindowLimit = time.Minute
)

// Service answers queries. Its methods may be called from any goroutine.
type Service struct {
	ledger Ledger
	live   func(events.AccountID) (Live, error)
	now    func() time.Time
	gate   gate
}

// New returns a service. live reads the account's state; its error means that it cannot be known now.
func New(l Ledger, live func(events.AccountID) (Live, error), now func() time.Time) *Service {
	return &Service{ledger: l, live: live, now: now}
}

// Report answers a query for sums.
func (s *Service) Report(ctx context.Context, account events.AccountID, q Query) (r Report, err error) {
	err = s.run(ctx, account, oneQuery, QueryLimit, func(ctx context.Context) error {
		q.Account = string(account)
		rows, err := s.ledger.Usage(ctx, q.Query)
		if err != nil {
			return err
		}
		if q.Bucket == ledger.Window {
			err = s.setEnds(account, rows)
		}
		if err == nil {
			r, err = newReport(q.Query, rows)
		}
		return err
	})
	return r, err
}

// Entries answers a query for entries.
func (s *Service) Entries(ctx context.Context, account events.AccountID, q EntryQuery) (e Entries, err error) {
	err = s.run(ctx, account, oneQuery, QueryLimit, func(ctx context.Context) error {
		q.Account = string(account)
		page, err := s.ledger.Entries(ctx, q.EntryQuery)
		e = newEntries(page)
		return err
	})
	return e, err
}

// run admits a query, and bounds its time. It converts the ledger's errors to those of this package.
func (s *Service) run(ctx context.Context, account events.AccountID, of share, limit time.Duration, query func(context.Context) error) error {
	leave, err := s.gate.enter(account, of)
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return classify(query(ctx))
}
