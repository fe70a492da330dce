package dashboard

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"platen.dev/events"
	"platen.dev/projections"
)

// At most one preview per account and two per node are rendered at once; whoever would wait behind too many gets an error.
func TestLooksAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, free := newLooks(), make(chan struct{})
		making, most := map[events.AccountID]int{}, map[events.AccountID]int{}
		all, mostOfAll := 0, 0
		results := make(chan error, 100)
		ask := func(account events.AccountID, n int) {
			_, err := l.picture(t.Context(), look{account: account, page: n}, time.Now, func(context.Context) ([]byte, error) {
				l.mu.Lock()
				making[account]++
				all++
				most[account], mostOfAll = max(most[account], making[account]), max(mostOfAll, all)
				l.mu.Unlock()
				<-free
				l.mu.Lock()
				making[account]--
				all--
				l.mu.Unlock()
				return []byte("png"), nil
			})
			results <- err
		}
		for n := range maxAccountLooks {
			go ask("acc_a", n)
		}
		synctest.Wait()
		go ask("acc_a", maxAccountLooks)
		if err := <-results; !errors.Is(err, errManyLooks) {
			t.Errorf("one more than may wait: %v", err)
		}
		for _, account := range []events.AccountID{"acc_b", "acc_c"} {
			go ask(account, 1)
		}
		synctest.Wait()
		for range maxAccountLooks + 2 {
			free <- struct{}{}
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
		if most["acc_a"] != 1 || mostOfAll != maxLooks || len(l.by) != 0 {
			t.Errorf("at once: %d of one account, %d of all; %d accounts still have a turn", most["acc_a"], mostOfAll, len(l.by))
		}
	})
}

// Rendering a preview and waiting for a turn are both bounded in time.
func TestLooksEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLooks()
		results := make(chan error)
		for n := range 2 {
			go func() {
				_, err := l.picture(t.Context(), look{account: "acc_a", page: n}, time.Now, func(ctx context.Context) ([]byte, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				})
				results <- err
			}()
		}
		start := time.Now()
		for range 2 {
			if err := <-results; !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		}
		if took := time.Since(start); took != lookTime || len(l.by) != 0 || len(l.making) != 0 {
			t.Errorf("it took %s; %d turns and %d pictures are left", took, len(l.by), len(l.making))
		}
	})
}

// The cache is bounded in size and age, and keeps the newest.
func TestLooksKept(t *testing.T) {
	l, now := newLooks(), time.Unix(0, 0)
	made := 0
	get := func(n, size int) {
		t.Helper()
		if _, err := l.picture(t.Context(), look{page: n}, func() time.Time { return now }, func(context.Context) ([]byte, error) {
			made++
			return make([]byte, size), nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		n, size int
		after   time.Duration
		made    int
	}{
		{1, keptLooks / 2, 0, 1},
		{1, 0, keepLook - 1, 1},     // cached
		{2, keptLooks / 2, 0, 2},    // all fit
		{1, 0, 0, 2},                //
		{3, 1, 0, 3},                // the first does not fit any more
		{2, 0, 0, 3},                //
		{1, 10, 0, 4},               //
		{2, 10, keepLook, 5},        // too old
		{4, keptLooks + 1, 0, 6},    // larger than all may be
		{4, 1, 0, 7},                //
		{4, 1, keepLook - 1, 7},     //
		{4, 1, time.Nanosecond, 8},  //
		{5, 0, 1000 * time.Hour, 9}, //
	} {
		now = now.Add(step.after)
		if get(step.n, step.size); made != step.made || l.bytes > keptLooks || len(l.order) != len(l.kept) {
			t.Errorf("%+v: %d were made; %d bytes, %d in order, %d kept", step, made, l.bytes, len(l.order), len(l.kept))
		}
	}
	if _, err := l.picture(t.Context(), look{page: 9}, time.Now, func(context.Context) ([]byte, error) { return nil, fmt.Errorf("no") }); err == nil || l.kept[look{page: 9}].png != nil {
		t.Error("a failure is remembered")
	}
}

func TestPagesShown(t *testing.T) {
	done := projections.Job{Status: events.StatusDone, Expires: 100, File: events.File{Pages: 3, Size: maxLookFile}}
	for name, c := range map[string]struct {
		change func(*projections.Job)
		want   int
	}{
		"done":              {func(*projections.Job) {}, 3},
		"many pages":        {func(j *projections.Job) { j.File.Pages = 5 }, 4},
		"a picture":         {func(j *projections.Job) { j.File.Pages = 0 }, 1},
		"too large":         {func(j *projections.Job) { j.File.Size++ }, 0},
		"not done":          {func(j *projections.Job) { j.Status = events.StatusRendering }, 0},
		"delivered":         {func(j *projections.Job) { j.Delivered = true }, 0},
		"deleted":           {func(j *projections.Job) { j.Gone = true }, 0},
		"about to expire":   {func(j *projections.Job) { j.Expires = 51 }, 3},
		"just expired":      {func(j *projections.Job) { j.Expires = 50 }, 0},
		"all its downloads": {func(j *projections.Job) { j.Downloads = 3 }, 3},
	} {
		j := done
		if c.change(&j); pagesShown(j, 50) != c.want {
			t.Errorf("%s: %d pages, not %d", name, pagesShown(j, 50), c.want)
		}
	}
}
