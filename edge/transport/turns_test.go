package transport

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// requested makes a request with large content that takes a while to process.
func requested(turns *Turns, account events.AccountID, work time.Duration, refused bool) {
	w := turns.Begin(account)
	done := w.Take(FreeContent + 1)
	time.Sleep(work)
	done()
	w.End(refused)
}

// waits returns how long content of a size waits for its turn.
func waits(turns *Turns, account events.AccountID, bytes int) time.Duration {
	start := time.Now()
	done := turns.Begin(account).Take(bytes)
	defer done()
	return time.Since(start)
}

// After a refusal of large content, its account, and no other, rests nine times as long as the processing took.
func TestRestAfterRefusal(t *testing.T) {
	for name, tc := range map[string]struct {
		account events.AccountID
		bytes   int
		work    time.Duration
		refused bool
		want    time.Duration
	}{
		"refused":            {"bad", FreeContent + 1, 20 * time.Millisecond, true, 180 * time.Millisecond},
		"refused after long": {"bad", FreeContent + 1, time.Minute, true, longestRest},
		"accepted":           {"bad", FreeContent + 1, 20 * time.Millisecond, false, 0},
		"small":              {"bad", FreeContent, 20 * time.Millisecond, true, 0},
		"another account":    {"good", FreeContent + 1, 20 * time.Millisecond, true, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			turns := NewTurns(nil)
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

// A request that ends beside a refused one takes nothing from the rest that this one owes.
func TestRestBesideAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(nil)
		refused, good := turns.Begin("a"), turns.Begin("a")
		done := refused.Take(FreeContent + 1)
		time.Sleep(20 * time.Millisecond)
		done()
		good.Take(FreeContent + 1)()
		good.End(false)
		refused.End(true)
		if got := waits(turns, "a", FreeContent+1); got != 180*time.Millisecond {
			t.Errorf("it waited %v", got)
		}
		time.Sleep(longestRest)
	})
}

// An account whose content is refused gets a tenth of one processor, over however many connections.
func TestRefusalsTakeATenth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const clients, each, work = 20, 5, 10 * time.Millisecond
		turns := NewTurns(nil)
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

// No account rests once the server is shutting down.
func TestNoRestAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		turns := NewTurns(over)
		requested(turns, "bad", time.Minute, true)
		close(over)
		if got := waits(turns, "bad", FreeContent+1); got != 0 {
			t.Errorf("it waited %v", got)
		}
		time.Sleep(longestRest) // until the rest is forgotten
	})
}

// An account that sends much waits for its own requests, and others do not wait for it.
func TestTurnsOfAccounts(t *testing.T) {
	turns := NewTurns(nil)
	first := turns.Begin("greedy").Take(FreeContent + 1)
	order := make(chan string, 20)
	var waiting sync.WaitGroup
	wait := func(account events.AccountID) {
		waiting.Go(func() {
			done := turns.Begin(account).Take(FreeContent + 1)
			order <- string(account)
			done()
		})
	}
	for range 10 {
		wait("greedy")
	}
	users := func(account events.AccountID) int {
		turns.mu.Lock()
		defer turns.mu.Unlock()
		if turns.by[account] == nil {
			return 0
		}
		return turns.by[account].users
	}
	testkit.Eventually(t, "ten wait", func() bool { return users("greedy") == 11 })
	var held []func() // as many as there are turns
	for i := range cap(turns.all) - 1 {
		held = append(held, turns.Begin(events.AccountID(fmt.Sprint(i))).Take(FreeContent+1))
	}
	wait("modest")
	testkit.Eventually(t, "the other waits", func() bool { return users("modest") == 1 })
	first()
	for _, done := range held {
		done()
	}
	waiting.Wait()
	close(order)
	var got []string
	for account := range order {
		got = append(got, account)
	}
	if at := slices.Index(got, "modest"); at > 1 {
		t.Errorf("the other account was number %d: %v", at+1, got)
	}
}
