package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/seal"
	"platen.dev/events/team"
	"platen.dev/events/testkit"
	"platen.dev/projections"
	"platen.dev/projections/table"
)

// shards answer every command the same way, and remember the last.
type shards struct {
	reply events.Reply
	err   error
	by    events.Author
	sent  []events.CommandBody
}

func (s *shards) DoBy(by events.Author, _ events.AccountID, body events.CommandBody) (events.Reply, error) {
	s.by, s.sent = by, append(s.sent, body)
	return s.reply, s.err
}

func (s *shards) Append(context.Context, events.Command) (int64, error) {
	return 0, errors.New("nothing is sent as it is")
}

// desk has services over shards that answer alike and a replica that is empty.
type desk struct {
	*Services
	shards *shards
	rate   events.Rate
	waits  int // for the replica
	behind error
	now    time.Time
	log    eventlog.Log
	lines  *testkit.Lines
}

// newDesk returns a desk, and what sends its letters if it has a mailer.
func newDesk(t *testing.T, mailers ...Mailer) *desk {
	t.Helper()
	dir := t.TempDir()
	log, err := embedded.Open(embedded.Config{Dir: filepath.Join(dir, "log"), Partitions: 2})
	if err != nil {
		t.Fatal(err)
	}
	replica, err := projections.Open(testkit.Context(t), projections.Config{Dir: filepath.Join(dir, "replica"), Log: log, Logger: testkit.Silent(), Projections: []table.Projection{account.States{}, projections.ReadModels{}}})
	if err != nil {
		t.Fatal(err)
	}
	replica.Start()
	t.Cleanup(func() {
		if err := errors.Join(replica.Close(), log.Close()); err != nil {
			t.Error(err)
		}
	})
	d := &desk{shards: &shards{reply: events.Reply{Code: events.Accepted}}, rate: events.Rate{Allowed: true}, now: time.Unix(1_700_000_000, 0), log: log, lines: &testkit.Lines{}}
	cfg := Config{
		Commands: d.shards, Replica: replica, Log: log, Logger: slog.New(slog.NewTextHandler(d.lines, nil)), Now: func() time.Time { return d.now },
		Fresh: NewFreshness(2, func(context.Context, int32) error { d.waits++; return d.behind }),
		Rate:  func(events.AccountID, events.Plan) events.Rate { return d.rate },
		Seal:  seal.NewKey(seal.Secrets{Present: seal.NewSecret()}),
	}
	for _, m := range mailers {
		cfg.Mail = m
	}
	d.Services = New(cfg)
	return d
}

// happened has the replica know of events of an account.
func (d *desk) happened(t *testing.T, id events.AccountID, evs ...events.Event) {
	t.Helper()
	p := events.Partition(id, d.log.Partitions())
	for _, entry := range []events.Entry{
		events.Marker{Owner: "test", Level: events.NewestLevel},
		events.Envelope{Account: id, Command: events.NewCommandID(), At: events.At(d.now), Events: evs},
	} {
		value, err := events.EncodeEntry(entry)
		if err == nil {
			_, err = eventlog.AppendWait(testkit.Context(t), d.log, events.TopicJournal, p, eventlog.Record{Key: []byte(id), Value: value})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := d.gate.Replica.CatchUp(testkit.Context(t), p); err != nil {
		t.Fatal(err)
	}
}

// session is one that began when the desk's clock did.
func session(id events.SessionID) team.Session {
	return team.Session{Session: events.Session{ID: id}, Opened: events.At(time.Unix(1_700_000_000, 0))}
}

func developerOf(account events.AccountID) Principal {
	return Member(account, team.Member{ID: "mem_a", Role: events.RoleDeveloper}, session("ses_a"), "192.0.2.1")
}

// A member's action is sent in its name, and its changes are read before the answer.
func TestAction(t *testing.T) {
	d := newDesk(t)
	if err := d.Keys.Revoke(developerOf("acc"), "key_a"); err != nil {
		t.Fatal(err)
	}
	if want := (events.Author{Member: "mem_a", Address: "192.0.2.1", Session: "ses_a"}); d.shards.by != want || d.waits != 1 || len(d.shards.sent) != 1 {
		t.Errorf("%d commands, the last by %+v; the replica was awaited %d times", len(d.shards.sent), d.shards.by, d.waits)
	}
	if err := d.Jobs.Cancel(Program("acc"), events.NewJobID()); err != nil || d.shards.by != (events.Author{}) || d.waits != 1 {
		t.Errorf("a program's: %v, by %+v, the replica was awaited %d times", err, d.shards.by, d.waits)
	}
	if err := d.Accounts.SetPlan(Operator("acc"), events.PlanPro); err != nil || !d.shards.by.Operator || d.waits != 2 {
		t.Errorf("an operator's: %v, by %+v, the replica was awaited %d times", err, d.shards.by, d.waits)
	}
}

// An action that is refused before sending is not sent.
func TestRefusedBefore(t *testing.T) {
	billing := Member("acc", team.Member{ID: "mem_b", Role: events.RoleBilling}, session("ses_b"), "")
	for name, tc := range map[string]struct {
		do    func(d *desk) error
		code  Code
		after int64
	}{
		"not with this role": {do: func(d *desk) error { return d.Keys.Revoke(billing, "key_a") }, code: NotAllowed},
		"too many requests": {do: func(d *desk) error {
			d.rate = events.Rate{Reset: events.At(d.now.Add(7 * time.Second))}
			return d.Keys.Revoke(developerOf("acc"), "key_a")
		}, code: RateLimited, after: 7},
		"a test, too many requests": {do: func(d *desk) error {
			d.rate = events.Rate{Reset: events.At(d.now.Add(time.Second))}
			_, err := d.Webhooks.Test(developerOf("acc"), "https://example.test/", false)
			return err
		}, code: RateLimited, after: 1},
		"a test to nowhere": {do: func(d *desk) error {
			_, err := d.Webhooks.Test(developerOf("acc"), "ftp://example.test/", false)
			return err
		}, code: BadEndpoint},
		"a key without a name":   {do: func(d *desk) error { _, _, err := d.Keys.Make(developerOf("acc"), NewKey{}); return err }, code: BadKeyName},
		"a name of two lines":    {do: func(d *desk) error { _, _, err := d.Keys.Make(Operator("acc"), NewKey{Name: "a\nb"}); return err }, code: BadKeyName},
		"no reason":              {do: func(d *desk) error { return d.Accounts.Suspend(Operator("acc"), " ") }, code: BadReason},
		"a correction of nought": {do: func(d *desk) error { _, err := d.Accounts.Adjust(Operator("acc"), events.Adjustment{}); return err }, code: BadAdjustment},
		"a template of nobody":   {do: func(d *desk) error { return d.Templates.Restore(developerOf("acc"), "tpl_a", 1) }, code: events.NoSuchTemplate},
		"the default's copy":     {do: func(d *desk) error { return d.Templates.Duplicate(developerOf("acc"), "", "Copy of") }, code: events.NoSuchTemplate},
		"another's sessions":     {do: func(d *desk) error { return d.Members.SignOut(developerOf("acc"), "mem_b") }, code: NotAllowed},
		"a link for nobody":      {do: func(d *desk) error { _, err := d.Members.InviteAgain(Operator("acc"), "mem_b", ""); return err }, code: events.NoSuchMember},
		"a secret, too long after": {do: func(d *desk) error {
			d.now = d.now.Add(team.ProofTime)
			_, err := d.Webhooks.FirstSecret(developerOf("acc"))
			return err
		}, code: events.SignInOld},
		"no passkey's name":  {do: func(d *desk) error { return d.Sessions.AddPasskey(developerOf("acc"), NewPasskey{}) }, code: BadPasskeyName},
		"a wrong first code": {do: func(d *desk) error { return d.Sessions.SetFactor(developerOf("acc"), "JBSWY3DPEHPK3PXP", "000") }, code: BadCode},
	} {
		d := newDesk(t)
		err := tc.do(d)
		var r *Refusal
		if !errors.As(err, &r) || r.Code != tc.code || r.RetryAfter != tc.after || len(d.shards.sent) != 0 {
			t.Errorf("%s: %v after %d commands, want %s", name, err, len(d.shards.sent), tc.code)
		}
	}
}

// A value that is out of range is named.
func TestValuesOutOfRange(t *testing.T) {
	d := newDesk(t)
	d.shards.reply = events.Reply{Code: events.OutOfRange}
	operator := Operator("acc")
	_, opened := d.Accounts.Create(events.PlanPro, 1)
	_, rotated := d.Webhooks.RotateSecret(operator, 1, nil, false)
	_, invited := d.Members.Invite(operator, "nobody", events.RoleOwner, "")
	_, given := d.Members.Invite(operator, "ada@example.com", "admin", "")
	for name, tc := range map[string]struct {
		err  error
		code Code
	}{
		"a new account's anchor": {opened, BadAnchor},
		"an anchor":              {d.Accounts.MoveAnchor(operator, 1), BadAnchor},
		"a limit":                {d.Accounts.LimitFiles(operator, 1<<40), BadFileLimit},
		"blocks":                 {d.Accounts.SetBlocks(operator, 1<<40), BadBlocks},
		"an overlap":             {rotated, BadOverlap},
		"an address":             {invited, BadEmail},
		"a new member's role":    {given, BadRole},
		"a role":                 {d.Members.ChangeRole(operator, "mem_a", "admin"), BadRole},
		"what nobody types":      {d.Keys.Revoke(operator, "key_a"), events.OutOfRange},
	} {
		if CodeOf(tc.err) != tc.code {
			t.Errorf("%s: %v, want %s", name, tc.err, tc.code)
		}
	}
}

// A refusing reply says why, an action may make it more precise, and no reply means that the outcome is unknown.
func TestAnswers(t *testing.T) {
	d := newDesk(t)
	d.shards.reply = events.Reply{Code: events.SignInDelayed, RetryAfter: 15}
	var r *Refusal
	if err := d.Keys.Revoke(developerOf("acc"), "key_a"); !errors.As(err, &r) || r.Code != events.SignInDelayed || r.RetryAfter != 15 || d.waits != 0 {
		t.Errorf("refused: %v; the replica was awaited %d times", err, d.waits)
	}
	d.shards.reply = events.Reply{Code: events.AlreadyExists}
	if _, _, err := d.Keys.Make(developerOf("acc"), NewKey{Name: "Shop"}); CodeOf(err) != KeyMade {
		t.Errorf("a key that exists: %v", err)
	}
	if err := d.Accounts.SetPlan(Operator("acc"), events.PlanPro); CodeOf(err) != events.AlreadyExists {
		t.Errorf("what is no key's: %v", err)
	}
	d.shards.err = errors.New("no leader")
	if err := d.Keys.Revoke(developerOf("acc"), "key_a"); !errors.Is(err, ErrUnavailable) || CodeOf(err) != "" || !Behind(err) {
		t.Errorf("no reply: %v", err)
	}
	d.shards.err = fmt.Errorf("nothing was sent: %w", events.ErrUnreadable)
	if err := d.Keys.Revoke(developerOf("acc"), "key_a"); errors.Is(err, ErrUnavailable) || CodeOf(err) != NotText || !errors.Is(err, events.ErrUnreadable) {
		t.Errorf("what no node could read: %v", err)
	}
}

// An unknown address writes nothing to the log, takes as long to refuse as any, and keeps no member waiting for its hash.
func TestNobodySignsIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		var all sync.WaitGroup
		for range 3 * (hashesAtOnce + hashesWaiting) {
			all.Go(func() {
				begun := time.Now()
				if _, err := d.Sessions.Match("", "ada@example.com", "correct horse battery"); CodeOf(err) != NoMatch {
					t.Errorf("signed in: %v", err)
				}
				if took := time.Since(begun); took != wrongTime {
					t.Errorf("refused after %s", took)
				}
			})
		}
		all.Wait()
		if len(d.shards.sent) != 0 {
			t.Errorf("sent %v", d.shards.sent)
		}
	})
}

// One wait serves all who ask at once; a caller that joins it waits for the next, too.
func TestFreshness(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	waits := 0
	f := NewFreshness(2, func(context.Context, int32) error {
		waits++
		begun <- struct{}{}
		<-goOn
		return nil
	})
	done := make(chan error)
	go func() { done <- f.Partition(1) }()
	<-begun
	close(goOn)
	if err := <-done; err != nil || waits != 1 {
		t.Errorf("%v after %d waits", err, waits)
	}
	broken := NewFreshness(2, func(context.Context, int32) error { return errors.New("no log") })
	for name, err := range map[string]error{"an account": broken.Account("acc"), "all": broken.All()} {
		if !errors.Is(err, ErrBehind) || !Behind(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A node that may not know how far an account's owner has moved its window on books nothing.
func TestResetWindowReadsFirst(t *testing.T) {
	d := newDesk(t)
	d.behind = errors.New("cut off")
	charged := func(events.Instant) (units, bytes int64, err error) { return 0, 0, nil }
	if err := d.Accounts.ResetWindow(Operator("acc"), charged); !errors.Is(err, ErrBehind) || len(d.shards.sent) > 0 {
		t.Errorf("%v, and %d commands were sent", err, len(d.shards.sent))
	}
	d.behind = nil
	if err := d.Accounts.ResetWindow(Operator("acc"), charged); err != nil || len(d.shards.sent) != 1 {
		t.Errorf("%v, and %d commands were sent", err, len(d.shards.sent))
	}
}

// Of the jobs that are running, those of the window to which the account returns hold their units again.
func TestResetWindowCountsRunning(t *testing.T) {
	d := newDesk(t)
	present, ahead := events.At(d.now), events.At(d.now.AddDate(0, 3, 0))
	queued := func(job byte, window events.Instant) []events.Event {
		return []events.Event{events.QuotaReserved{Job: events.JobID{job}, Window: window}, events.JobQueued{Job: events.JobID{job}, Window: window}}
	}
	d.happened(t, "acc", slices.Concat(
		[]events.Event{events.AccountCreated{Plan: events.PlanFree, Anchor: present}}, queued(1, present), queued(2, present), queued(3, ahead),
		[]events.Event{events.JobFailed{Job: events.JobID{2}}, events.QuotaReleased{Job: events.JobID{2}, Window: present}},
	)...)
	charged := func(events.Instant) (units, bytes int64, err error) { return 7, 700, nil }
	err := d.Accounts.ResetWindow(Operator("acc"), charged)
	want := events.ResetWindow{Window: present, Units: 7, Bytes: 700, Reserved: 1}
	if err != nil || len(d.shards.sent) != 1 || d.shards.sent[0] != events.CommandBody(want) {
		t.Errorf("%v; sent %v, want %v", err, d.shards.sent, want)
	}
}
