package browserpool

import (
	"maps"
	"slices"
	"time"

	"platen.dev/browserpool/page"
	"platen.dev/events"
)

// This file is the scheduler's part that runs the browsers of remote leases. Each works for one lease at a time: a page that harms its
// browser harms only its own job. A browser is kept for an account whose consecutive jobs go to the same host: the next job finds a process
// that lacks only the document. Browsers start on demand, one ahead of need for any account, and end when they have not been needed for a
// while.

// idleRemote is how long a browser of remote leases is kept idle; the last one for any account stays.
const idleRemote = 10 * time.Second

// remote returns a browser with pages for a remote lease of an account, nil if none is ready: the account's own or else one for any
// account; among the latter the most recently used, so that the others stay idle for long.
func (s *scheduler) remote(account events.AccountID) (best *instance) {
	better := func(in *instance) bool {
		if best == nil || in.owner != best.owner {
			return best == nil || in.owner == account
		}
		return in.idleSince.After(best.idleSince)
	}
	for _, in := range s.instances {
		if in.hasRemote() && (in.owner == "" || in.owner == account) && better(in) {
			best = in
		}
	}
	return best
}

// longestKept returns the browser that has been idle for its account for longest, nil if none has been for Config.KeepRemote. If
// givesWay is set, that time is ignored.
func (s *scheduler) longestKept(givesWay bool) (first *instance) {
	for _, in := range s.instances {
		kept := in.hasRemote() && in.owner != "" && (givesWay || time.Since(in.idleSince) >= s.pool.config.KeepRemote)
		if kept && (first == nil || in.idleSince.Before(first.idleSince)) {
			first = in
		}
	}
	return first
}

// supplyRemotes gets a browser for each waiting remote request that may have one, and one ahead of need.
func (s *scheduler) supplyRemotes(wanted int) {
	if s.closed || s.remoteBackoff != nil {
		return
	}
	coming, all := s.launchingRemotes, s.launchingRemotes
	for _, in := range s.instances {
		if in.remote && !in.retired {
			all++
			coming += in.pages.coming
		}
	}
	full := all >= s.pool.config.Remotes
	switch {
	case coming < wanted:
		for range wanted - coming {
			s.supplyRemote(s.longestKept(full))
		}
	case coming == 0 && s.remote("") == nil && s.settled:
		if stale := s.longestKept(false); stale != nil || !full {
			s.supplyRemote(stale)
		}
	}
}

// supplyRemote gets a browser for any account: kept, if it is not nil, or else a new one.
func (s *scheduler) supplyRemote(kept *instance) {
	if kept != nil {
		s.reopenRemote(kept, kept.take(events.Remote), "")
		return
	}
	s.launchingRemotes++
	s.pool.help(func() {
		in, err := s.pool.launchRemote()
		s.pool.tell(launchedRemote{in, err})
	})
}

func (s *scheduler) onLaunchedRemote(m launchedRemote) {
	s.launchingRemotes--
	if m.err != nil {
		s.onRemoteFailed(m.err)
		return
	}
	s.remoteFailures = 0
	s.instances = append(s.instances, m.in)
	s.pool.watch(m.in)
	if s.closed {
		s.retireIfUnused(m.in)
		return
	}
	s.grant()
}

func (s *scheduler) onRemoteFailed(err error) {
	s.pool.config.Logger.Error("browser of remote jobs not started", "failures", s.remoteFailures+1, "error", err)
	if s.remoteBackoff == nil && !s.closed {
		s.remoteBackoff = time.AfterFunc(backoff(s.remoteFailures), func() { s.pool.tell(remoteBackoffOver{}) })
	}
	s.remoteFailures++
}

func (s *scheduler) onRemoteBackoffOver() {
	s.remoteBackoff = nil
	s.grant()
}

// endRemote prepares a browser for its next lease, or ends it: it is spoiled, or has served
// enough.
func (s *scheduler) endRemote(lease *Lease, discard bool) {
	in, c := lease.in, s.pool.config
	served := c.RecycleJobs > 0 && in.jobs >= c.RecycleJobs || c.RecycleAge > 0 && time.Since(in.born) >= c.RecycleAge
	if discard {
		s.stats.RemotesDiscarded++
	}
	if discard || served || s.closed {
		in.retired = true
		in.browser.Kill()
		return
	}
	var account events.AccountID
	if s.expects(lease) {
		account = lease.request.account
	}
	s.reopenRemote(in, lease.pages, account)
}

// reopenRemote makes the pages of a browser ready for the next job, of one account or of any.
func (s *scheduler) reopenRemote(in *instance, pages *page.Set, account events.AccountID) {
	in.pages.coming++
	s.pool.help(func() { s.pool.tell(s.pool.reopenRemote(in, pages, account)) })
}

// habit is the host of an account's last remote job, and when the job ended.
type habit struct {
	host string
	at   time.Time
}

// expects reports whether the browser of a lease should be kept for the same account: its job went to the same host as the one before,
// soon after it, and nobody else waits.
func (s *scheduler) expects(lease *Lease) bool {
	account := lease.request.account
	last, known := s.habits[account]
	s.habits[account] = habit{lease.host, time.Now()}
	if !known || last.host != lease.host || lease.began.Sub(last.at) >= s.pool.config.KeepRemote {
		return false
	}
	next := slices.IndexFunc(s.waiting, func(r *request) bool { return r.lane == events.Remote })
	return next < 0 || s.waiting[next].account == account
}

// endIdleRemotes ends the browsers that were idle for long, but for the last one for any account.
func (s *scheduler) endIdleRemotes() {
	maps.DeleteFunc(s.habits, func(_ events.AccountID, h habit) bool { return time.Since(h.at) >= s.pool.config.KeepRemote })
	ready := s.remote("")
	for _, in := range slices.Clone(s.instances) {
		if in.hasRemote() && in != ready && time.Since(in.idleSince) >= idleRemote {
			s.retireIfUnused(in)
		}
	}
}
