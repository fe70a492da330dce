package browserpool

import (
	"context"
	"errors"
	"sync"
	"testing"

	"platen.dev/browserpool/page"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// The pages of a holder whose context ends are returned automatically.
func TestHolderGone(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: pagetest.Loopback})
	pictures := pagetest.NewPictures(t)

	ctx, cancel := context.WithCancel(t.Context())
	if _, err := pool.Acquire(ctx, anyone(), events.Quick); err != nil { // and it is never returned
		t.Fatal(err)
	}
	cancel()
	mustPrint(t, pool, page.Print{HTML: "x"})

	ctx, cancel = context.WithCancel(t.Context())
	done := begin(t, ctx, pool, page.Print{HTML: pictures.Document("busy")})
	testkit.Receive(t, pictures.Held, "the request")
	cancel()
	if got := testkit.Receive(t, done, "the cancelled job"); !errors.Is(got.err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", got.err)
	}
	mustPrint(t, pool, page.Print{HTML: "x"})
	eventually(t, pool, "no lease", func(s Stats) bool { return s.Leased == 0 && s.Discarded == 2 })
}

// Requests are served in order of arrival; abandoned ones are forgotten.
func TestQueue(t *testing.T) {
	pool := openPool(t, Config{Slots: 1})
	holder, err := pool.Acquire(t.Context(), anyone(), events.Quick)
	if err != nil {
		t.Fatal(err)
	}
	order := make(chan int, 10)
	var waiting sync.WaitGroup
	givenUp, giveUp := context.WithCancel(t.Context())
	for i := range 5 {
		ctx := t.Context()
		if i == 2 {
			ctx = givenUp
		}
		waiting.Go(func() {
			lease, err := pool.Acquire(ctx, anyone(), events.Quick)
			if i == 2 {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("the request that was given up got %v", err)
				}
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			order <- i
			lease.Return()
		})
		eventually(t, pool, "one more request waiting", func(s Stats) bool { return s.Waiting == i+1 })
	}
	giveUp()
	eventually(t, pool, "one request fewer waiting", func(s Stats) bool { return s.Waiting == 4 })
	holder.Return()
	holder.Return() // the second does nothing
	waiting.Wait()
	close(order)
	var got []int
	for i := range order {
		got = append(got, i)
	}
	if want := []int{0, 1, 3, 4}; len(got) != 4 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] || got[3] != want[3] {
		t.Errorf("served in order %v, want %v", got, want)
	}
}

// Close lets the running job finish and refuses the waiting ones.
func TestClose(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: pagetest.Loopback})
	pictures := pagetest.NewPictures(t)
	running := begin(t, t.Context(), pool, page.Print{HTML: pictures.Document("running")})
	testkit.Receive(t, pictures.Held, "the request")
	waiting := make(chan outcome, 1)
	go func() {
		_, err := printWith(t.Context(), pool, page.Print{HTML: "waiting"})
		waiting <- outcome{err: err}
	}()
	eventually(t, pool, "a job waiting", func(s Stats) bool { return s.Waiting == 1 })
	closed := make(chan struct{})
	go func() { defer close(closed); closePool(t, pool) }()
	if got := testkit.Receive(t, waiting, "the waiting job"); !errors.Is(got.err, ErrClosed) {
		t.Errorf("got %v, want ErrClosed", got.err)
	}
	pictures.Release()
	if got := testkit.Receive(t, running, "the running job"); got.err != nil {
		t.Errorf("the running job ended with %v", got.err)
	}
	testkit.Receive(t, closed, "the close")
	if _, err := printWith(t.Context(), pool, page.Print{HTML: "late"}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	if stats := pool.Stats(); stats != (Stats{}) {
		t.Errorf("a closed pool has %+v", stats)
	}
}

// Close with no time left kills running jobs.
func TestCloseHard(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: pagetest.Loopback})
	pictures := pagetest.NewPictures(t)
	running := begin(t, t.Context(), pool, page.Print{HTML: pictures.Document("running")})
	testkit.Receive(t, pictures.Held, "the request")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	pool.Close(ctx)
	if got := testkit.Receive(t, running, "the running job"); !errors.Is(got.err, page.ErrBrowserGone) {
		t.Errorf("got %v, want ErrBrowserGone", got.err)
	}
	noZombies(t)
}
