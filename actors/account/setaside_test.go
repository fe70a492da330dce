package account

import (
	"errors"
	"strings"
	"testing"

	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/projections/table"
)

// faultyRows are rows, some of which cannot be read.
type faultyRows struct {
	Store
	account, job error
}

func (f *faultyRows) Account(id events.AccountID) (State, error) {
	s, err := f.Store.Account(id)
	return s, errors.Join(err, f.account)
}

func (f *faultyRows) Job(id events.AccountID, j events.JobID) (job.State, error) {
	s, err := f.Store.Job(id, j)
	return s, errors.Join(err, f.job)
}

// A command that cannot be decided is set aside with a reason; commands before and after it are decided on the same state. A fault of the store does
// not count, nor does a row that cannot be decoded, which may be this node's fault: it ends the epoch.
func TestWhatCannotBeDecided(t *testing.T) {
	broken := errors.New("disk on fire")
	for name, tc := range map[string]struct {
		spoil func(*faultyRows, *bool)
		void  string
		err   error
	}{
		"all is well":                       {func(*faultyRows, *bool) {}, "", nil},
		"a decider panics":                  {func(_ *faultyRows, panics *bool) { *panics = true }, "panic: a string", nil},
		"the row of the job is not one":     {func(f *faultyRows, _ *bool) { f.job = table.ErrUndecodable }, "", table.ErrUndecodable},
		"the row of the account is not one": {func(f *faultyRows, _ *bool) { f.account = table.ErrUndecodable }, "", table.ErrUndecodable},
		"the store fails":                   {func(f *faultyRows, _ *bool) { f.account = broken }, "", broken},
	} {
		rows, panics := &faultyRows{Store: ReplicaStore{Reader: table.Memory{}}}, false
		limits := func(plan events.Plan) (Limits, bool) {
			if panics {
				panic("no limits")
			}
			return LimitsOf(plan)
		}
		a := NewAggregate("acc", rows, limits)
		decide := func(cause int64, body events.CommandBody) (Decision, error) {
			return a.Decide(cause, events.Command{ID: events.CommandID{byte(cause + 1)}, Account: "acc", At: 1_700_000_000_000, Body: body})
		}
		submit := func(n byte) events.SubmitJob {
			return events.SubmitJob{Job: events.JobID{n}, Key: "key_1", Operation: events.HTMLToPDF}
		}
		if name != "the row of the account is not one" && name != "the store fails" { // the state would be loaded by now
			if d, err := decide(0, events.CreateAccount{Plan: events.PlanPro}); err != nil || d.Reply.Code != events.Accepted {
				t.Fatalf("%s: the account: %+v, %v", name, d, err)
			}
			if d, err := decide(5, events.IssueKey{Key: events.Key{ID: "key_1", Hash: [32]byte{1}}}); err != nil || d.Reply.Code != events.Accepted {
				t.Fatalf("%s: the key: %+v, %v", name, d, err)
			}
		}
		tc.spoil(rows, &panics)
		d, err := decide(1, submit(1))
		if !errors.Is(err, tc.err) || (tc.void == "") != (d.SetAside == "") || !strings.Contains(d.SetAside, tc.void) {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
		if d.SetAside != "" && (d.Reply == nil || d.Reply.Code != events.Internal || len(d.Events)+len(d.Begin) > 0) {
			t.Errorf("%s: set aside with %+v", name, d)
		}
		*rows, panics = faultyRows{Store: rows.Store}, false
		if d, err := decide(2, events.CreateAccount{Plan: events.PlanPro}); err != nil || d.SetAside != "" {
			t.Errorf("%s: the next command: %+v, %v", name, d, err)
		}
	}
}

// Repeating a command that was set aside gets the same reply, even before its envelope is read back.
func TestRepeatedCommandThatWasSetAside(t *testing.T) {
	panics := true
	a := NewAggregate("acc", ReplicaStore{Reader: table.Memory{}}, func(plan events.Plan) (Limits, bool) {
		if panics {
			panic("no limits")
		}
		return LimitsOf(plan)
	})
	decide := func(cause int64, id byte, body events.CommandBody) Decision {
		d, err := a.Decide(cause, events.Command{ID: events.CommandID{id}, Account: "acc", At: 1_700_000_000_000, Body: body})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	panics = false
	decide(0, 1, events.CreateAccount{Plan: events.PlanPro})
	decide(1, 2, events.IssueKey{Key: events.Key{ID: "key_1", Hash: [32]byte{1}}})
	panics = true
	submit := events.SubmitJob{Job: events.JobID{1}, Key: "key_1", Operation: events.HTMLToPDF}
	if d := decide(2, 3, submit); d.SetAside == "" {
		t.Fatalf("it was decided: %+v", d)
	}
	panics = false
	if d := decide(3, 3, submit); d.Reply.Code != events.Internal || len(d.Events) > 0 || d.SetAside != "" {
		t.Errorf("repeated, it gives %+v", d)
	}
	for cause := range int64(4) {
		a.Committed(cause)
	}
	if len(a.inFlight)+len(a.replies)+len(a.jobs)+len(a.requests) > 0 {
		t.Errorf("left over: %+v %+v %+v %+v", a.inFlight, a.replies, a.jobs, a.requests)
	}
}

// An envelope may have as many bytes as a record, but not one more.
func TestEnvelopeThatDoesNotFit(t *testing.T) {
	size := func(body int) (int, error) {
		d := Decision{Events: []events.Event{events.TemplateSaved{Template: "t", Body: make([]byte, body)}}}
		e := events.Envelope{Epoch: 1 << 62, Cause: 1 << 62, Events: d.Events}
		value, err := events.EncodeEntry(e)
		if err != nil {
			t.Fatal(err)
		}
		return len(value), fits(events.Command{}, d)
	}
	base, _ := size(1 << 19)
	fitting := eventlog.MaxRecord - (base - 1<<19)
	if n, err := size(fitting); n != eventlog.MaxRecord || err != nil {
		t.Errorf("%d bytes: %v", n, err)
	}
	if n, err := size(fitting + 1); n != eventlog.MaxRecord+1 || !errors.Is(err, errUndecidable) {
		t.Errorf("%d bytes: %v", n, err)
	}
}

// A command whose envelope no node could read is set aside, for a reason that can be read.
func TestEnvelopeThatNobodyCouldRead(t *testing.T) {
	for text, want := range map[string]error{"a line": nil, "a\xff": errUndecidable} {
		d := Decision{Events: []events.Event{events.JobFailed{Detail: text}}}
		if err := fits(events.Command{}, d); !errors.Is(err, want) || want != nil && !errors.Is(err, events.ErrUnreadable) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}
