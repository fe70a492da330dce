package node

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Close waits for a slow part, and leaves one that does not end, and those that started before it,
// to the end of the process.
func TestCloseDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const drain = 10 * time.Second
		broken := errors.New("broken")
		never := make(chan struct{})
		for _, c := range []struct {
			takes time.Duration // 0 means forever
			want  string
		}{{drain + closeGrace - 1, "stop slow: broken\nstop first: ended"}, {0, "stop slow: not within 25s"}} {
			n := &Node{base: &base{cfg: Config{DrainSeconds: int(drain / time.Second)}}}
			n.onClose("first", func(context.Context) error { return errors.New("ended") })
			n.onClose("slow", func(context.Context) error {
				if c.takes == 0 {
					<-never
				}
				time.Sleep(c.takes) // the bubble's time
				return broken
			})
			began := time.Now()
			err := n.Close()
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || time.Since(began) > drain+closeGrace {
				t.Errorf("close: %v after %s, want %q", err, time.Since(began), c.want)
			}
		}
		close(never)
	})
}
