package browserpool

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// This file is the keeper's half that starts, replaces and ends browsers.

// retireIfUnused closes a browser that does not serve, once nobody uses it.
func (k *keeper) retireIfUnused(in *instance) {
	if in.leased > 0 || in.opening > 0 || in.retired {
		return
	}
	in.retired = true
	k.pool.help(func() { in.browser.Close(k.pool.life) })
}

// onEnded forgets a browser. Its holders learn of its end by themselves.
func (k *keeper) onEnded(m ended) {
	m.in.retired = true
	k.instances = slices.DeleteFunc(k.instances, func(in *instance) bool { return in == m.in })
	if m.in != k.serving {
		return
	}
	k.serving = nil
	k.stats.Restarts++
	k.failures++
	k.pool.config.Logger.Warn("browser died", "pid", m.in.browser.PID(), "jobs", m.in.jobs, "age", time.Since(m.in.born))
	k.launchLater()
}

// launchLater starts a browser after the backoff that recent failures demand.
func (k *keeper) launchLater() {
	if k.failures < 2 {
		k.launch()
		return
	}
	delay := min(firstBackoff<<min(k.failures-2, 10), lastBackoff)
	k.backoff = time.AfterFunc(delay, func() { k.pool.tell(starting{}) })
}

func (k *keeper) launch() {
	if k.launching || k.closed {
		return
	}
	k.launching = true
	k.pool.help(func() {
		in, err := k.pool.launch()
		k.pool.tell(launched{in, err})
	})
}

// onLaunched puts a browser into service in the place of whatever serves.
func (k *keeper) onLaunched(m launched) {
	k.launching = false
	if m.err != nil {
		k.onLaunchFailed(m.err)
		return
	}
	k.instances = append(k.instances, m.in)
	k.pool.watch(m.in)
	if k.closed {
		k.retireIfUnused(m.in)
		return
	}
	old := k.serving
	k.serving = m.in
	k.pool.config.Logger.Info("browser in service", "pid", m.in.browser.PID(), "version", m.in.browser.Version)
	if old != nil {
		k.stats.Recycles++
		k.retireIfUnused(old)
	}
	k.grant()
}

func (k *keeper) onLaunchFailed(err error) {
	k.failures++
	k.pool.config.Logger.Error("browser not started", "failures", k.failures, "error", err)
	if k.serving == nil && !k.closed {
		k.launchLater()
	}
}

// onChecking has the serving browser examined, unless that is under way.
func (k *keeper) onChecking() {
	in := k.serving
	if in == nil || in.examined {
		return
	}
	in.examined = true
	prove := k.toProve(in)
	if prove {
		in.proved = time.Now()
	}
	k.pool.help(func() { k.pool.tell(k.pool.examine(in, prove)) })
}

// toProve tells whether a browser's next self-test is due: after a failed one at once.
func (k *keeper) toProve(in *instance) bool {
	every := k.pool.config.SelfTestEvery
	return every > 0 && (in.failures > 0 || time.Since(in.proved) >= every)
}

// onMeasured starts a replacement when the serving browser has served enough, or
// does not render.
func (k *keeper) onMeasured(m measured) {
	m.in.examined = false
	m.in.bytes = m.bytes
	if m.proved {
		k.onProved(m.in, m.proof)
	}
	if m.in == k.serving && k.due(m.in) {
		k.launch()
	}
}

// sick is after how many failed self-tests in a row a browser is replaced.
const sick = 2

func (k *keeper) onProved(in *instance, proof error) {
	k.stats.SelfTests++
	if proof == nil {
		in.failures = 0
		return
	}
	in.failures++
	k.stats.SelfTestFailures++
	k.pool.config.Logger.Warn("browser failed its self-test", "pid", in.browser.PID(), "in a row", in.failures, "error", proof)
}

func (k *keeper) due(in *instance) bool {
	c := k.pool.config
	return in.failures >= sick || c.RecycleJobs > 0 && in.jobs >= c.RecycleJobs ||
		c.RecycleBytes > 0 && in.bytes >= c.RecycleBytes ||
		c.RecycleAge > 0 && time.Since(in.born) >= c.RecycleAge
}

// onClosing refuses who waits and lets the browsers go as their last leases end.
func (k *keeper) onClosing() {
	k.closed = true
	k.serving = nil
	for _, r := range k.waiting {
		r.answer <- nil
	}
	k.waiting = nil
	if k.backoff != nil {
		k.backoff.Stop()
	}
	for _, in := range k.instances {
		k.retireIfUnused(in)
	}
}

// onKilling ends everything at once; what is leased counts as given back.
func (k *keeper) onKilling() {
	k.pool.kill()
	clear(k.leases)
	for _, in := range k.instances {
		in.browser.Kill()
	}
}

// leaveWhenDone stops a closed keeper once nothing is left to keep.
func (k *keeper) leaveWhenDone(c actor.Context) {
	if k.closed && len(k.leases) == 0 && len(k.instances) == 0 && !k.launching {
		c.Stop(c.Self())
	}
}

func (k *keeper) onStopped() {
	for _, in := range k.instances {
		in.browser.Kill()
	}
	close(k.pool.done)
}

func (k *keeper) snapshot() Stats {
	s := k.stats
	s.Slots, s.Leased, s.Waiting = k.pool.config.Slots, len(k.leases), len(k.waiting)
	if k.serving != nil {
		s.BrowserPID, s.BrowserBytes = k.serving.browser.PID(), k.serving.bytes
	}
	return s
}
