package dispatch

import (
	"slices"
	"testing"

	"platen.dev/actors/job"
	"platen.dev/events"
)

// The accounts with the most jobs waiting come first, and those without jobs not at all.
func TestUsage(t *testing.T) {
	m := New(Settings{Slots: 1, Attempts: 1, Remotes: 1})
	for n, account := range []events.AccountID{"a", "b", "b", "b", "c", "c"} {
		m.Step(Take{Effect: job.Render{Account: account, Job: jobID(n), Lane: events.Quick}})
	}
	m.Step(Take{Effect: job.Render{Account: "c", Job: jobID(6), Lane: events.Remote}})
	want := []Usage{{"b", 3, 0}, {"c", 2, 1}, {"a", 0, 1}}
	if got := m.Usage(3); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := m.Usage(2); !slices.Equal(got, want[:2]) {
		t.Errorf("the first two: got %v", got)
	}
	m.Step(Ended{Job: jobID(0), Told: true})
	m.Step(Forget{jobID(0)})
	if got := m.Usage(9); len(got) != 2 || slices.ContainsFunc(got, func(u Usage) bool { return u.Account == "a" }) {
		t.Errorf("an account without jobs is among %v", got)
	}
}

// A node that retires begins nothing and takes nothing, until it returns. One that closes does not return.
func TestReturn(t *testing.T) {
	m := New(Settings{Slots: 1, Attempts: 1})
	m.Step(Retire{})
	if outs := m.Step(take(1)); len(of[Begin](outs)) > 0 || !m.load().Draining {
		t.Errorf("a node that has retired: %+v", outs)
	}
	if a := of[Answer](m.Step(Offered{Effect: job.Render{Account: "acc", Job: jobID(2)}})); len(a) != 1 || a[0].Taken {
		t.Errorf("a node that has retired answers an offer by %+v", a)
	}
	outs := m.Step(Return{})
	if begun := of[Begin](outs); len(begun) != 1 || begun[0].Effect.Job != jobID(1) || m.load().Draining {
		t.Errorf("a node that has returned: %+v", outs)
	}
	m.Step(Ended{Job: jobID(1), Told: true})
	m.Step(Drain{})
	m.Step(Return{})
	if outs := m.Step(take(3)); len(outs) > 0 || !m.load().Draining {
		t.Errorf("a node that closes: %+v", outs)
	}
}
