package job

import (
	"platen.dev/events"
	"platen.dev/events/contract"
)

// retryBusy is the Retry-After of a download that is refused because another one holds the
// stream, in seconds (docs/API.md, Downloads).
const retryBusy = 10

// BeginDownload decides whether a file may be downloaded now. If so, it grants the file's stream
// (docs/API.md, Downloads). Once the last allowed download has begun, further ones are refused as
// exhausted even while it runs, because waiting would not help.
func BeginDownload(s State, b events.BeginDownload, now events.Instant) ([]events.Event, events.Reply) {
	switch {
	case s.Phase == Expired || s.Phase == Deleted || s.Phase == Done && now >= s.Due:
		return nil, events.Reply{Code: events.FileGone}
	case s.Phase != Done:
		return nil, events.Reply{Code: events.NoSuchFile}
	case s.Downloads >= contract.MaxDownloads:
		return nil, events.Reply{Code: events.DownloadsExhausted, RetryAfter: now.SecondsUntil(s.Due)}
	case s.streaming(now):
		return nil, events.Reply{Code: events.DownloadBusy, RetryAfter: retryBusy}
	}
	return single(events.DownloadBegun{Job: b.Job, Download: b.Download, Until: now.Add(contract.StreamLease)}), events.Reply{Code: events.Accepted}
}

// streaming reports whether a download holds the file's stream.
func (s State) streaming(now events.Instant) bool { return s.Stream != 0 && now < s.StreamUntil }

// renewDownload extends the grant of a stream. A late renewal still counts unless another download
// has been granted the stream.
func renewDownload(s State, b events.RenewDownload, now events.Instant) []events.Event {
	until := now.Add(contract.StreamLease)
	if s.Phase != Done || s.Stream != b.Download || until <= s.StreamUntil {
		return nil
	}
	return single(events.DownloadRenewed{Job: b.Job, Download: b.Download, Until: until})
}

func evolveDownload(s State, ev events.Event) State {
	switch e := ev.(type) {
	case events.DownloadBegun:
		s.Downloads++
		s.Stream, s.StreamUntil = e.Download, e.Until
	case events.DownloadRenewed:
		s.StreamUntil = e.Until
	case events.DownloadEnded:
		s.Stream, s.StreamUntil = 0, 0
	}
	return s
}
