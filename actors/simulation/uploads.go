package simulation

import (
	"fmt"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/events"
)

// upload plays an attempt to upload a file. The storage may fail, and its answer may get lost.
func (n *node) upload(e job.Deliver) {
	w, p := n.world, events.Partition(e.Account, partitions)
	s, err := (account.ReplicaStore{Reader: n.replicas[p].values, Partition: p}).Job(e.Account, e.Job)
	switch {
	case n.undecodable(p, err) || s.Phase == job.Absent:
		return // it was forgotten meanwhile
	case s.Phase != job.Uploading && s.Active():
		w.fail("%s uploads the file of job %s, which is in phase %d", n.id, e.Job, s.Phase)
		return
	}
	report := events.ReportUpload{Job: e.Job, UploadAttempt: events.UploadAttempt{Number: e.Number}}
	if !w.files[e.File.Name] && w.doubtful[e.Job] {
		report.Code = events.DeliveryFailed // it was deleted in a history that has been undone
	} else if !w.files[e.File.Name] {
		report.Code = events.RenderFailed // the audit fails on this unless the job has ended
	} else {
		report.Status = w.put(e)
	}
	w.send(w.commandAt(n.now(), e.Account, report))
}

// put puts a file into the caller's storage, and returns the status that the node hears.
func (w *world) put(e job.Deliver) int {
	if first, again := w.uploaded[e.Job]; again && first != e.File.Name && !w.doubtful[e.Job] {
		w.fail("job %s uploads %s, and then %s", e.Job, first, e.File.Name)
	}
	if w.receiversFail && w.chance(30) {
		return []int{0, 302, 403, 408, 429, 503}[w.rng.IntN(6)]
	}
	w.uploaded[e.Job] = e.File.Name
	if w.receiversFail && w.chance(30) {
		return 0
	}
	return 200
}

// uploads is a naive model of the attempts to upload files.
type uploads struct {
	delivered map[events.JobID]bool
	file      map[events.JobID]string // to be uploaded
	attempts  map[events.JobID]int
	done      map[events.JobID]bool
}

func newUploads() uploads {
	return uploads{map[events.JobID]bool{}, map[events.JobID]string{}, map[events.JobID]int{}, map[events.JobID]bool{}}
}

// maxUploads is the number of attempts at one file.
const maxUploads = 4

func (u uploads) event(ev events.Event) error {
	switch ev := ev.(type) {
	case events.JobQueued:
		u.delivered[ev.Job] = ev.Delivered
	case events.UploadBegun:
		if _, twice := u.file[ev.Job]; twice || !u.delivered[ev.Job] {
			return fmt.Errorf("job %s begins an upload, twice %t", ev.Job, twice)
		}
		u.file[ev.Job] = ev.File.Name
	case events.UploadAttempted:
		if u.attempts[ev.Job]++; ev.Number != u.attempts[ev.Job] || ev.Number > maxUploads {
			return fmt.Errorf("job %s: attempt %d to upload its file is the %dth", ev.Job, ev.Number, u.attempts[ev.Job])
		}
	case events.JobDone:
		u.done[ev.Job] = true
		if u.delivered[ev.Job] && (u.attempts[ev.Job] == 0 || ev.Expires != 0 || ev.File.Name != u.file[ev.Job]) {
			return fmt.Errorf("job %s is done after %d attempts to upload its file: %+v", ev.Job, u.attempts[ev.Job], ev.File)
		}
	}
	return nil
}

// checkUploads checks that a delivered job has its file in the caller's storage, and not here.
func (v verdict) checkUploads(a audit) error {
	for id, delivered := range a.uploads.delivered {
		_, arrived := v.uploaded[id]
		switch {
		case arrived && !delivered:
			return fmt.Errorf("the file of job %s was uploaded", id)
		case delivered && a.uploads.done[id] && !arrived:
			return fmt.Errorf("job %s is done, and its file was not uploaded", id)
		case delivered && v.files[a.uploads.file[id]]:
			return fmt.Errorf("the file of job %s, which was uploaded, is kept", id)
		}
	}
	return nil
}
