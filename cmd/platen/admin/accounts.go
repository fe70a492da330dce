package admin

import (
	"fmt"
	"net/http"
	"time"

	"platen.dev/actors/service"
	"platen.dev/events"
	"platen.dev/projections"
)

// This file has the routes of accounts and of their API keys.

// trailEntries is how many changes of an account are shown.
const trailEntries = 50

func (s *Server) accountRoutes(mux *http.ServeMux) {
	accounts := s.Services.Accounts
	mux.HandleFunc("POST /accounts", handle(s.createAccount))
	mux.HandleFunc("GET /accounts", handle(func(*http.Request, none) (any, error) { return accounts.List() }))
	mux.HandleFunc("GET /accounts/{id}", act(func(p service.Principal, _ *http.Request, _ none) (any, error) { return accounts.Find(p.Account) }))
	mux.HandleFunc("GET /accounts/{id}/usage", act(s.readUsage))
	mux.HandleFunc("GET /accounts/{id}/trail", act(func(p service.Principal, _ *http.Request, _ none) (any, error) {
		return accounts.Trail(p.Account, trailEntries)
	}))
	mux.HandleFunc("PUT /accounts/{id}/plan", act(func(p service.Principal, _ *http.Request, b planRequest) (any, error) {
		return b, accounts.SetPlan(p, b.Plan)
	}))
	mux.HandleFunc("PUT /accounts/{id}/anchor", act(func(p service.Principal, _ *http.Request, b anchorRequest) (any, error) {
		at, err := instant(b.Anchor)
		if err != nil {
			return nil, err
		}
		return anchorRequest{at.Time().Format(time.RFC3339)}, accounts.MoveAnchor(p, at)
	}))
	mux.HandleFunc("POST /accounts/{id}/reset-window", act(s.resetWindow))
	mux.HandleFunc("POST /accounts/{id}/adjustments", act(s.adjust))
	mux.HandleFunc("PUT /accounts/{id}/file-limit", act(func(p service.Principal, _ *http.Request, b numberRequest) (any, error) {
		return b, accounts.LimitFiles(p, b.Number)
	}))
	mux.HandleFunc("PUT /accounts/{id}/volume-blocks", act(func(p service.Principal, _ *http.Request, b numberRequest) (any, error) {
		return b, accounts.SetBlocks(p, b.Number)
	}))
	mux.HandleFunc("POST /accounts/{id}/suspend", act(func(p service.Principal, _ *http.Request, b suspendRequest) (any, error) {
		return b, accounts.Suspend(p, b.Reason)
	}))
	mux.HandleFunc("POST /accounts/{id}/resume", act(func(p service.Principal, _ *http.Request, _ none) (any, error) {
		return none{}, accounts.Resume(p)
	}))
}

func (s *Server) createAccount(_ *http.Request, b accountRequest) (any, error) {
	var anchor events.Instant
	if b.Anchor != "" {
		var err error
		if anchor, err = instant(b.Anchor); err != nil {
			return nil, err
		}
	}
	id, err := s.Services.Accounts.Create(b.Plan, anchor)
	if err != nil {
		return nil, err
	}
	return s.Services.Accounts.Find(id)
}

// instant parses a time that the caller sent.
func instant(text string) (events.Instant, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0, bad("%q is not a time like 2026-01-31T09:00:00Z", text)
	}
	if events.At(t) == 0 { // would stand for the present
		return 0, bad("quota windows start at a time since 1970 that has passed")
	}
	return events.At(t), nil
}

func (s *Server) readUsage(p service.Principal, _ *http.Request, _ none) (any, error) {
	if err := s.Services.Fresh.Account(p.Account); err != nil {
		return nil, err
	}
	return s.Services.Accounts.Usage(p.Account)
}

// resetWindow moves an account back to the present quota window, with what the usage ledger has charged there.
func (s *Server) resetWindow(p service.Principal, r *http.Request, _ none) (any, error) {
	return none{}, s.Services.Accounts.ResetWindow(p, func(window events.Instant) (units, bytes int64, err error) {
		all, err := s.charged.Windows(r.Context(), p.Account)
		if err != nil {
			return 0, 0, fmt.Errorf("read the usage ledger: %w", err)
		}
		for _, one := range all.Windows {
			if one.Start == window.Time().UTC().Format(time.RFC3339) {
				units, bytes = units+one.Units, bytes+one.Bytes
			}
		}
		return units, bytes, nil
	})
}

// adjust books a correction. Each request books one, so it must not be repeated.
func (s *Server) adjust(p service.Principal, _ *http.Request, b adjustment) (any, error) {
	var err error
	b.Entry, err = s.Services.Accounts.Adjust(p, events.Adjustment{Kind: b.Kind, Units: b.Units, Bytes: b.Bytes, Reason: b.Reason, Ref: b.Ref})
	return b, err
}

func (s *Server) keyRoutes(mux *http.ServeMux) {
	keys := s.Services.Keys
	mux.HandleFunc("POST /accounts/{id}/keys", act(func(p service.Principal, _ *http.Request, b keyRequest) (any, error) {
		secret, key, err := keys.Make(p, service.NewKey{ID: b.ID, Name: b.Name, Test: b.Test})
		return describe(key, secret), err
	}))
	mux.HandleFunc("GET /accounts/{id}/keys", act(func(p service.Principal, _ *http.Request, _ none) (any, error) {
		account, err := s.Services.Accounts.Find(p.Account)
		return describeAll(account), err
	}))
	mux.HandleFunc("DELETE /accounts/{id}/keys/{key}", act(func(p service.Principal, r *http.Request, _ none) (any, error) {
		key := events.KeyID(r.PathValue("key"))
		return map[string]events.KeyID{"revoked": key}, keys.Revoke(p, key)
	}))
}

func describeAll(a projections.Account) []IssuedKey {
	keys := []IssuedKey{}
	for _, k := range a.Keys {
		keys = append(keys, describe(k, ""))
	}
	return keys
}
