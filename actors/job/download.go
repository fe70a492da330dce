package job

import (
	"platen.dev/events"
	"platen.dev/events/contract"
)

// retryBusy is after how many seconds a busy stream may be asked for again
// (decisions.md, Jobs).
const retryBusy = 10

// BeginDownload says whether a file may be downloaded now, and gives its stream away
// (api-spec.md, GET /jobs/{job_id}/download). What comes after the third download is
// refused even while that one goes on: waiting would not help.
func BeginDownload(s State, b events.BeginDownload, now events.Instant) ([]events.Event, events.Reply) {
	switch {
	case s.Phase == Expired || s.Phase == Deleted || s.Phase == Done && now >= s.Due:
		return nil, events.Reply{Code: events.FileGone}
	case s.Phase != Done:
		return nil, events.Reply{Code: events.NoSuchFile}
	case s.Downloads >= contract.MaxDownloads:
		return nil, events.Reply{Code: events.DownloadsExhausted, RetryAfter: now.Until(s.Due)}
	case s.streaming(now):
		return nil, events.Reply{Code: events.DownloadBusy, RetryAfter: retryBusy}
	}
	return one(events.DownloadBegun{Job: b.Job, Download: b.Download, Until: now.Add(contract.StreamLease)}), events.Reply{Code: events.Accepted}
}

// streaming tells whether a download holds the file's stream.
func (s State) streaming(now events.Instant) bool { return s.Stream != 0 && now < s.StreamUntil }

// renewDownload prolongs a stream that nobody else has got meanwhile, also when
// the renewal comes late.
func renewDownload(s State, b events.RenewDownload, now events.Instant) []events.Event {
	until := now.Add(contract.StreamLease)
	if s.Phase != Done || s.Stream != b.Download || until <= s.StreamUntil {
		return nil
	}
	return one(events.DownloadRenewed{Job: b.Job, Download: b.Download, Until: until})
}
