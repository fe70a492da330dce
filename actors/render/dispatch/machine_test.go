package dispatch

import (
	"slices"
	"testing"

	"platen.dev/actors/job"
	"platen.dev/actors/render/attempt"
	"platen.dev/events"
)

// of returns the outputs of one type.
func of[T Output](outs []Output) (found []T) {
	for _, o := range outs {
		if o, ok := o.(T); ok {
			found = append(found, o)
		}
	}
	return found
}

func jobID(n int) events.JobID { return events.JobID{byte(n)} }

func take(n int) Take { return Take{Effect: job.Render{Account: "acc", Job: jobID(n)}} }

// Tasks that come back return to their old position.
func TestOldPlace(t *testing.T) {
	m := New(Settings{Slots: 1, Attempts: 1})
	m.Step(PeersChanged{[]Peer{{Node: "b", Load: Load{Slots: 9}}}})
	var offers []Offer
	for n := range 6 {
		offers = append(offers, of[Offer](m.Step(take(n)))...)
	}
	if len(offers) != 5 || offers[0].Effect.Job != jobID(1) {
		t.Fatalf("offered %+v, want five after the one that is begun", offers)
	}
	for _, i := range []int{3, 0, 4, 1, 2} {
		o := offers[i]
		m.Step(Answered{Job: o.Effect.Job, Offer: o.Offer, From: o.To})
	}
	var order []events.JobID
	for n := range 6 {
		outs := m.Step(Ended{Job: jobID(n), Told: true})
		for _, b := range of[Begin](outs) {
			order = append(order, b.Effect.Job)
		}
	}
	if !slices.Equal(order, []events.JobID{jobID(1), jobID(2), jobID(3), jobID(4), jobID(5)}) {
		t.Errorf("begun in the order %v", order)
	}
}

// A job whose attempt ends without an outcome waits again after a pause, unless it is
// forgotten meanwhile.
func TestAttemptWithoutAWord(t *testing.T) {
	m := New(Settings{Slots: 1, Attempts: 1})
	m.Step(take(1))
	outs := m.Step(Ended{Job: jobID(1)})
	reminders := of[Remind](outs)
	if len(reminders) != 1 || len(of[Begin](outs)) != 0 {
		t.Fatalf("got %+v, want a reminder", outs)
	}
	outs = m.Step(reminders[0].Of)
	if begun := of[Begin](outs); len(begun) != 1 || begun[0].Effect.Job != jobID(1) {
		t.Errorf("got %+v, want the job begun again", outs)
	}
	m.Step(Ended{Job: jobID(1)})
	m.Step(Forget{jobID(1)})
	if outs := m.Step(Retry{jobID(1)}); len(of[Begin](outs)) != 0 {
		t.Errorf("got %+v for a job that some attempt holds", outs)
	}
}

// A job that is asked for again while its attempt is under way is begun again after it.
func TestAgain(t *testing.T) {
	m := New(Settings{Slots: 2, Attempts: 4})
	m.Step(take(1))
	if outs := m.Step(take(1)); len(outs) != 0 {
		t.Errorf("got %+v, want nothing yet", outs)
	}
	if outs := m.Step(Ended{Job: jobID(1), Told: true}); len(of[Begin](outs)) != 1 {
		t.Errorf("got %+v, want the job begun again", outs)
	}
	if outs := m.Step(Ended{Job: jobID(1), Told: true}); len(of[Begin](outs)) != 0 {
		t.Errorf("got %+v, want nothing more", outs)
	}
}

// A job that is asked for again while another node has it, or is offered it, is taken back.
func TestAgainWhileAway(t *testing.T) {
	for _, taken := range []bool{true, false} {
		m := New(Settings{Slots: 1, Attempts: 0})
		m.Step(PeersChanged{[]Peer{{Node: "b", Load: Load{Slots: 2}}}})
		offer := of[Offer](m.Step(take(1)))[0]
		m.Step(PeersChanged{}) // it is not offered again
		if taken {
			m.Step(Answered{Job: jobID(1), Offer: offer.Offer, From: "b", Taken: true})
		}
		m.Step(take(1))
		if m.counts.TakenBack != 1 || m.load().Total() != 1 {
			t.Errorf("taken %t: counts %+v, %d jobs wait", taken, m.counts, m.load().Total())
		}
	}
}

// An answer to an offer that was withdrawn, or to an earlier one, changes nothing for the job.
func TestLateAnswers(t *testing.T) {
	m := New(Settings{Slots: 1, Attempts: 0})
	m.Step(PeersChanged{[]Peer{{Node: "b", Load: Load{Slots: 2}}}})
	first := of[Offer](m.Step(take(1)))[0]
	m.Step(NodeGone{"b"}) // takes the job back, and offers it again because b is still listed
	if outs := m.Step(Answered{Job: jobID(1), Offer: first.Offer, From: "b", Taken: true}); len(of[Remind](outs)) != 0 {
		t.Errorf("got %+v, want nothing after a late answer", outs)
	}
	if got := m.counts; got.TakenBack != 1 || got.HandedOver != 1 {
		t.Errorf("counts %+v", got)
	}
	m.Step(Forget{jobID(1)})
	m.Step(Answered{Job: jobID(1), Offer: first.Offer + 1, From: "b"})
	if got := m.load().Total(); got != 0 {
		t.Errorf("%d jobs wait after the job was forgotten", got)
	}
}

// Drained is put out once, when the last attempt has ended, and nothing begins after it.
func TestDrain(t *testing.T) {
	m := New(Settings{Slots: 1, Attempts: 1})
	m.Step(take(1))
	m.Step(take(2))
	if outs := m.Step(Drain{}); len(of[Drained](outs)) != 0 {
		t.Errorf("got %+v while an attempt is under way", outs)
	}
	if outs := m.Step(take(3)); len(of[Begin](outs)) != 0 {
		t.Errorf("got %+v while draining", outs)
	}
	if outs := m.Step(Ended{Job: jobID(1)}); len(of[Drained](outs)) != 1 || len(of[Remind](outs)) != 0 {
		t.Errorf("got %+v, want the end", outs)
	}
	if outs := m.Step(Drain{}); len(of[Drained](outs)) != 0 {
		t.Errorf("got %+v, want it once", outs)
	}
}

// A node whose attempts meet infrastructure faults begins none and takes none until a probe
// succeeds. Its jobs go to sound nodes.
func TestSuspended(t *testing.T) {
	m := New(Settings{Slots: 2, Attempts: 4})
	end := func(n int, h attempt.Health) []Output { return m.Step(Ended{Job: jobID(n), Told: true, Health: h}) }
	for n := range maxFaults - 1 {
		m.Step(take(n))
		end(n, attempt.Faulty)
	}
	m.Step(take(10))
	end(10, attempt.Sound) // not in a row
	for n := range maxFaults - 1 {
		m.Step(take(n))
		if outs := end(n, attempt.Faulty); len(of[Probe](outs)) != 0 {
			t.Fatalf("got %+v after %d faults", outs, n+1)
		}
	}
	m.Step(take(11))
	m.Step(take(12))
	if outs := end(11, attempt.Faulty); len(of[Probe](outs)) != 1 || !m.load().Suspended {
		t.Fatalf("got %+v after %d faults, want a probe", outs, maxFaults)
	}
	if outs := end(12, attempt.Faulty); len(of[Probe](outs)) != 0 {
		t.Errorf("got %+v, want one probe", outs)
	}
	if outs := m.Step(take(13)); len(of[Begin](outs)) != 0 {
		t.Errorf("got %+v while suspended", outs)
	}
	if outs := m.Step(Offered{Effect: take(14).Effect}); of[Answer](outs)[0].Taken {
		t.Error("took another node's job while suspended")
	}
	if outs := m.Step(PeersChanged{[]Peer{{Node: "sick", Load: Load{Slots: 2, Suspended: true}}}}); len(of[Offer](outs)) != 0 {
		t.Errorf("got %+v, want no offer to a suspended node", outs)
	}
	again := of[Remind](m.Step(Probed{Sound: false}))
	if len(again) != 1 || len(of[Probe](m.Step(again[0].Of))) != 1 {
		t.Fatalf("got %+v after a failed probe, want another one later", again)
	}
	if outs := m.Step(Probed{Sound: true}); len(of[Begin](outs)) != 1 || m.load().Suspended {
		t.Fatalf("got %+v after the probe succeeded, want the job begun", outs)
	}
	outs := end(13, attempt.Faulty)
	later := slices.IndexFunc(of[Remind](outs), func(r Remind) bool { return r == Remind{probeAfter, ProbeAgain{}} })
	if len(of[Probe](outs)) != 0 || later < 0 || !m.load().Suspended {
		t.Errorf("got %+v after one more fault, want a probe later", outs)
	}
}

// A job that may have been lost is begun only if the node does not know it, or if the journal fails
// for long to confirm what its attempt has told.
func TestResume(t *testing.T) {
	m := New(Settings{Slots: 2, Attempts: 1})
	resume := func(n int) []Output { return m.Step(Resume(take(n))) }
	begun := func(outs []Output) int { return len(of[Begin](outs)) }
	if got := begun(resume(1)); got != 1 {
		t.Fatalf("an unknown job was begun %d times", got)
	}
	resume(1)
	m.Step(take(2)) // waits
	resume(2)
	outs := m.Step(Ended{Job: jobID(1), Told: true})
	reminders := of[Remind](outs)
	if begun(outs) != 1 || len(reminders) != 1 || m.load().Total() != 1 {
		t.Fatalf("got %+v, want job 2 begun, and to be reminded of job 1", outs)
	}
	m.Step(Forget{jobID(2)}) // the journal says that the attempt holds it
	if outs := m.Step(Ended{Job: jobID(2), Told: true}); len(outs) != 1 || m.tasks[jobID(2)] != nil {
		t.Errorf("got %+v after a confirmed attempt, want its report only", outs)
	}
	if got := begun(resume(1)); got != 0 {
		t.Errorf("job 1 was begun %d times while it is not confirmed", got)
	}
	m.Step(reminders[0].Of)
	if got := begun(resume(1)); got != 1 {
		t.Errorf("job 1 was begun %d times after it was not confirmed", got)
	}
	m.Step(Ended{Job: jobID(1), Told: true})
	if got := begun(m.Step(take(1))); got != 1 {
		t.Errorf("job 1 was begun %d times when its state asked for it again", got)
	}
}
