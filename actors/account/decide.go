package account

import "platen.dev/events"

// Decide says what a command changes in the account itself, and its reply.
func Decide(s State, body events.CommandBody) ([]events.Event, events.Reply) {
	if b, ok := body.(events.CreateAccount); ok {
		return create(s, b)
	}
	if !s.Exists() {
		return refuse(events.NoSuchAccount)
	}
	switch b := body.(type) {
	case events.ChangePlan:
		return changePlan(s, b)
	case events.IssueKey:
		return issueKey(s, b)
	case events.RevokeKey:
		return revokeKey(s, b)
	}
	return refuse(events.Stale)
}

var accepted = events.Reply{Code: events.Accepted}

func refuse(code events.ReplyCode) ([]events.Event, events.Reply) {
	return nil, events.Reply{Code: code}
}

func one(e events.Event) ([]events.Event, events.Reply) {
	return []events.Event{e}, accepted
}

func create(s State, b events.CreateAccount) ([]events.Event, events.Reply) {
	if _, ok := LimitsOf(b.Plan); !ok {
		return refuse(events.UnknownPlan)
	}
	if s.Exists() {
		return refuse(events.AlreadyExists)
	}
	return one(events.AccountCreated{Plan: b.Plan, Anchor: b.Anchor})
}

func changePlan(s State, b events.ChangePlan) ([]events.Event, events.Reply) {
	if _, ok := LimitsOf(b.Plan); !ok {
		return refuse(events.UnknownPlan)
	}
	if s.Plan == b.Plan {
		return nil, accepted
	}
	return one(events.PlanChanged{Plan: b.Plan})
}

func issueKey(s State, b events.IssueKey) ([]events.Event, events.Reply) {
	have, exists := s.key(b.Key.ID)
	if !exists {
		return one(events.KeyIssued{Key: b.Key})
	}
	if have.Hash != b.Key.Hash || have.Revoked != 0 {
		return refuse(events.AlreadyExists)
	}
	return nil, accepted
}

func revokeKey(s State, b events.RevokeKey) ([]events.Event, events.Reply) {
	have, exists := s.key(b.Key)
	if !exists {
		return refuse(events.NoSuchKey)
	}
	if have.Revoked != 0 {
		return nil, accepted
	}
	return one(events.KeyRevoked{Key: b.Key, Hash: have.Hash})
}

// Admit says whether the account may have one more charged job now, and
// reserves its unit in the current window.
func Admit(s State, job events.JobID, now events.Instant, limitsOf LimitsFunc) ([]events.Event, events.Reply) {
	limits, _ := limitsOf(s.Plan)
	window := max(s.Window, windowStart(s.Anchor, now))
	reserved, used, bytes := s.Reserved, s.Used, s.Bytes
	if window > s.Window {
		reserved, used, bytes = 0, 0, 0
	}
	switch {
	case s.Running >= limits.Running:
		return nil, events.Reply{Code: events.ConcurrencyLimit, RetryAfter: 5}
	case reserved+used >= limits.Jobs:
		return refuse(events.QuotaExceeded)
	case bytes >= limits.Bytes:
		left := windowEnd(s.Anchor, window) - now
		return nil, events.Reply{Code: events.QuotaBytesExceeded, RetryAfter: max(1, (int64(left)+999)/1000)}
	}
	return one(events.QuotaReserved{Job: job, Window: window})
}
