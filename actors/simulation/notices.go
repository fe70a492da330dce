package simulation

import (
	"errors"
	"fmt"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/projections"
	"platen.dev/projections/view"
)

// message is a webhook as its receiver sees it.
type message struct{ id, body string }

// notify plays an attempt to send a webhook. The receiver may answer or fail, and its answer may
// get lost.
func (n *node) notify(e job.Notify) {
	w, p := n.world, events.Partition(e.Account, partitions)
	values := n.replicas[p].values
	row, known, err := projections.JobIn(values, p, e.Account, e.Job)
	s, err2 := (account.ReplicaStore{Reader: values, Partition: p}).Job(e.Account, e.Job)
	if n.undecodable(p, errors.Join(err, err2)) || !known {
		return // it was forgotten meanwhile
	}
	if s.Active() || len(s.Notice.URL) == 0 {
		w.fail("%s sends the webhook of job %s, which is %s", n.id, e.Job, row.Status)
		return
	}
	m := message{view.WebhookID(e.Job), string(view.AppendNotice(nil, e.Job, row))}
	if change := w.rules.Fault.notice; change != nil {
		change(e, &m)
	}
	attempt := events.WebhookAttempt{Number: e.Number}
	if !w.receiversFail || w.chance(70) {
		w.receive(e.Job, m)
		attempt.Status = 200
	}
	if w.receiversFail && w.chance(50) {
		attempt.Status = []int{0, 302, 410, 429, 500, 503}[w.rng.IntN(6)]
	}
	report := events.ReportWebhook{Job: e.Job, WebhookAttempt: attempt, RetryAfter: int64(w.rng.IntN(100))}
	w.send(w.commandAt(n.now(), e.Account, report))
}

// receive checks that a receiver gets one message per job, however often.
func (w *world) receive(id events.JobID, m message) {
	first, again := w.received[id]
	if again && first != m && !w.doubtful[id] {
		w.fail("the webhook of job %s is %s %s, and then %s %s", id, first.id, first.body, m.id, m.body)
	}
	w.received[id] = m
}

// notices is a naive model of the attempts to send webhooks.
type notices struct {
	asked    map[events.JobID]bool
	attempts map[events.JobID]int
	last     map[events.JobID]events.WebhookAttempted
}

func newNotices() notices {
	return notices{map[events.JobID]bool{}, map[events.JobID]int{}, map[events.JobID]events.WebhookAttempted{}}
}

func (n notices) event(ev events.Event) error {
	switch ev := ev.(type) {
	case events.JobQueued:
		n.asked[ev.Job] = len(ev.Webhook) > 0
	case events.WebhookAttempted:
		n.attempts[ev.Job]++
		if !n.asked[ev.Job] || n.last[ev.Job].Outcome != "" || ev.Number != n.attempts[ev.Job] {
			return fmt.Errorf("job %s: attempt %d of its webhook is the %dth, after %+v", ev.Job, ev.Number, n.attempts[ev.Job], n.last[ev.Job])
		}
		n.last[ev.Job] = ev
	}
	return nil
}

// checkNotices checks that the outcome of each job was reported.
func (v verdict) checkNotices(a audit) error {
	for id, asked := range a.notices.asked {
		_, received := v.received[id]
		switch outcome := a.notices.last[id].Outcome; {
		case v.doubtful[id]:
		case !asked && received:
			return fmt.Errorf("job %s has no webhook, and sends one", id)
		case asked && outcome == "":
			return fmt.Errorf("the webhook of job %s is neither delivered nor given up", id)
		case asked && outcome == events.WebhookDelivered && !received:
			return fmt.Errorf("the webhook of job %s counts as delivered, and nobody received it", id)
		}
	}
	return nil
}

// waits reports whether a webhook of a partition waits for its next attempt.
func (w *world) waits(p int32) (found bool) {
	_ = account.EachJob(w.nodes[0].replicas[p].values, p, func(_ events.JobID, s job.State) {
		found = found || s.Notice.Stage != job.NoNotice
	})
	return found
}
