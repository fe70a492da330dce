package browserpool

import (
	"context"
	"time"

	"platen.dev/browserpool/page"
)

// This file is the scheduler's part that checks browsers: whether they answer, whether
// they render, how large and how old they are.

// maxFailures is the number of failed self-tests in a row after which a browser is replaced.
const maxFailures = 2

// onCheckDue has the serving browser checked, and the idle remote ones.
func (s *scheduler) onCheckDue() {
	s.endIdleRemotes()
	s.endIdlePages()
	for _, in := range s.instances {
		if in == s.serving || in.hasRemote() {
			s.check(in)
		}
	}
}

// onShrinkDue has the idle pages of the serving browser give back the memory that their last jobs took. Those used last are lent first, so
// the others are idle for long unless the load needs them all.
func (s *scheduler) onShrinkDue() {
	s.withIdle(func(in *instance) []*page.Set { return in.toShrink(s.pool.config.ShrinkAfter) }, func(pages *page.Set) { pages.Shrink(s.pool.life) })
}

// endIdlePages ends the pages of the serving browser that were idle for long.
func (s *scheduler) endIdlePages() {
	s.withIdle(func(in *instance) []*page.Set { return in.takeUnneeded(s.pool.config.KeepPages) }, (*page.Set).Dispose)
}

// withIdle does something with some idle pages of the serving browser, one after another.
func (s *scheduler) withIdle(some func(*instance) []*page.Set, do func(*page.Set)) {
	if s.serving == nil {
		return
	}
	all := some(s.serving)
	if len(all) == 0 {
		return
	}
	s.pool.help(func() {
		for _, pages := range all {
			do(pages)
		}
	})
}

// check starts a check of a browser, unless one is under way.
func (s *scheduler) check(in *instance) {
	if in.checking || in.retired {
		return
	}
	in.checking = true
	selfTest := !in.remote && s.selfTestDue(in)
	if selfTest {
		in.selfTestedAt = time.Now()
	}
	s.pool.help(func() { s.pool.tell(s.pool.check(in, selfTest)) })
}

// selfTestDue reports whether a browser's next self-test is due; after a failed one it is due immediately.
func (s *scheduler) selfTestDue(in *instance) bool {
	every := s.pool.config.SelfTestEvery
	return every > 0 && (in.failures > 0 || time.Since(in.selfTestedAt) >= every)
}

// check checks a browser, and kills it if it does not answer.
func (p *Pool) check(in *instance, selfTest bool) checked {
	ctx, cancel := context.WithTimeout(p.life, p.config.HealthTimeout)
	defer cancel()
	c := checked{in: in}
	defer p.endIfStuck(in)()
	if err := in.browser.Ping(ctx); err != nil && p.life.Err() == nil {
		p.config.Logger.Warn("browser does not answer", "pid", in.browser.PID(), "error", err)
		in.browser.Kill()
		selfTest = false
	}
	if selfTest {
		c.selfTest = p.selfTest(ctx, in.browser)
		c.selfTested = c.selfTest == nil || !in.isGone() && p.life.Err() == nil // a failure caused by the browser's end proves nothing
	}
	c.bytes = in.browser.Memory()
	return c
}

// endIfStuck kills a browser whose check does not end although its time is over: it reads no more. A job may be writing to it, and neither the job nor
// the check behind it ends before the browser does.
func (p *Pool) endIfStuck(in *instance) (stop func() bool) {
	return time.AfterFunc(2*p.config.HealthTimeout, func() {
		if p.life.Err() == nil {
			p.config.Logger.Warn("browser reads no more", "pid", in.browser.PID())
			in.browser.Kill()
		}
	}).Stop
}

// onChecked starts a replacement when the serving browser has served enough, or does not
// render.
func (s *scheduler) onChecked(m checked) {
	m.in.checking = false
	m.in.bytes = m.bytes
	if m.selfTested {
		s.onSelfTested(m.in, m.selfTest)
	}
	if m.in == s.serving && s.replacementDue(m.in) {
		s.launch()
	}
}

func (s *scheduler) onSelfTested(in *instance, failure error) {
	s.stats.SelfTests++
	if failure == nil {
		in.failures = 0
		return
	}
	in.failures++
	s.stats.SelfTestFailures++
	s.pool.config.Logger.Warn("browser failed its self-test", "pid", in.browser.PID(), "in_a_row", in.failures, "error", failure)
}

func (s *scheduler) replacementDue(in *instance) bool {
	c := s.pool.config
	return in.failures >= maxFailures || c.RecycleJobs > 0 && in.jobs >= c.RecycleJobs ||
		c.RecycleBytes > 0 && in.bytes >= c.RecycleBytes ||
		c.RecycleAge > 0 && time.Since(in.born) >= c.RecycleAge
}
