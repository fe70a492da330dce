package admin

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"platen.dev/actors/account"
	"platen.dev/edge/apikey"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/projections"
)

// This file has the routes of accounts and of their API keys.

func (s *Server) createAccount(w http.ResponseWriter, r *http.Request) {
	var req accountRequest
	if !decode(w, r, &req) {
		return
	}
	id, now := events.NewAccountID(), events.At(s.Now())
	var anchor events.Instant
	if req.Anchor != "" {
		var ok bool
		if anchor, ok = instant(w, req.Anchor); !ok {
			return
		}
	}
	s.do(w, id, events.CreateAccount{Plan: req.Plan, Anchor: anchor}, projections.Account{ID: id, Plan: req.Plan, Anchor: cmp.Or(anchor, now), Created: now})
}

// instant parses a time that the caller sent, or refuses the request.
func instant(w http.ResponseWriter, text string) (at events.Instant, ok bool) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		refuse(w, 400, fmt.Sprintf("%q is not a time like 2026-01-31T09:00:00Z", text))
	}
	return events.At(t), err == nil
}

func (s *Server) listAccounts(w http.ResponseWriter, r *http.Request) {
	if !s.catchUpAll(w, r) {
		return
	}
	all, err := s.Replica.Accounts()
	if err != nil {
		refuse(w, 500, err.Error())
		return
	}
	respond(w, 200, all)
}

func (s *Server) setPlan(w http.ResponseWriter, r *http.Request) {
	var req planRequest
	if decode(w, r, &req) {
		s.do(w, accountID(r), events.ChangePlan{Plan: req.Plan}, req)
	}
}

func (s *Server) suspend(w http.ResponseWriter, r *http.Request) {
	var req suspendRequest
	if !decode(w, r, &req) {
		return
	}
	if !events.ValidReason(req.Reason) {
		refuse(w, 400, fmt.Sprintf("a suspension needs a reason of up to %d characters, on one line: the account's members read it", events.MaxReason))
		return
	}
	s.do(w, accountID(r), events.SuspendAccount{Reason: req.Reason}, req)
}

func (s *Server) resume(w http.ResponseWriter, r *http.Request) {
	s.do(w, accountID(r), events.ResumeAccount{}, struct{}{})
}

func (s *Server) setAnchor(w http.ResponseWriter, r *http.Request) {
	var req anchorRequest
	if !decode(w, r, &req) {
		return
	}
	if at, ok := instant(w, req.Anchor); ok {
		s.do(w, accountID(r), events.MoveAnchor{Anchor: at}, anchorRequest{at.Time().Format(time.RFC3339)})
	}
}

func (s *Server) resetWindow(w http.ResponseWriter, r *http.Request) {
	s.do(w, accountID(r), events.ResetWindow{}, struct{}{})
}

// adjust books a correction. Each request books one: it is not for repeating.
func (s *Server) adjust(w http.ResponseWriter, r *http.Request) {
	var req adjustment
	if !decode(w, r, &req) {
		return
	}
	req.Entry = events.NewEntryID()
	a := events.Adjustment{Entry: req.Entry, Kind: req.Kind, Units: req.Units, Bytes: req.Bytes, Reason: req.Reason, Ref: req.Ref}
	if err := account.CheckAdjustment(a); err != nil {
		refuse(w, 400, err.Error())
		return
	}
	s.do(w, accountID(r), events.AdjustUsage{Adjustment: a}, req)
}

func (s *Server) setFileLimit(w http.ResponseWriter, r *http.Request) {
	var req numberRequest
	if decode(w, r, &req) {
		s.do(w, accountID(r), events.LimitFiles{Bytes: req.Number}, req)
	}
}

func (s *Server) setBlocks(w http.ResponseWriter, r *http.Request) {
	var req numberRequest
	if decode(w, r, &req) {
		s.do(w, accountID(r), events.SetVolumeBlocks{Blocks: req.Number}, req)
	}
}

func (s *Server) usage(w http.ResponseWriter, r *http.Request) {
	id := accountID(r)
	partition := events.Partition(id, s.Log.Partitions())
	if !s.catchUp(w, r, partition) {
		return
	}
	state, err := account.ReplicaStore{Reader: s.Replica, Partition: partition}.Account(id)
	if err != nil || !state.Exists() {
		refuse(w, 409, refusalText(events.NoSuchAccount, id))
		return
	}
	respond(w, 200, AccountUsage{
		Usage: account.UsageAt(state, events.At(s.Now()), account.LimitsOf),
		Plan:  state.Plan, MaxFile: cmp.Or(state.MaxFile, contract.MaxFileBytes), Blocks: state.Blocks, Tests: state.Tests.Count,
	})
}

func (s *Server) createKey(w http.ResponseWriter, r *http.Request) {
	var req keyRequest
	if !decode(w, r, &req) {
		return
	}
	prefix := apikey.Live
	if req.Test {
		prefix = apikey.Test
	}
	secret, key := apikey.New(prefix, events.At(s.Now()))
	key.Name = req.Name
	if id, err := events.ParseKeyID(string(req.ID)); err == nil {
		key.ID = id
	}
	s.do(w, accountID(r), events.IssueKey{Key: key}, describe(key, secret))
}

func (s *Server) listKeys(w http.ResponseWriter, r *http.Request) {
	account, ok := s.account(w, r)
	if !ok {
		return
	}
	keys := []IssuedKey{}
	for _, k := range account.Keys {
		keys = append(keys, describe(k, ""))
	}
	respond(w, 200, keys)
}

func (s *Server) revokeKey(w http.ResponseWriter, r *http.Request) {
	key := events.KeyID(r.PathValue("key"))
	s.do(w, accountID(r), events.RevokeKey{Key: key}, map[string]events.KeyID{"revoked": key})
}
