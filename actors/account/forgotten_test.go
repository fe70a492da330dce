package account

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/projections"
	"platen.dev/projections/table"
)

// service is one account whose commands are decided and folded at once, and whose effects are performed.
type service struct {
	t         *testing.T
	now       time.Time
	rows      table.Memory
	aggregate *Aggregate
	cause     int64
	ids       uint64
}

func newService(t *testing.T) *service {
	s := &service{t: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), rows: table.Memory{}}
	s.aggregate = NewAggregate("acc", ReplicaStore{Reader: s.rows}, LimitsOf)
	s.do(events.CreateAccount{Plan: events.PlanBusiness, Anchor: events.At(s.now)})
	s.do(events.IssueKey{Key: events.Key{ID: "key_1", Hash: [32]byte{1}}})
	return s
}

// do has a command decided, and performs what follows.
func (s *service) do(body events.CommandBody) {
	s.t.Helper()
	c := events.NewCommand("acc", s.now, body)
	d, err := s.aggregate.Decide(s.cause, c)
	if err != nil {
		s.t.Fatal(err)
	}
	if d.Reply != nil && d.Reply.Code != events.Accepted {
		s.t.Fatalf("%s: %+v", body, d.Reply)
	}
	s.fold(events.Envelope{Cause: s.cause, Command: c.ID, Account: "acc", At: c.At, Reply: d.Reply, Events: d.Events})
	s.aggregate.Committed(s.cause - 1)
	for _, e := range d.Begin {
		s.perform(e)
	}
}

func (s *service) fold(e events.Envelope) {
	s.t.Helper()
	s.cause++
	tx := table.NewTx(s.rows)
	States{}.Apply(tx, 0, e)
	projections.ReadModels{}.Apply(tx, 0, e)
	if err := tx.Flush(s.rows); err != nil {
		s.t.Fatal(err)
	}
}

// perform performs an effect. The kind of a job is in its id: whether it fails, and how.
func (s *service) perform(e job.Effect) {
	s.t.Helper()
	id := e.Key().Job
	switch e := e.(type) {
	case job.Render:
		s.ids++
		attempt := events.AttemptID(s.ids)
		s.do(events.StartRender{Job: id, Attempt: attempt, Node: "n1"})
		if id[0] == failing {
			s.do(events.FailRender{Job: id, Attempt: attempt, Code: events.RenderFailed, Retryable: true})
			return
		}
		if id[0] != cancelled {
			s.do(events.FinishRender{Job: id, Attempt: attempt, File: events.File{Name: fmt.Sprint(attempt), Size: 10}})
		}
	case job.DeleteFile:
		if e.Report {
			s.do(events.ForgetFile{Job: id, Name: e.Name})
		}
	case job.Notify:
		status := 200
		if id[0] == unreachable {
			status = 500
		}
		s.do(events.ReportWebhook{Job: id, WebhookAttempt: events.WebhookAttempt{Number: e.Number, Status: status}})
	case job.Deliver:
		status := 200
		if id[0] == undelivered {
			status = 403
		}
		s.do(events.ReportUpload{Job: id, UploadAttempt: events.UploadAttempt{Number: e.Number, Status: status}})
	}
}

// The kinds of jobs.
const (
	plain byte = iota + 1
	failing
	cancelled
	unreachable // the receiver of its webhook
	delivered
	undelivered
	downloaded
	tested
	kinds
)

// submit submits a job of a kind, and acts as its caller would.
func (s *service) submit(kind byte) {
	s.t.Helper()
	s.ids++
	var id events.JobID
	id[0] = kind
	binary.BigEndian.PutUint64(id[8:], s.ids)
	s.do(events.SubmitJob{
		Job: id, Key: "key_1", Operation: events.HTMLToPDF, Test: kind == tested, Webhook: events.Sealed("https://example.com"),
		Idempotency: &events.Idempotency{Key: id.String(), Fingerprint: [32]byte{1}}, Summary: events.ContentSummary{Delivered: kind == delivered || kind == undelivered},
	})
	switch kind {
	case cancelled:
		s.do(events.CancelJob{Job: id, Forget: s.ids%2 == 0})
	case downloaded:
		for range contract.MaxDownloads {
			s.ids++
			s.do(events.BeginDownload{Job: id, Download: events.DownloadID(s.ids)})
			s.do(events.EndDownload{Job: id, Download: events.DownloadID(s.ids)})
		}
	}
}

// pass lets time pass, and wakes what is due.
func (s *service) pass(d time.Duration) {
	s.t.Helper()
	for end := s.now.Add(d); s.now.Before(end); s.now = s.now.Add(time.Hour) {
		for range 100 {
			ready, err := Due(s.rows, 0, events.At(s.now), 1000)
			if err != nil {
				s.t.Fatal(err)
			}
			if len(ready) == 0 {
				break
			}
			for _, r := range ready {
				s.do(events.WakeJob{Job: r.Job})
			}
		}
	}
}

// left returns the remaining rows of jobs: all but those of the account, and the replies, which are
// kept for a number of commands.
func (s *service) left() (keys []string) {
	for key := range s.rows {
		if !strings.ContainsRune("Aakrs", rune(key[0])) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// Whatever happens to a job, nothing is left of it 30 days after its end: so the number of rows stays
// constant over months, and in the end there are none.
func TestJobsAreForgotten(t *testing.T) {
	s := newService(t)
	var counts []int
	for day := range 150 {
		for kind := plain; kind < kinds; kind++ {
			s.submit(kind)
		}
		s.pass(24 * time.Hour)
		if day%30 == 29 {
			counts = append(counts, len(s.left()))
		}
	}
	if counts[0] < 30*int(kinds) || counts[2] != counts[3] || counts[3] != counts[4] {
		t.Errorf("rows at the ends of the months: %d", counts)
	}
	s.pass(contract.StatusLife - 24*time.Hour - time.Minute)
	if len(s.left()) == 0 {
		t.Error("the last jobs were forgotten too early")
	}
	s.pass(4 * 24 * time.Hour) // files and webhooks have taken their time
	if left := s.left(); len(left) > 0 {
		t.Errorf("%d rows are left, the first is %q", len(left), left[0])
	}
}

// Replies and their index are forgotten once ReplyWindow further commands have followed.
func TestRepliesAreForgotten(t *testing.T) {
	s := newService(t)
	for range 100 {
		s.submit(plain)
	}
	for range table.ReplyWindow {
		s.fold(events.Envelope{Cause: s.cause, Account: "acc", At: events.At(s.now)})
	}
	for key := range s.rows {
		if key[0] == 'r' || key[0] == 's' {
			t.Fatalf("the row %q is left", key)
		}
	}
}
