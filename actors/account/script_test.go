package account

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/projections"
	"platen.dev/projections/table"
)

// script is one account: each command is decided, its events are printed, and they are
// committed at once unless the script holds them back.
type script struct {
	t         *testing.T
	now       time.Time
	store     table.Memory
	aggregate *Aggregate
	cause     int64
	held      []events.Envelope
	holding   bool
}

// TestScripts runs the scripts in testdata: a command, then the events, the reply (->) and the
// effects (!) that follow. -rewrite writes what it gets; review the diff.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := &script{t: t, now: time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC), store: table.Memory{}}
		s.aggregate = s.newAggregate()
		datadriven.RunTest(t, path, s.run)
	})
}

func (s *script) newAggregate() *Aggregate {
	return NewAggregate("acc", ReplicaStore{Reader: s.store}, LimitsOf)
}

func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "clock":
		at, err := time.Parse(time.RFC3339, d.CmdArgs[0].Key)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		s.now = at
		return ""
	case "pass":
		d, err := time.ParseDuration(d.CmdArgs[0].Key)
		if err != nil {
			t.Fatal(err)
		}
		s.now = s.now.Add(d)
		return ""
	case "tests":
		return s.tests(d)
	case "hold":
		s.holding = true
		return ""
	case "commit":
		s.holding = false
		s.commit()
		return ""
	case "restart":
		s.aggregate = s.newAggregate()
		return s.pending()
	case "state":
		st, err := s.aggregate.State()
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		return fmt.Sprintf("plan=%s running=%d reserved=%d used=%d bytes=%d window=%s\n",
			st.Plan, st.Running, st.Reserved, st.Used, st.Bytes, st.Window.Time().Format(time.RFC3339))
	case "due":
		refs, err := Due(s.store, 0, events.At(s.now), 10)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		return fmt.Sprintf("%d due\n", len(refs))
	}
	return s.decide(d)
}

// tests submits test jobs, with a pause after each, and counts the replies.
func (s *script) tests(d *datadriven.TestData) string {
	count, first := intArg(s.t, d, "count"), intArg(s.t, d, "from")
	pause, err := time.ParseDuration(textArg(s.t, d, "every"))
	if err != nil {
		s.t.Fatal(err)
	}
	replies := map[events.ReplyCode]int{}
	for i := range count {
		c := events.Command{ID: events.NewCommandID(), Account: "acc", At: events.At(s.now), Body: events.SubmitJob{
			Job: events.JobID{1, byte(i), byte(i >> 8), byte(first)}, Key: "k", Operation: events.HTMLToPDF, Test: true,
		}}
		decision, err := s.aggregate.Decide(s.cause, c)
		if err != nil {
			s.t.Fatal(err)
		}
		s.held = append(s.held, events.Envelope{Cause: s.cause, Command: c.ID, Account: "acc", At: c.At, Reply: decision.Reply, Events: decision.Events})
		s.cause++
		s.commit()
		replies[decision.Reply.Code]++
		s.now = s.now.Add(pause)
	}
	return fmt.Sprintf("%d accepted, %d refused\n", replies[events.Accepted], replies[events.TestLimit])
}

// pending returns the work of a new owner.
func (s *script) pending() string {
	var b strings.Builder
	open, err := Unsettled(s.store, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, j := range open {
		fmt.Fprintf(&b, "phase %d", j.State.Phase)
		for _, e := range job.Pending(j.ID, j.State) {
			fmt.Fprintf(&b, " ! %T", e)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (s *script) decide(d *datadriven.TestData) string {
	c := events.Command{ID: events.NewCommandID(), Account: "acc", At: events.At(s.now), Body: s.body(d), By: events.Author{Member: events.MemberID(textArg(s.t, d, "member")), Operator: d.HasArg("operator")}}
	if d.HasArg("id") {
		c.ID = events.CommandID{byte(intArg(s.t, d, "id"))}
	}
	decision, err := s.aggregate.Decide(s.cause, c)
	if err != nil {
		d.Fatalf(s.t, "%v", err)
	}
	s.held = append(s.held, events.Envelope{Cause: s.cause, Command: c.ID, Account: "acc", At: c.At, Reply: decision.Reply, Events: decision.Events})
	s.cause++
	if !s.holding {
		s.commit()
	}
	return show(decision)
}

func (s *script) commit() {
	tx := table.NewTx(s.store)
	for _, e := range s.held {
		States{}.Apply(tx, 0, e)
		projections.ReadModels{}.Apply(tx, 0, e)
	}
	if err := tx.Flush(s.store); err != nil {
		s.t.Fatal(err)
	}
	for _, e := range s.held {
		s.aggregate.Committed(e.Cause)
	}
	s.held = nil
}

func show(d Decision) string {
	var b strings.Builder
	for _, ev := range d.Events {
		fmt.Fprintln(&b, describe(ev))
	}
	if d.Reply != nil {
		fmt.Fprintf(&b, "-> %s", d.Reply.Code)
		if d.Reply.Job != nil {
			fmt.Fprintf(&b, " job=%d", d.Reply.Job[0])
		}
		if d.Reply.RetryAfter > 0 {
			fmt.Fprintf(&b, " retry after %ds", d.Reply.RetryAfter)
		}
		b.WriteString("\n")
	}
	for _, e := range d.Begin {
		fmt.Fprintf(&b, "! %s\n", strings.TrimPrefix(fmt.Sprintf("%T", e), "job."))
	}
	if b.Len() == 0 {
		return "nothing\n"
	}
	return b.String()
}

// describe returns an event with the fields that the scripts check.
func describe(ev events.Event) string {
	name := strings.TrimPrefix(fmt.Sprintf("%T", ev), "events.")
	at := func(i events.Instant) string { return i.Time().Format("2006-01-02T15:04:05.000") }
	switch e := ev.(type) {
	case events.QuotaReserved:
		return name + " window=" + at(e.Window)
	case events.QuotaDebited:
		return fmt.Sprintf("%s window=%s bytes=%d", name, at(e.Window), e.Bytes)
	case events.QuotaReleased:
		return name + " window=" + at(e.Window)
	case events.RenderStarted:
		return fmt.Sprintf("%s attempt=%d deadline=%s", name, e.Attempt, at(e.Deadline))
	case events.RenderRequeued:
		return fmt.Sprintf("%s not before %s lost=%t", name, at(e.NotBefore), e.Lost)
	case events.RenderDiscarded:
		return name + " " + e.Name
	case events.JobDone:
		return name + " expires=" + at(e.Expires)
	case events.DownloadBegun:
		return fmt.Sprintf("%s n=%d until %s", name, e.Download, at(e.Until))
	case events.DownloadRenewed:
		return fmt.Sprintf("%s n=%d until %s", name, e.Download, at(e.Until))
	case events.JobQueued:
		if e.MaxFile > 0 {
			return fmt.Sprintf("%s max=%d", name, e.MaxFile)
		}
	case events.JobFailed:
		return name + " " + string(e.Code)
	}
	return name
}

func intArg(t *testing.T, d *datadriven.TestData, name string) (n int64) {
	if d.HasArg(name) {
		d.ScanArgs(t, name, &n)
	}
	return n
}

func textArg(t *testing.T, d *datadriven.TestData, name string) (s string) {
	if d.HasArg(name) {
		d.ScanArgs(t, name, &s)
	}
	return s
}

// instant returns the time "at", or another one without it.
func (s *script) instant(d *datadriven.TestData, other time.Time) events.Instant {
	text := textArg(s.t, d, "at")
	if text == "" {
		return events.At(other)
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		d.Fatalf(s.t, "%v", err)
	}
	return events.At(at)
}

// body returns the command that a line of the script stands for.
func (s *script) body(d *datadriven.TestData) events.CommandBody {
	id := events.JobID{byte(intArg(s.t, d, "job"))}
	attempt := events.AttemptID(intArg(s.t, d, "attempt"))
	file := events.File{Name: textArg(s.t, d, "file"), Size: intArg(s.t, d, "size"), Pages: 1}
	switch d.Cmd {
	case "submit":
		return s.submit(d, id)
	case "download":
		return events.BeginDownload{Job: id, Download: events.DownloadID(intArg(s.t, d, "n"))}
	case "renew":
		return events.RenewDownload{Job: id, Download: events.DownloadID(intArg(s.t, d, "n"))}
	case "end":
		return events.EndDownload{Job: id, Download: events.DownloadID(intArg(s.t, d, "n"))}
	case "start":
		return events.StartRender{Job: id, Attempt: attempt, Node: "n"}
	case "finish":
		return events.FinishRender{Job: id, Attempt: attempt, File: file}
	case "fail":
		return events.FailRender{Job: id, Attempt: attempt, Code: events.RenderFailed, Retryable: d.HasArg("retryable"), Infrastructure: d.HasArg("infrastructure")}
	case "lose":
		return events.LoseRender{Job: id, Attempt: attempt}
	case "wake":
		return events.WakeJob{Job: id}
	case "forget":
		return events.ForgetFile{Job: id, Name: file.Name}
	}
	return s.accountBody(d)
}

func (s *script) submit(d *datadriven.TestData, id events.JobID) events.SubmitJob {
	key := textArg(s.t, d, "key")
	if key == "" {
		key = "k"
	}
	submit := events.SubmitJob{Job: id, Key: events.KeyID(key), Operation: events.HTMLToPDF, Test: d.HasArg("test"), Requires: events.Plan(textArg(s.t, d, "requires"))}
	if d.HasArg("idempotency") {
		submit.Idempotency = &events.Idempotency{Key: textArg(s.t, d, "idempotency"), Fingerprint: [32]byte{byte(intArg(s.t, d, "print"))}}
	}
	return submit
}

// accountBody returns a command about the account itself.
func (s *script) accountBody(d *datadriven.TestData) events.CommandBody {
	switch d.Cmd {
	case "create":
		return events.CreateAccount{Plan: events.Plan(textArg(s.t, d, "plan")), Anchor: s.instant(d, s.now)}
	case "plan":
		return events.ChangePlan{Plan: events.Plan(textArg(s.t, d, "plan"))}
	case "issue":
		return events.IssueKey{Key: events.Key{ID: events.KeyID(textArg(s.t, d, "key")), Hash: [32]byte{byte(intArg(s.t, d, "hash"))}}}
	case "revoke":
		return events.RevokeKey{Key: events.KeyID(textArg(s.t, d, "key"))}
	case "anchor":
		return events.MoveAnchor{Anchor: s.instant(d, time.Time{})}
	case "adjust":
		return events.AdjustUsage{Adjustment: events.Adjustment{
			Entry: "adj_1", Kind: events.AdjustmentKind(textArg(s.t, d, "kind")), Units: intArg(s.t, d, "units"), Bytes: intArg(s.t, d, "bytes"), Reason: "a reason",
		}}
	case "suspend":
		return events.SuspendAccount{Reason: textArg(s.t, d, "reason")}
	case "resume":
		return events.ResumeAccount{}
	case "reset-window":
		return events.ResetWindow{Window: s.instant(d, time.Time{}), Units: intArg(s.t, d, "units"), Bytes: intArg(s.t, d, "bytes"), Reserved: intArg(s.t, d, "reserved")}
	case "limit-files":
		return events.LimitFiles{Bytes: intArg(s.t, d, "bytes")}
	case "put-template":
		return events.PutTemplate{Template: events.TemplateID(textArg(s.t, d, "template")), Body: make([]byte, intArg(s.t, d, "bytes"))}
	case "delete-template":
		return events.DeleteTemplate{Template: events.TemplateID(textArg(s.t, d, "template"))}
	case "default-template":
		return events.SetDefaultTemplate{Template: events.TemplateID(textArg(s.t, d, "template"))}
	case "blocks":
		return events.SetVolumeBlocks{Blocks: intArg(s.t, d, "n")}
	case "rotate-secret":
		return events.RotateWebhookSecret{Secret: make([]byte, 1), Overlap: intArg(s.t, d, "overlap"), Ends: d.HasArg("ends")}
	case "note-key":
		return events.NoteKeyUse{Key: events.KeyID(textArg(s.t, d, "key"))}
	}
	d.Fatalf(s.t, "unknown command %s", d.Cmd)
	return nil
}
