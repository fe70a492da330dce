package browserpool

import (
	"slices"
	"time"

	"platen.dev/browserpool/page"
	"platen.dev/events"
)

// This file is the scheduler's part that runs the browsers of remote leases. Each works for
// one lease at a time: whatever a page does to its browser, it does to its own job. They
// are started when they are needed, and end when they were not needed for a while.

// idleRemote is how long a browser of remote leases is kept idle; the last one stays.
const idleRemote = 10 * time.Second

// remote returns a browser with pages for a remote lease, nil if none is ready: the one that
// was used last, so that the others are idle for long.
func (s *scheduler) remote() (last *instance) {
	for _, in := range s.instances {
		if in.remote && len(in.idle) > 0 && !in.isGone() && (last == nil || in.idleSince.After(last.idleSince)) {
			last = in
		}
	}
	return last
}

// launchRemotes starts as many browsers as remote requests wait that may have one, and the
// first one ahead of need.
func (s *scheduler) launchRemotes(wanted int) {
	if s.closed || s.remoteBackoff != nil {
		return
	}
	coming, all := s.launchingRemotes, s.launchingRemotes
	for _, in := range s.instances {
		if in.remote && !in.retired {
			all++
			coming += in.reopening
		}
	}
	if all == 0 {
		wanted = max(wanted, 1)
	}
	for ; coming < wanted; coming++ {
		s.launchingRemotes++
		s.pool.help(func() {
			in, err := s.pool.launchRemote()
			s.pool.tell(launchedRemote{in, err})
		})
	}
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
func (s *scheduler) endRemote(in *instance, pages *page.Set, discard bool) {
	c := s.pool.config
	served := c.RecycleJobs > 0 && in.jobs >= c.RecycleJobs || c.RecycleAge > 0 && time.Since(in.born) >= c.RecycleAge
	if discard {
		s.stats.RemotesDiscarded++
	}
	if discard || served || s.closed {
		in.retired = true
		in.browser.Kill()
		return
	}
	s.reopen(in, pages, events.Remote, false)
}

// endIdleRemotes ends the browsers that were idle for long, but for the last one.
func (s *scheduler) endIdleRemotes() {
	kept := s.remote()
	for _, in := range slices.Clone(s.instances) {
		if in.remote && in != kept && len(in.idle) > 0 && time.Since(in.idleSince) >= idleRemote {
			s.retireIfUnused(in)
		}
	}
}
