package job

import (
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/contract"
)

// notified is a job that is done, with a webhook.
func notified() State {
	s := Evolve(State{}, "acc", events.JobQueued{Job: theJob, Webhook: events.Sealed{1}}, 0)
	return Evolve(s, "acc", events.JobFailed{Job: theJob}, 1000)
}

var theJob = events.JobID{7}

// attempt reports one attempt and returns the state after it, and the event.
func attempt(t *testing.T, s State, a events.WebhookAttempt, retryAfter int64, now events.Instant) (State, events.WebhookAttempted) {
	t.Helper()
	evs := Decide(s, events.Command{At: now, Body: events.ReportWebhook{Job: theJob, WebhookAttempt: a, RetryAfter: retryAfter}}, 0)
	if len(evs) != 1 {
		t.Fatalf("attempt %d: %d events, want 1", a.Number, len(evs))
	}
	return Evolve(s, "acc", evs[0], now), evs[0].(events.WebhookAttempted)
}

// wakened is the state after WakeJob at an instant.
func wakened(s State, now events.Instant) State {
	for _, ev := range Decide(s, events.Command{At: now, Body: events.WakeJob{Job: theJob}}, 0) {
		s = Evolve(s, "acc", ev, now)
	}
	return s
}

// If the receiver always fails, ten attempts are made within the schedule, then no more.
func TestSchedule(t *testing.T) {
	s, now := notified(), events.Instant(1000)
	for i, pause := range contract.WebhookPauses() {
		if i > 0 {
			wait := time.Duration(s.Notice.Due-now) * time.Millisecond
			if wait < pause*9/10 || wait > pause*11/10 {
				t.Errorf("the pause before attempt %d is %s, want %s ± 10 %%", i+1, wait, pause)
			}
			if early := wakened(s, s.Notice.Due-1); len(Pending(theJob, early)) > 0 {
				t.Errorf("attempt %d begins early", i+1)
			}
			now = s.Notice.Due
			s = wakened(s, now)
		}
		pending := Pending(theJob, s)
		if len(pending) != 1 || pending[0] != (Notify{Account: "acc", Job: theJob, Number: i + 1}) {
			t.Fatalf("attempt %d: pending %+v", i+1, pending)
		}
		s, _ = attempt(t, s, events.WebhookAttempt{Number: i + 1, Status: 500}, 0, now)
	}
	if s.Notice.Stage != NoNotice || s.Notice.Due != 0 {
		t.Errorf("after the last attempt: %+v", s.Notice)
	}
}

// The receiver's answer determines what follows an attempt.
func TestReport(t *testing.T) {
	const second = 1000
	for name, c := range map[string]struct {
		status     int
		retryAfter int64
		outcome    events.WebhookOutcome
		least      events.Instant // of the pause
	}{
		"the first success":           {200, 0, events.WebhookDelivered, 0},
		"the last success":            {299, 0, events.WebhookDelivered, 0},
		"an informational status":     {199, 0, "", 4500},
		"a redirect":                  {302, 0, "", 4500},
		"gone":                        {410, 99, events.WebhookGivenUp, 0},
		"no response":                 {0, 99, "", 4500},
		"busy, and says for how long": {503, 120, "", 120 * second},
		"too many, says for how long": {429, 86_400, "", 86_400 * second},
		"busy for too long":           {503, 86_401, "", 86_400 * second},
		"busy for less than planned":  {503, 1, "", 4500},
		"not its business":            {500, 120, "", 4500},
	} {
		s, ev := attempt(t, notified(), events.WebhookAttempt{Number: 1, Status: c.status}, c.retryAfter, 5000)
		pause := ev.Next - 5000
		if ev.Outcome != c.outcome || c.outcome == "" && (pause < c.least || pause > max(c.least, 5500)) {
			t.Errorf("%s: outcome %q, pause %d", name, ev.Outcome, pause)
		}
		if (s.Notice.Stage == NoNotice) != (c.outcome != "") {
			t.Errorf("%s: stage %d", name, s.Notice.Stage)
		}
	}
}

// Reports that come twice, late or early change nothing.
func TestReportTwice(t *testing.T) {
	s, _ := attempt(t, notified(), events.WebhookAttempt{Number: 1}, 0, 5000)
	ready := wakened(s, s.Notice.Due)
	for name, c := range map[string]struct {
		s      State
		number int
	}{"again": {s, 1}, "of the one before": {ready, 1}, "of the one after": {ready, 3}, "of a job without a webhook": {State{Phase: Failed}, 1}} {
		evs := Decide(c.s, events.Command{Body: events.ReportWebhook{Job: theJob, WebhookAttempt: events.WebhookAttempt{Number: c.number, Status: 200}}}, 0)
		if len(evs) > 0 {
			t.Errorf("%s: %+v", name, evs)
		}
	}
}

// A redelivery restarts the schedule and keeps counting. It changes nothing if one is already under
// way, or there is nothing to send.
func TestRedeliver(t *testing.T) {
	done, _ := attempt(t, notified(), events.WebhookAttempt{Number: 1, Status: 200}, 0, 5000)
	waits, _ := attempt(t, notified(), events.WebhookAttempt{Number: 1, Status: 500}, 0, 5000)
	for name, c := range map[string]struct {
		s    State
		want int // the number of the attempt; 0 for none
		code events.ReplyCode
	}{
		"delivered":         {done, 2, events.Accepted},
		"between attempts":  {waits, 2, events.Accepted},
		"under way":         {notified(), 0, events.Accepted},
		"without a webhook": {State{Phase: Failed}, 0, events.NoWebhook},
		"not ended":         {State{Phase: Queued, Notice: Notice{URL: events.Sealed{1}}}, 0, events.NotEnded},
		"unknown":           {State{}, 0, events.NoWebhook},
	} {
		evs, reply := Redeliver(c.s, events.RedeliverWebhook{Job: theJob})
		if (len(evs) == 1) != (c.want > 0) || reply.Code != c.code {
			t.Fatalf("%s: %+v %+v", name, evs, reply)
		}
		if c.want == 0 {
			continue
		}
		s := Evolve(c.s, "acc", evs[0], 9000)
		if pending := Pending(theJob, s); len(pending) != 1 || pending[0].(Notify).Number != c.want || s.Notice.Failed != 0 {
			t.Errorf("%s: pending %+v of %+v", name, pending, s.Notice)
		}
	}
}

// A job wakes for the first of two instants, or for both at once.
func TestWakeOfTwo(t *testing.T) {
	s := State{Phase: Failed, Due: 100, Notice: Notice{URL: events.Sealed{1}, Stage: NoticeWaits, Due: 50}}
	if s.Wake() != 50 || (State{Due: 100}).Wake() != 100 || (State{Notice: Notice{Due: 50}}).Wake() != 50 || (State{}).Wake() != 0 {
		t.Errorf("wakes at %d", s.Wake())
	}
	if s := wakened(s, 50); s.Notice.Stage != NoticeReady || s.Wake() != 100 {
		t.Errorf("after the first: %+v", s)
	}
	if s := wakened(s, 100); s.Phase != Absent {
		t.Errorf("after both: %+v", s)
	}
}
