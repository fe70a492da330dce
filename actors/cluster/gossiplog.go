package cluster

import (
	"log/slog"
	"maps"
	"net"
	"regexp"
	"sync"
	"time"
)

// gossipLog reads the log of memberlist, which is for its developers, and tells the operator what nobody else knows: that somebody gossips with another
// secret, or without one. Both sides are alone then, and the other sees only a connection that ends.
type gossipLog struct {
	logger *slog.Logger
	now    func() time.Time
	mu     sync.Mutex
	told   map[string]time.Time // by address, without its port; guarded by mu
}

const (
	// tellAgain is the pause between two warnings of an address: such a node tries again every two seconds.
	tellAgain = 5 * time.Minute
	// maxTold bounds the addresses remembered: beyond it, nobody is told of until the first is due again.
	maxTold = 16
)

var (
	otherSecret = regexp.MustCompile(`(?i)no installed keys could decrypt|remote state is (not )?encrypted`)
	fromAddress = regexp.MustCompile(`from=([0-9a-fA-F.:\[\]]{1,60})`)
)

// Write implements io.Writer; each call has a line.
func (g *gossipLog) Write(line []byte) (int, error) {
	if !otherSecret.Match(line) {
		return len(line), nil
	}
	peer := ""
	if found := fromAddress.FindSubmatch(line); found != nil {
		peer = string(found[1])
	}
	if g.due(peer) {
		g.logger.Warn("refused at the port of gossip: a node with another secret, or a stranger", "peer", peer)
	}
	return len(line), nil
}

// due reports whether it is time to warn of a peer.
func (g *gossipLog) due(peer string) bool {
	host, _, err := net.SplitHostPort(peer)
	if err != nil {
		host = peer
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	maps.DeleteFunc(g.told, func(_ string, told time.Time) bool { return now.Sub(told) >= tellAgain })
	if _, told := g.told[host]; told || len(g.told) == maxTold {
		return false
	}
	g.told[host] = now
	return true
}
