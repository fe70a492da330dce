package browserpool

import (
	"slices"
	"time"
)

// This file is the scheduler's part that starts, replaces and ends browsers.

// From the second failure in a row, starts are delayed, twice as long each time.
const (
	firstBackoff = 100 * time.Millisecond
	lastBackoff  = 10 * time.Second
)

// launchLater starts a browser after the backoff that recent failures demand.
func (s *scheduler) launchLater() {
	if s.failures < 2 {
		s.launch()
		return
	}
	s.backoff = time.AfterFunc(backoff(s.failures-2), func() { s.pool.tell(backoffOver{}) })
}

// backoff is the delay after a number of failures.
func backoff(failures int) time.Duration { return min(firstBackoff<<min(failures, 10), lastBackoff) }

func (s *scheduler) launch() {
	if s.launching || s.closed {
		return
	}
	s.launching = true
	s.pool.help(func() {
		in, err := s.pool.launch()
		s.pool.tell(launched{in, err})
	})
}

// onLaunched puts a browser into service instead of the current one.
func (s *scheduler) onLaunched(m launched) {
	s.launching = false
	if m.err != nil {
		s.onLaunchFailed(m.err)
		return
	}
	s.instances = append(s.instances, m.in)
	s.pool.watch(m.in)
	if s.closed {
		s.retireIfUnused(m.in)
		return
	}
	old := s.serving
	s.serving = m.in
	s.pool.config.Logger.Info("browser ready", "version", m.in.browser.Version, "pid", m.in.browser.PID())
	if old != nil {
		s.stats.Recycles++
		s.retireIfUnused(old)
	}
	s.grant()
}

func (s *scheduler) onLaunchFailed(err error) {
	s.failures++
	s.pool.config.Logger.Error("browser not started", "failures", s.failures, "error", err)
	if s.serving == nil && !s.closed {
		s.launchLater()
	}
}

// retireIfUnused closes a browser that does not serve, once nobody uses it.
func (s *scheduler) retireIfUnused(in *instance) {
	if in.isUsed() || in.retired {
		return
	}
	in.retired = true
	s.pool.help(func() { in.browser.Close(s.pool.life) })
}

// onGone forgets a browser. The holders of its pages learn of its end by themselves.
func (s *scheduler) onGone(m gone) {
	if !m.in.retired && s.pool.life.Err() == nil {
		s.pool.config.Logger.Warn("browser died", "pid", m.in.browser.PID(), "jobs", m.in.jobs,
			"age", time.Since(m.in.born), "stderr", m.in.browser.Stderr())
	}
	m.in.retired = true
	s.instances = slices.DeleteFunc(s.instances, func(in *instance) bool { return in == m.in })
	if m.in.remote && !s.closed {
		s.grant() // a request may need another
	}
	if m.in != s.serving {
		return
	}
	s.serving = nil
	s.stats.Restarts++
	s.failures++
	s.launchLater()
}
