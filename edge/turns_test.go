package edge

import (
	"testing"
	"testing/synctest"
	"time"

	"platen.dev/events"
)

// requested is a request with large content that is worked on for a while and then ends.
func requested(turns *turns, account events.AccountID, work time.Duration, refused bool) {
	leave := turns.enter(account, noTurn+1)
	done := turns.take(account, noTurn+1)
	time.Sleep(work)
	done()
	leave(refused)
}

// waits is how long content of so many bytes waits for its turn.
func waits(turns *turns, account events.AccountID, bytes int) time.Duration {
	start := time.Now()
	done := turns.take(account, bytes)
	defer done()
	return time.Since(start)
}

// An account whose large content was refused rests nine times as long as that took, and nobody else does.
func TestRestAfterRefusal(t *testing.T) {
	for name, tc := range map[string]struct {
		account events.AccountID
		bytes   int
		work    time.Duration
		refused bool
		want    time.Duration
	}{
		"refused":            {"bad", noTurn + 1, 20 * time.Millisecond, true, 180 * time.Millisecond},
		"refused after long": {"bad", noTurn + 1, time.Minute, true, longestRest},
		"accepted":           {"bad", noTurn + 1, 20 * time.Millisecond, false, 0},
		"small":              {"bad", noTurn, 20 * time.Millisecond, true, 0},
		"another account":    {"good", noTurn + 1, 20 * time.Millisecond, true, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			turns := newTurns(nil)
			requested(turns, "bad", tc.work, tc.refused)
			if got := waits(turns, tc.account, tc.bytes); got != tc.want {
				t.Errorf("%s: it waited %v, want %v", name, got, tc.want)
			}
			time.Sleep(longestRest)
			synctest.Wait()
			if len(turns.all)+len(turns.by) != 0 {
				t.Errorf("%s: %d turns of %d accounts are left", name, len(turns.all), len(turns.by))
			}
		})
	}
}

// An account that sends what is refused, over many connections at once, has a tenth of one processor.
func TestRefusalsTakeATenth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const clients, each, work = 20, 5, 10 * time.Millisecond
		turns := newTurns(nil)
		start := time.Now()
		finished := make(chan struct{})
		for range clients {
			go func() {
				for range each {
					requested(turns, "bad", work, true)
				}
				finished <- struct{}{}
			}()
		}
		for range clients {
			<-finished
		}
		// The last one ends without a rest.
		if got, least := time.Since(start), (clients*each-1)*(restFactor+1)*work; got < least {
			t.Errorf("%d refused requests took %v, want %v at least", clients*each, got, least)
		}
	})
}

// Nobody rests when the server ends.
func TestNoRestAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		turns := newTurns(over)
		requested(turns, "bad", time.Minute, true)
		close(over)
		if got := waits(turns, "bad", noTurn+1); got != 0 {
			t.Errorf("it waited %v", got)
		}
		time.Sleep(longestRest) // until the rest is forgotten
	})
}
