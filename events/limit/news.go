package limit

import (
	"sync"
	"time"
)

// News bounds how often the log says that something keeps failing: when it fails for another reason than before, and again after a while. The zero value
// has said nothing. It is safe for concurrent use.
type News struct {
	mu   sync.Mutex // guards the fields below
	last string     // the reason that was said last, and when
	at   time.Time
	open bool // it was not said since that this is over
}

// Is reports whether a failure is to be said. The same reason is news again only after a while, even if Over came between: what fails and works in turn
// must not fill the log.
func (n *News) Is(reason string, now time.Time, again time.Duration) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if reason == n.last && now.Sub(n.at) < again {
		return false
	}
	n.last, n.at, n.open = reason, now, true
	return true
}

// Over reports whether it is to be said that a failure is over: once for each that was said.
func (n *News) Over() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	was := n.open
	n.open = false
	return was
}
