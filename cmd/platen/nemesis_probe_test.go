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
	// recovery is how long a node may take, after a fault or its start, to serve every shard.
	recovery = 10 * time.Second
	// hopeless is after how long a node that does not serve is ended, so that the run goes on.
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

// missing describes the shards that a node does not serve.
func (p *probe) missing(node string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for shard := range clusterPartitions {
		if _, ok := p.served[node][shard]; !ok {
			all = append(all, fmt.Sprintf("shard %d: %s", shard, p.last[fmt.Sprint(node, " shard ", shard)]))
		}
	}
	return strings.Join(all, "; ")
}

// await waits until every node serves every shard. Each has to within the time for recovery,
// after the probe began or the node was last started, whichever was later. It returns how
// long the slowest one took.
func (s *storm) await(after string, p *probe) (slowest time.Duration) {
	defer close(p.stop)
	late := map[string]bool{}
	for _, n := range s.nodes {
		since := func() time.Time {
			if n.launched.After(p.began) {
				return n.launched
			}
			return p.began
		}
		for gaveUp := 0; ; gaveUp++ {
			s.pass(hopeless, func() bool {
				took, all := p.since(n.name, since())
				if (all && took > recovery || !all && time.Since(since()) > recovery && n.relaunch.IsZero()) && !late[n.name] {
					late[n.name] = true
					s.fault("does not serve in time", "%s, %s after %s: %s", n.name, recovery, after, p.missing(n.name))
				}
				if all {
					slowest = max(slowest, took)
				}
				return all
			})
			if _, all := p.since(n.name, p.began); all {
				break
			}
			if gaveUp == 2 {
				s.t.Fatalf("%s never serves after %s: %s", n.name, after, p.missing(n.name))
			}
			s.fault("does not serve", "%s, %s after %s: %s; it is ended, and its log has its stacks", n.name, hopeless, after, p.missing(n.name))
			s.end(n)
		}
	}
	return slowest
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
