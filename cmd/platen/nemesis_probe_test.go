//go:build integration

package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// usualRecovery is how many seconds a node may take, after a fault or its start, to serve every shard,
	// where the machine has time for it.
	usualRecovery = "10"
	// hopeless is after how long a node that does not serve is ended, so that the run continues.
	hopeless = time.Minute
	// probePace is the pause between two requests of a probe. The earlier ones are
	// not given up: a reply that comes late counts, too.
	probePace = time.Second
)

// probe finds out when every node serves every shard: it submits jobs for each of them to each
// node until one is accepted.
type probe struct {
	began time.Time
	stop  chan struct{}

	mu     sync.Mutex
	served map[string]map[int]time.Time // by node, then shard; guarded by mu
	last   map[string]string            // what was last answered instead, by node and shard; guarded by mu
}

// probe begins a probe of all nodes.
func (s *storm) probe() *probe {
	p := &probe{began: time.Now(), stop: make(chan struct{}), served: map[string]map[int]time.Time{}, last: map[string]string{}}
	for _, n := range s.nodes {
		p.served[n.name] = map[int]time.Time{}
		for shard, from := range s.customers {
			go p.ask(s.crowd, n.name, n.address(), shard, from)
		}
	}
	return p
}

// ask sends a request each second until one is accepted.
func (p *probe) ask(c *crowd, node, address string, shard int, from client) {
	tick := time.NewTicker(probePace)
	defer tick.Stop()
	for !p.answered(node, shard) {
		go func() {
			o, said := c.post(from, address, c.next(), "")
			ready := o.status == http.StatusAccepted && isReady(address)
			p.mu.Lock()
			defer p.mu.Unlock()
			if _, already := p.served[node][shard]; !already && ready {
				p.served[node][shard] = time.Now()
			}
			p.last[fmt.Sprint(node, " shard ", shard)] = said
		}()
		select {
		case <-tick.C:
		case <-p.stop:
			return
		}
	}
}

func isReady(address string) bool {
	resp, err := transport.Get(address + "/readyz")
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

func (p *probe) answered(node string, shard int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.served[node][shard]
	return ok
}

// since returns how long after a moment a node served the last of its shards.
func (p *probe) since(node string, moment time.Time) (took time.Duration, all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, at := range p.served[node] {
		took = max(took, at.Sub(moment))
	}
	return took, len(p.served[node]) == clusterPartitions
}

// late describes the shards that a node does not serve yet, or began to serve late.
func (p *probe) late(node string, since time.Time, limit time.Duration) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for shard := range clusterPartitions {
		switch at, served := p.served[node][shard]; {
		case !served:
			all = append(all, fmt.Sprintf("shard %d: %s", shard, p.last[fmt.Sprint(node, " shard ", shard)]))
		case at.Sub(since) > limit:
			all = append(all, fmt.Sprintf("shard %d: after %.1f s", shard, at.Sub(since).Seconds()))
		}
	}
	return strings.Join(all, "; ")
}

// await waits until every node serves every shard. Each has to within the time for recovery. A
// node that never does is ended, so that the run continues. It returns how long the slowest took.
func (s *storm) await(after string, p *probe) (slowest time.Duration) {
	defer close(p.stop)
	for _, n := range s.nodes {
		for ended := 0; !s.awaitNode(n, after, p); ended++ {
			late := p.late(n.name, s.calmSince(p), s.recovery)
			if ended == 2 {
				s.giveUp("%s never serves after %s: %s", n.name, after, late)
			}
			s.fault("does not serve", "%s, %s after %s: %s; it is ended, and its log has its stacks", n.name, hopeless, after, late)
			s.end(n)
		}
		took, _ := p.since(n.name, s.calmSince(p))
		slowest = max(slowest, took)
	}
	return slowest
}

// calmSince is when the time for recovery began: with the probe, or when a node was started
// later, because it takes its shards from the others.
func (s *storm) calmSince(p *probe) time.Time {
	since := p.began
	for _, n := range s.nodes {
		if n.launched.After(since) {
			since = n.launched
		}
	}
	return since
}

// awaitNode waits until a node serves every shard; false if it seems hopeless.
func (s *storm) awaitNode(n *stormNode, after string, p *probe) bool {
	reported := false
	return s.pass(hopeless, func() bool {
		took, all := p.since(n.name, s.calmSince(p))
		if !all {
			took = time.Since(s.calmSince(p))
		}
		if took > s.recovery && n.relaunch.IsZero() && !reported {
			reported = true
			s.fault("does not serve in time", "%s, %s after %s: %s", n.name, s.recovery, after, p.late(n.name, s.calmSince(p), s.recovery))
		}
		return all
	})
}

// end ends a node that hangs, with its stacks in its log, and has it started again.
func (s *storm) end(n *stormNode) {
	_ = n.signal(syscall.SIGCONT) // it may have ended
	_ = n.signal(syscall.SIGQUIT)
	if _, ended := <-n.p.exited; !ended && !n.relaunch.IsZero() {
		return // the supervisor knows already
	}
	n.relaunch = time.Now().Add(relaunchPause)
}
