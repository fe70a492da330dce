package account

import (
	"platen.dev/actors/job"
	"platen.dev/events"
)

// Compose decides one command about an account and the job that it names. earlier is the
// accepted request with the idempotency key of a submission, or of the job to be cancelled.
func Compose(s State, j job.State, earlier AcceptedRequest, c events.Command, cause int64, limits LimitsFunc) Decision {
	switch b := c.Body.(type) {
	case events.SubmitJob:
		return composeSubmit(s, j, earlier, b, c, cause, limits)
	case events.CancelJob:
		return composeCancel(j, earlier, b)
	case events.RedeliverWebhook:
		evs, reply := job.Redeliver(j, b)
		return Decision{Events: evs, Reply: &reply}
	case events.BeginDownload:
		evs, reply := job.BeginDownload(j, b, c.At)
		return Decision{Events: evs, Reply: &reply}
	}
	if !proved(s.Team, c) && s.Exists() {
		return Decision{Reply: &events.Reply{Code: events.SignInOld}}
	}
	if _, ok := events.Target(c.Body); !ok {
		evs, reply := Decide(s, c.Body, c.At)
		return Decision{Events: evs, Reply: &reply}
	}
	evs := job.Decide(j, c, cause)
	return Decision{Events: append(evs, settle(j, evs)...)}
}

// composeSubmit makes the checks in the order of docs/API.md, Submitting.
func composeSubmit(s State, j job.State, earlier AcceptedRequest, b events.SubmitJob, c events.Command, cause int64, limits LimitsFunc) Decision {
	if b.Key == events.DashboardKey && c.By.Member == "" {
		return Decision{Reply: &events.Reply{Code: events.NoSuchKey}}
	}
	if reply, ok := entitled(s, b); !ok {
		return Decision{Reply: &reply}
	}
	if reply, ok := earlier.replay(b.Idempotency, c.At); ok {
		return Decision{Reply: &reply}
	}
	evs := job.Decide(j, c, cause)
	if len(evs) == 0 {
		return Decision{Reply: &events.Reply{Code: events.AlreadyExists}}
	}
	queued := evs[0].(events.JobQueued)
	queued.MaxFile = s.MaxFile
	admitted, reply := admit(s, b, c.At, limits)
	if len(admitted) == 0 {
		return Decision{Reply: &reply}
	}
	if r, ok := admitted[len(admitted)-1].(events.QuotaReserved); ok {
		queued.Window = r.Window
	}
	return Decision{Events: append(admitted, queued), Reply: &reply}
}

// composeCancel ends a job, gives its unit back, and forgets its request if that is asked for.
func composeCancel(j job.State, earlier AcceptedRequest, b events.CancelJob) Decision {
	evs, reply := job.Cancel(j, b)
	evs = append(evs, settle(j, evs)...)
	if len(evs) > 0 && b.Forget && earlier.Job == b.Job {
		evs = append(evs, events.RequestForgotten{Job: b.Job})
	}
	return Decision{Events: evs, Reply: &reply}
}

// entitled decides whether account, key and plan allow this kind of job at all. A member's job uses no API key.
func entitled(s State, b events.SubmitJob) (events.Reply, bool) {
	if !s.Exists() {
		return events.Reply{Code: events.NoSuchAccount}, false
	}
	if k, ok := s.key(b.Key); b.Key != events.DashboardKey && (!ok || k.Revoked != 0) {
		return events.Reply{Code: events.NoSuchKey}, false
	}
	if !s.Plan.Includes(b.Requires) {
		return events.Reply{Code: events.PlanRequired}, false
	}
	return events.Reply{}, true
}

func admit(s State, b events.SubmitJob, now events.Instant, limits LimitsFunc) ([]events.Event, events.Reply) {
	if s.Suspension.Since != 0 {
		return refuse(events.Suspended)
	}
	if b.Test {
		return AdmitTest(s, b.Job, now)
	}
	return Admit(s, b.Job, now, limits)
}

// settle returns the quota events that follow from the end of a charged job.
func settle(j job.State, evs []events.Event) []events.Event {
	if j.Origin.Test {
		return nil
	}
	for _, ev := range evs {
		switch e := ev.(type) {
		case events.JobDone:
			return []events.Event{events.QuotaDebited{Job: e.Job, Window: j.Window, Bytes: e.File.Size}}
		case events.JobFailed:
			return []events.Event{events.QuotaReleased{Job: e.Job, Window: j.Window}}
		}
	}
	return nil
}
