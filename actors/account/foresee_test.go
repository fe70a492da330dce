package account

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/team"
)

// stateStore is a Store of one account without jobs.
type stateStore struct {
	state   State
	request AcceptedRequest
	err     error
}

func (s stateStore) Account(events.AccountID) (State, error) { return s.state, s.err }

func (s stateStore) Team(events.AccountID) (team.Team, error) { return s.state.Team, s.err }

func (s stateStore) Job(events.AccountID, events.JobID) (job.State, error) { return job.State{}, nil }

func (s stateStore) InQuarantine(int64) (bool, error) { return false, nil }

func (s stateStore) Reply(events.AccountID, events.CommandID) (events.Reply, bool, error) {
	return events.Reply{}, false, nil
}

func (s stateStore) AcceptedRequest(events.AccountID, string) (AcceptedRequest, error) {
	return s.request, nil
}

// A submission is refused without the account's decision only if a limit is sure to refuse it.
func TestForesee(t *testing.T) {
	now := events.At(time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC))
	limits, _ := LimitsOf(events.PlanFree)
	open := func(change func(*State)) stateStore {
		s := State{Plan: events.PlanFree, Anchor: now.Add(-24 * time.Hour), Window: now.Add(-24 * time.Hour), Keys: []events.Key{{ID: "k"}}}
		change(&s)
		return stateStore{state: s}
	}
	full := open(func(s *State) { s.Running = limits.Running })
	submit := events.SubmitJob{Key: "k"}
	repeated := events.SubmitJob{Key: "k", Idempotency: &events.Idempotency{Key: "again"}}
	known := full
	known.request = AcceptedRequest{At: now}
	broken := full
	broken.err = errors.New("disk")
	minute := func(ago time.Duration) stateStore {
		return open(func(s *State) {
			for range contract.TestsPerMinute {
				s.Tests = s.Tests.counted(now.Add(-ago))
			}
		})
	}
	for name, tc := range map[string]struct {
		store  stateStore
		submit events.SubmitJob
		want   events.ReplyCode // of the refusal; "" if the account decides
	}{
		"at the concurrency limit":        {full, submit, events.ConcurrencyLimit},
		"below it":                        {open(func(s *State) { s.Running = limits.Running - 1 }), submit, ""},
		"at the quota":                    {open(func(s *State) { s.Used = limits.Jobs }), submit, events.QuotaExceeded},
		"suspended":                       {open(func(s *State) { s.Suspension.Since = now }), submit, events.Suspended},
		"one unit below it":               {open(func(s *State) { s.Used = limits.Jobs - 1 }), submit, ""},
		"of an earlier window":            {open(func(s *State) { s.Used, s.Anchor, s.Window = limits.Jobs, 0, 0 }), submit, ""},
		"at the volume":                   {open(func(s *State) { s.Bytes = limits.Bytes }), submit, events.QuotaBytesExceeded},
		"at the cap of tests":             {minute(0), events.SubmitJob{Key: "k", Test: true}, events.TestLimit},
		"at a cap that is about to end":   {minute(time.Minute - events.ClockTolerance), events.SubmitJob{Key: "k", Test: true}, ""},
		"a test job at the quota":         {full, events.SubmitJob{Key: "k", Test: true}, ""},
		"a new request with a key":        {full, repeated, events.ConcurrencyLimit},
		"a request that repeats another":  {known, repeated, ""},
		"with a key of another account":   {full, events.SubmitJob{Key: "foreign"}, ""},
		"a store that fails":              {broken, submit, ""},
		"an account that does not exist":  {stateStore{}, submit, ""},
		"a plan that does not include it": {full, events.SubmitJob{Key: "k", Requires: events.PlanPro}, ""},
	} {
		reply, refused := Foresee(tc.store, "acc", tc.submit, now)
		if refused != (tc.want != "") || reply.Code != tc.want {
			t.Errorf("%s: got %q, refused %t, want %q", name, reply.Code, refused, tc.want)
		}
	}
}

// The number of an account's keys is bounded, and so is the number of revoked ones that it
// remembers.
func TestKeysAreBounded(t *testing.T) {
	s := State{Plan: events.PlanFree}
	do := func(body events.CommandBody, now events.Instant) events.ReplyCode {
		evs, reply := Decide(s, body, now)
		for _, e := range evs {
			s = Evolve(s, e, now)
		}
		return reply.Code
	}
	issue := func(i int) events.ReplyCode {
		return do(events.IssueKey{Key: events.Key{ID: events.KeyID(fmt.Sprint(i)), Hash: [32]byte{byte(i), byte(i >> 8)}}}, events.Instant(i))
	}
	for i := range events.MaxKeys {
		if code := issue(i); code != events.Accepted {
			t.Fatalf("key %d: %s", i, code)
		}
	}
	if code := issue(events.MaxKeys); code != events.TooManyKeys {
		t.Errorf("one key too many: %s", code)
	}
	for i := range events.MaxRevokedKeys + 2 {
		if code := do(events.RevokeKey{Key: events.KeyID(fmt.Sprint(i))}, events.Instant(1000+i)); code != events.Accepted {
			t.Fatalf("revoke key %d: %s", i, code)
		}
		if code := issue(events.MaxKeys + i); code != events.Accepted {
			t.Fatalf("a key in the place of one that was revoked: %s", code)
		}
	}
	_, first := s.key("0")
	_, third := s.key("2")
	if len(s.Keys) != events.MaxKeys+events.MaxRevokedKeys || first || !third {
		t.Errorf("%d keys are remembered, the first %t, the third %t", len(s.Keys), first, third)
	}
}
