package edge

import (
	"errors"
	"strings"
	"testing"
	"time"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard"
	"platen.dev/edge/request"
	"platen.dev/events"
	"platen.dev/events/team"
	"platen.dev/events/testkit"
)

// unserved is a server over fakes that nobody sends requests to.
func unserved() *fixture {
	cfg, d := fakeConfig(testkit.Silent())
	cfg.Documents = refusableDocuments
	d.server = newServer(cfg, defaultTimeouts)
	return d
}

// tryOut submits a member's job, whose command gets a reply or an error.
func tryOut(d *fixture, m dashboard.Submission, reply events.Reply, err error) (id events.JobID, refused *dashboard.Refusal, sent []events.Submission) {
	m.By, m.Operation = service.Member("acc", team.Member{ID: "mem_a", Role: events.RoleDeveloper}, team.Session{Session: events.Session{ID: "ses_a"}}, "192.0.2.1"), request.Operations()[1]
	d.reply, d.err, d.plan = reply, err, events.PlanFree
	id, refused = memberJobs{d.server.submissions}.Submit(m)
	for _, body := range d.commands {
		sent = append(sent, body.(events.Submission))
	}
	d.commands = nil
	return id, refused, sent
}

// A member's job differs from a program's only in its author: the member in place of a key.
func TestMembersJob(t *testing.T) {
	d := unserved()
	id, refused, sent := tryOut(d, dashboard.Submission{Body: []byte(`{"html":"<p>x</p>"}`), Once: "a"}, events.Reply{Code: events.Accepted}, nil)
	if refused != nil || len(sent) != 1 || d.by != (events.Author{Member: "mem_a", Address: "192.0.2.1", Session: "ses_a"}) {
		t.Fatalf("%+v, %d sent, by %+v", refused, len(sent), d.by)
	}
	job := sent[0]
	if job.Job != id || job.Key != events.DashboardKey || job.Waits || job.Content.HTML != "<p>x</p>" || job.Idempotency == nil || !strings.HasPrefix(job.Idempotency.Key, "dashboard:") {
		t.Errorf("%+v", job)
	}
	earlier := events.NewJobID()
	if again, _, sent := tryOut(d, dashboard.Submission{Body: []byte(`{"html":"<p>x</p>"}`), Once: "a"}, events.Reply{Code: events.Replayed, Job: &earlier}, nil); again != earlier || *sent[0].Idempotency != *job.Idempotency {
		t.Errorf("sent twice: %s, %+v", again, sent[0].Idempotency)
	}
}

// A member's job is refused for the same reasons as a program's; foreseeable refusals need no command.
func TestMembersJobRefused(t *testing.T) {
	fine := dashboard.Submission{Body: []byte(`{"html":"<p>x</p>"}`)}
	for name, c := range map[string]struct {
		m       dashboard.Submission
		reply   events.ReplyCode
		err     error
		prepare func(*fixture)
		status  int
		sent    int
	}{
		"too many requests":     {m: fine, prepare: func(d *fixture) { d.rate.Allowed = false }, status: 429},
		"a wrong body":          {m: dashboard.Submission{Body: []byte(`{}`)}, status: 422},
		"a larger plan":         {m: dashboard.Submission{Body: []byte(`{"html":"x","options":{"watermark":{"text":"x"}}}`)}, status: 402},
		"an unreadable account": {m: fine, prepare: func(d *fixture) { d.noAccount = errors.New("no disk") }, status: 503},
		"no room":               {m: fine, prepare: func(d *fixture) { d.room = errors.New("full") }, status: 503},
		"foreseen":              {m: fine, prepare: func(d *fixture) { d.foresee = []events.Reply{{Code: events.TestLimit}, {Code: events.TestLimit}} }, status: 429},
		"the quota":             {m: fine, reply: events.QuotaExceeded, status: 402, sent: 1},
		"no reply":              {m: fine, err: errors.New("closed"), status: 503, sent: 1},
		"another under the id":  {m: fine, reply: events.KeyReused, status: 422, sent: 1},
	} {
		d := unserved()
		if c.prepare != nil {
			c.prepare(d)
		}
		_, refused, sent := tryOut(d, c.m, events.Reply{Code: c.reply}, c.err)
		if refused == nil || refused.Status != c.status || len(sent) != c.sent {
			t.Errorf("%s: %+v, %d sent", name, refused, len(sent))
		}
		if refused != nil && strings.Contains(refused.Detail, "API key") {
			t.Errorf("%s: a member is asked for a key: %s", name, refused.Detail)
		}
	}
}

// A refusal makes the account rest, whether a member or a program caused it: neither can send the next request at once.
func TestMembersRefusalsRest(t *testing.T) {
	body := []byte(`{"html":"` + strings.Repeat("x", 4<<20) + `","unknown":1}`)
	for name, refuse := range map[string]func(*fixture){
		"check": func(d *fixture) { memberJobs{d.server.submissions}.Check("acc", request.Operations()[1], body) },
		"run":   func(d *fixture) { tryOut(d, dashboard.Submission{Body: body}, events.Reply{}, nil) },
	} {
		took := func(d *fixture) time.Duration {
			begun := time.Now()
			refuse(d)
			return time.Since(begun)
		}
		d, work := unserved(), time.Hour
		for range 5 { // the least is close to the work itself; a busy machine only adds to it
			d = unserved()
			work = min(work, took(d))
		}
		if again := took(d); again < min(3*work, time.Second/2) { // it rests nine times as long, at most a second
			t.Errorf("%s: refused after %s, and again after %s", name, work, again)
		}
	}
}
