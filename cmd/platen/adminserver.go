package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"time"

	"platen.dev/actors/account"
	"platen.dev/edge"
	"platen.dev/edge/apikey"
	"platen.dev/events"
	limits "platen.dev/events/contract"
	"platen.dev/projections"
)

// The admin interface is JSON over HTTP on a Unix socket in the data directory:
// who may open the socket may do everything, nobody else anything. Go's profiles
// of the node are there too, under /debug/pprof/.

type adminServer struct {
	commands   edge.Commands
	replica    *projections.Replica
	partitions int32
	now        func() time.Time
	http       *http.Server
}

// listenAdmin serves the admin interface on a socket that its user alone may open.
func listenAdmin(path string, commands edge.Commands, replica *projections.Replica, partitions int32, logger *slog.Logger, now func() time.Time) (*adminServer, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err // what a killed node left: the log's lock says that it is gone
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	a := &adminServer{commands: commands, replica: replica, partitions: partitions, now: now}
	a.http = &http.Server{Handler: a.routes(), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := a.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			logger.Error("admin interface ended", "error", err)
		}
	}()
	return a, nil
}

// Close ends the interface; requests under way are finished until ctx ends.
func (a *adminServer) Close(ctx context.Context) error { return a.http.Shutdown(ctx) }

func (a *adminServer) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /accounts", a.createAccount)
	mux.HandleFunc("GET /accounts", a.listAccounts)
	mux.HandleFunc("PUT /accounts/{id}/plan", a.setPlan)
	mux.HandleFunc("GET /accounts/{id}/usage", a.usage)
	mux.HandleFunc("PUT /accounts/{id}/anchor", a.setAnchor)
	mux.HandleFunc("PUT /accounts/{id}/file-limit", a.setFileLimit)
	mux.HandleFunc("PUT /accounts/{id}/volume-blocks", a.setBlocks)
	mux.HandleFunc("POST /accounts/{id}/keys", a.createKey)
	mux.HandleFunc("GET /accounts/{id}/keys", a.listKeys)
	mux.HandleFunc("DELETE /accounts/{id}/keys/{key}", a.revokeKey)
	mux.HandleFunc("PUT /accounts/{id}/templates/{template}", a.putTemplate)
	mux.HandleFunc("GET /accounts/{id}/templates", a.listTemplates)
	mux.HandleFunc("GET /accounts/{id}/templates/{template}", a.showTemplate)
	mux.HandleFunc("DELETE /accounts/{id}/templates/{template}", a.deleteTemplate)
	mux.HandleFunc("PUT /accounts/{id}/default-template", a.setDefaultTemplate)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	return mux
}

// adminError is the body of a refusal.
type adminError struct {
	Error string `json:"error"`
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client is gone if this fails
}

// do sends a command and answers body when it is accepted.
func (a *adminServer) do(w http.ResponseWriter, id events.AccountID, command events.CommandBody, body any) {
	reply, err := a.commands.Do(id, command)
	switch {
	case err != nil:
		answer(w, 503, adminError{"the account's shard does not answer; try again: " + err.Error()})
	case reply.Code != events.Accepted:
		answer(w, 409, adminError{refusalText(reply.Code, id)})
	default:
		answer(w, 200, body)
	}
}

func refusalText(code events.ReplyCode, id events.AccountID) string {
	switch code {
	case events.NoSuchAccount:
		return fmt.Sprintf("there is no account %s; `platen admin account list` shows those there are", id)
	case events.NoSuchKey:
		return fmt.Sprintf("account %s has no such key; `platen admin key list %s` shows its keys", id, id)
	case events.NoSuchTemplate:
		return fmt.Sprintf("account %s has no such template; `platen admin template list %s` shows its templates", id, id)
	case events.UnknownPlan:
		return "there is no such plan: choose free, starter, pro or business"
	}
	if explained, ok := map[events.ReplyCode]string{
		events.PlanRequired:     "extra volume is sold on the business plan only",
		events.TooManyTemplates: "the account has as many templates as it may",
		events.OutOfRange:       "the value is out of range: an anchor must be past, a file may have 1024 MB",
	}[code]; ok {
		return explained
	}
	return "refused: " + string(code)
}

type planRequest struct {
	Plan events.Plan `json:"plan"`
}

type accountRequest struct {
	Plan   events.Plan `json:"plan"`
	Anchor string      `json:"anchor,omitempty"`
}

type anchorRequest struct {
	Anchor string `json:"anchor"`
}

type numberRequest struct {
	Number int64 `json:"number"`
}

// instant reads a time of the caller's, or answers that it is none.
func instant(w http.ResponseWriter, text string) (events.Instant, bool) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		answer(w, 400, adminError{fmt.Sprintf("%q is no time such as 2026-01-31T09:00:00Z", text)})
	}
	return events.At(at), err == nil
}

func decodeBody(w http.ResponseWriter, r *http.Request, into any) bool {
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<18)).Decode(into)
	if err != nil {
		answer(w, 400, adminError{"body: " + err.Error()})
	}
	return err == nil
}

func (a *adminServer) createAccount(w http.ResponseWriter, r *http.Request) {
	var req accountRequest
	if !decodeBody(w, r, &req) {
		return
	}
	id, now := events.NewAccountID(), events.At(a.now())
	anchor := now
	if req.Anchor != "" {
		var ok bool
		if anchor, ok = instant(w, req.Anchor); !ok {
			return
		}
	}
	a.do(w, id, events.CreateAccount{Plan: req.Plan, Anchor: anchor}, projections.Account{ID: id, Plan: req.Plan, Anchor: anchor, Created: now})
}

func (a *adminServer) setAnchor(w http.ResponseWriter, r *http.Request) {
	var req anchorRequest
	if !decodeBody(w, r, &req) {
		return
	}
	if at, ok := instant(w, req.Anchor); ok {
		a.do(w, events.AccountID(r.PathValue("id")), events.MoveAnchor{Anchor: at}, anchorRequest{at.Time().Format(time.RFC3339)})
	}
}

func (a *adminServer) setFileLimit(w http.ResponseWriter, r *http.Request) {
	var req numberRequest
	if decodeBody(w, r, &req) {
		a.do(w, events.AccountID(r.PathValue("id")), events.LimitFiles{Bytes: req.Number}, req)
	}
}

func (a *adminServer) setBlocks(w http.ResponseWriter, r *http.Request) {
	var req numberRequest
	if decodeBody(w, r, &req) {
		a.do(w, events.AccountID(r.PathValue("id")), events.SetVolumeBlocks{Blocks: req.Number}, req)
	}
}

// accountUsage is an account's standing, with what may be set for it.
type accountUsage struct {
	account.Usage
	Plan                   events.Plan
	MaxFile, Blocks, Tests int64
}

func (a *adminServer) usage(w http.ResponseWriter, r *http.Request) {
	id := events.AccountID(r.PathValue("id"))
	partition := events.Partition(id, a.partitions)
	if err := a.replica.CatchUp(r.Context(), partition); err != nil {
		answer(w, 503, adminError{err.Error()})
		return
	}
	state, err := account.ReplicaStore{Reader: a.replica, Partition: partition}.Account(id)
	if err != nil || !state.Exists() {
		answer(w, 409, adminError{refusalText(events.NoSuchAccount, id)})
		return
	}
	answer(w, 200, accountUsage{
		Usage: account.UsageAt(state, events.At(a.now()), account.LimitsOf),
		Plan:  state.Plan, MaxFile: cmp.Or(state.MaxFile, limits.MaxFileBytes), Blocks: state.Blocks, Tests: state.Tests.Count,
	})
}

func (a *adminServer) setPlan(w http.ResponseWriter, r *http.Request) {
	var req planRequest
	if decodeBody(w, r, &req) {
		a.do(w, events.AccountID(r.PathValue("id")), events.ChangePlan{Plan: req.Plan}, req)
	}
}

// listAccounts first lets the replica read what was acknowledged before the request.
func (a *adminServer) listAccounts(w http.ResponseWriter, r *http.Request) {
	for p := range a.partitions {
		if err := a.replica.CatchUp(r.Context(), p); err != nil {
			answer(w, 503, adminError{err.Error()})
			return
		}
	}
	all, err := a.replica.Accounts()
	if err != nil {
		answer(w, 500, adminError{err.Error()})
		return
	}
	answer(w, 200, all)
}

// issuedKey is an API key as the admin interface shows it.
type issuedKey struct {
	ID       events.KeyID   `json:"id"`
	Secret   string         `json:"secret,omitempty"`
	Prefix   string         `json:"prefix"`
	LastFour string         `json:"last_four"`
	Created  events.Instant `json:"created_ms"`
	LastUsed events.Instant `json:"last_used_ms,omitempty"`
	Revoked  events.Instant `json:"revoked_ms,omitempty"`
}

func describe(k events.Key, secret string) issuedKey {
	return issuedKey{k.ID, secret, k.Prefix, k.LastFour, k.Created, k.LastUsed, k.Revoked}
}

func (a *adminServer) createKey(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Test bool `json:"test"`
	}
	if !decodeBody(w, r, &req) {
		return
	}
	prefix := apikey.Live
	if req.Test {
		prefix = apikey.Test
	}
	secret, key := apikey.New(prefix, events.At(a.now()))
	a.do(w, events.AccountID(r.PathValue("id")), events.IssueKey{Key: key}, describe(key, secret))
}

func (a *adminServer) listKeys(w http.ResponseWriter, r *http.Request) {
	account, ok := a.account(w, r)
	if !ok {
		return
	}
	keys := []issuedKey{}
	for _, k := range account.Keys {
		keys = append(keys, describe(k, ""))
	}
	answer(w, 200, keys)
}

func (a *adminServer) revokeKey(w http.ResponseWriter, r *http.Request) {
	key := events.KeyID(r.PathValue("key"))
	a.do(w, events.AccountID(r.PathValue("id")), events.RevokeKey{Key: key}, map[string]events.KeyID{"revoked": key})
}
