package job

import "platen.dev/events"

// Cancel decides whether a job ends now. Work under way is given up, and a file that still arrives
// is deleted.
func Cancel(s State, b events.CancelJob) ([]events.Event, events.Reply) {
	if !s.Active() {
		return nil, events.Reply{Code: events.AlreadyEnded}
	}
	return single(s.failed(b.Job, events.Cancelled, "")), events.Reply{Code: events.Accepted}
}
