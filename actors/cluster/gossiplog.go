package cluster

import (
	"log/slog"
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
	told   time.Time // guarded by mu
}

// tellAgain is the pause between two warnings: such a node tries again every two seconds.
const tellAgain = 5 * time.Minute

var (
	otherSecret = regexp.MustCompile(`(?i)no installed keys could decrypt|remote state is (not )?encrypted`)
	fromAddress = regexp.MustCompile(`from=([0-9a-fA-F.:\[\]]{1,60})`)
)

// Write implements io.Writer; each call has a line.
func (g *gossipLog) Write(line []byte) (int, error) {
	if otherSecret.Match(line) && g.due() {
		peer := ""
		if found := fromAddress.FindSubmatch(line); found != nil {
			peer = string(found[1])
		}
		g.logger.Warn("refused at the port of gossip: a node with another secret, or a stranger", "peer", peer)
	}
	return len(line), nil
}

// due reports whether it is time to warn.
func (g *gossipLog) due() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if !g.told.IsZero() && now.Sub(g.told) < tellAgain {
		return false
	}
	g.told = now
	return true
}
