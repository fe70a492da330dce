package simulation

import (
	"fmt"
	"slices"
	"time"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// repeats is a naive model of what must not happen twice: requests with one idempotency
// key, downloads of one file.
type repeats struct {
	requests map[request]made
	files    map[events.JobID]*file
	// tests are the instants of an account's accepted test jobs.
	tests map[events.AccountID][]events.Instant
}

type request struct {
	account events.AccountID
	key     string
}

type made struct {
	job   events.JobID
	print [32]byte
	at    events.Instant
}

type file struct {
	begun  int
	stream events.DownloadID
	until  events.Instant
}

func newRepeats() repeats {
	return repeats{requests: map[request]made{}, files: map[events.JobID]*file{}, tests: map[events.AccountID][]events.Instant{}}
}

func (r repeats) envelope(e events.Envelope, submit events.SubmitJob) error {
	if e.Reply != nil && e.Reply.Code == events.Replayed {
		if err := r.replayed(e, submit); err != nil {
			return err
		}
	}
	for _, ev := range e.Events {
		if err := r.event(e, ev); err != nil {
			return err
		}
	}
	return nil
}

// replayed checks a repeated request's reply against the first one's.
func (r repeats) replayed(e events.Envelope, submit events.SubmitJob) error {
	first, ok := r.requests[request{e.Account, submit.Idempotency.Key}]
	if !ok || e.Reply.Job == nil || *e.Reply.Job != first.job || first.print != submit.Idempotency.Fingerprint {
		return fmt.Errorf("the reply names job %v, but the key stands for %+v", e.Reply.Job, first)
	}
	return nil
}

func (r repeats) event(e events.Envelope, ev events.Event) error {
	switch ev := ev.(type) {
	case events.JobQueued:
		if ev.Idempotency != nil {
			return r.request(e, ev)
		}
	case events.RequestForgotten:
		return r.forget(e, ev)
	case events.JobDone:
		if ev.Sent { // its first download
			r.files[ev.Job] = &file{begun: 1}
		}
	case events.TestCounted:
		return r.test(e)
	case events.DownloadBegun:
		return r.download(e, ev)
	case events.DownloadRenewed:
		if f := r.files[ev.Job]; f == nil || f.stream != ev.Download {
			return fmt.Errorf("job %s: a download without the stream is renewed", ev.Job)
		}
		r.files[ev.Job].until = ev.Until
	case events.DownloadEnded:
		if f := r.files[ev.Job]; f == nil || f.stream != ev.Download {
			return fmt.Errorf("job %s: a download without the stream ends it", ev.Job)
		}
		r.files[ev.Job].stream = 0
	}
	return nil
}

func (r repeats) request(e events.Envelope, ev events.JobQueued) error {
	id := request{e.Account, ev.Idempotency.Key}
	if first, ok := r.requests[id]; ok && e.At < first.at.Add(contract.IdempotencyLife) {
		return fmt.Errorf("key %s made job %s, and %s after %d ms", id.key, first.job, ev.Job, e.At-first.at)
	}
	r.requests[id] = made{ev.Job, ev.Idempotency.Fingerprint, e.At}
	return nil
}

// forget checks that only the request that made the job is forgotten.
func (r repeats) forget(e events.Envelope, ev events.RequestForgotten) error {
	for id, first := range r.requests {
		if id.account == e.Account && first.job == ev.Job {
			delete(r.requests, id)
			return nil
		}
	}
	return fmt.Errorf("job %s: a request is forgotten that does not stand for it", ev.Job)
}

func (r repeats) test(e events.Envelope) error {
	within := 1
	for _, at := range r.tests[e.Account] {
		if at <= e.At && at.Add(time.Minute) > e.At {
			within++
		}
	}
	if within > contract.TestsPerMinute {
		return fmt.Errorf("account %s has %d test jobs within a minute", e.Account, within)
	}
	r.tests[e.Account] = append(r.tests[e.Account], e.At)
	return nil
}

func (r repeats) download(e events.Envelope, ev events.DownloadBegun) error {
	f := r.files[ev.Job]
	if f == nil {
		f = &file{}
		r.files[ev.Job] = f
	}
	switch {
	case f.begun >= contract.MaxDownloads:
		return fmt.Errorf("job %s is downloaded for the %dth time", ev.Job, f.begun+1)
	case f.stream != 0 && e.At < f.until:
		return fmt.Errorf("job %s has two streams", ev.Job)
	}
	f.begun++
	f.stream, f.until = ev.Download, ev.Until
	return nil
}

// submission returns a random request for a job. Every third may repeat another; one in five is
// remote and one in five slow.
func (w *world) submission(id events.AccountID) events.Submission {
	submit := events.Submission{SubmitJob: events.SubmitJob{Job: w.id(), Key: w.keys[id], Operation: events.HTMLToPDF, Test: w.chance(5)}}
	switch w.rng.IntN(5) {
	case 0:
		submit.Content.URL = "u"
	case 1:
		submit.Content.Invoice = &events.Invoice{HTMLBytes: 1 << 20}
	}
	if w.chance(33) {
		submit.Idempotency = &events.Idempotency{Key: fmt.Sprintf("k%d", w.rng.IntN(4)), Fingerprint: [32]byte{byte(w.rng.IntN(2))}}
	}
	if w.chance(40) {
		submit.Webhook = events.Sealed{1}
	}
	submit.Waits = w.chance(20)
	if !submit.Test && !submit.Waits && w.chance(25) {
		submit.Content.Delivery = &events.Delivery{URL: events.Sealed{2}}
	}
	w.submitted = append(w.submitted, submitted{id, submit.Job})
	return submit
}

// submitted is a job that somebody asked for.
type submitted struct {
	account events.AccountID
	job     events.JobID
}

// visitors has a few clients download a job's file through some replica, or continue a download
// that may be another client's.
func (w *world) visitors() {
	done := slices.DeleteFunc(slices.Clone(w.submitted), func(s submitted) bool { return !w.hasFile(s) })
	if len(done) == 0 {
		return
	}
	s := done[w.rng.IntN(len(done))]
	for range 1 + w.rng.IntN(4) {
		w.send(w.command(s.account, w.visit(s.job)))
	}
}

// cancel cancels one of the last jobs.
func (w *world) cancel() {
	if last := len(w.submitted); last > 0 {
		s := w.submitted[last-1-w.rng.IntN(min(last, 10))]
		w.send(w.command(s.account, events.CancelJob{Job: s.job, Forget: w.chance(50)}))
	}
}

func (w *world) hasFile(s submitted) bool {
	p := events.Partition(s.account, partitions)
	return slices.ContainsFunc(w.nodes, func(n *node) bool {
		state, err := account.ReplicaStore{Reader: n.replicas[p].values, Partition: p}.Job(s.account, s.job)
		return err == nil && state.Phase == job.Done
	})
}

func (w *world) visit(id events.JobID) events.CommandBody {
	download := events.DownloadID(1 + w.rng.IntN(4))
	switch w.rng.IntN(4) {
	case 0:
		return events.RenewDownload{Job: id, Download: download}
	case 1:
		return events.EndDownload{Job: id, Download: download}
	}
	return events.BeginDownload{Job: id, Download: download}
}
