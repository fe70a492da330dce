package rate

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, testkit.LeftByRemoting()...) }

// clock stands still until it is moved.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time { return time.UnixMilli(c.at.Load()) }

// newLimiter makes a limiter of node "here" whose accounts belong to owner.
func newLimiter(t *testing.T, owner events.NodeID, address func(events.NodeID) (string, bool)) (*Limiter, *clock) {
	t.Helper()
	system := testkit.System(t)
	c := &clock{}
	c.at.Store(1_700_000_000_000)
	l, err := Start(Config{
		Self: "here", System: system, Address: address, Logger: testkit.Silent(), Now: c.now,
		Owner: func(events.AccountID) events.NodeID { return owner },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l, c
}

// Of many concurrent callers, exactly as many as the limit are allowed.
func TestExact(t *testing.T) {
	l, c := newLimiter(t, "here", nil)
	var allowed atomic.Int64
	ask := func() {
		var group sync.WaitGroup
		for range 16 {
			group.Go(func() {
				for range 40 {
					if l.Take("acc", 500).Allowed {
						allowed.Add(1)
					}
				}
			})
		}
		group.Wait()
	}
	ask()
	if got := allowed.Swap(0); got != 500 {
		t.Errorf("got %d of 640 requests through, want 500", got)
	}
	if r := l.Take("another", 500); !r.Allowed || r.Remaining != 499 {
		t.Errorf("another account: got %+v", r)
	}
	c.at.Add(time.Minute.Milliseconds())
	ask()
	if got := allowed.Load(); got != 500 {
		t.Errorf("a minute later: got %d of 640 requests through, want 500", got)
	}
}

// The limiter does not wait for an owner that is down: the node continues from its own counts.
func TestFallback(t *testing.T) {
	var asked atomic.Int64
	l, c := newLimiter(t, "there", func(events.NodeID) (string, bool) { asked.Add(1); return "", false })
	for i := range int64(3) {
		if r := l.Take("acc", 3); !r.Allowed || r.Remaining != 2-i {
			t.Errorf("request %d: got %+v", i, r)
		}
	}
	if r := l.Take("acc", 3); r.Allowed {
		t.Errorf("beyond the limit: got %+v", r)
	}
	if got := asked.Load(); got != 1 {
		t.Errorf("the owner was asked %d times within a second of its silence", got)
	}
	c.at.Add(silence.Milliseconds())
	l.Take("acc", 3)
	if got := asked.Load(); got != 2 {
		t.Errorf("after a second it was asked %d times in all, want 2", got)
	}
}

// However many requests wait for an owner that does not reply, it is logged once.
func TestSilenceIsLoggedOnce(t *testing.T) {
	const requests = 20
	var all sync.WaitGroup // requests that ask
	all.Add(requests)
	l, c := newLimiter(t, "there", func(events.NodeID) (string, bool) { all.Done(); all.Wait(); return "", false })
	var lines bytes.Buffer
	l.cfg.Logger = slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))
	for range 2 {
		var group sync.WaitGroup
		for range requests {
			group.Go(func() { l.Take("acc", 1000) })
		}
		group.Wait()
		all.Add(requests)
		c.at.Add(silence.Milliseconds())
	}
	if got := strings.Count(lines.String(), "\n"); got != 2 {
		t.Errorf("%d lines were logged of an owner that was silent twice:\n%s", got, &lines)
	}
}

// Messages that no node sends get no reply and change nothing.
func TestForeignMessages(t *testing.T) {
	l, _ := newLimiter(t, "here", nil)
	for name, m := range map[string]any{
		"no CBOR": wrapperspb.Bytes([]byte{0xff}), "empty": wrapperspb.Bytes(nil), "no account": wrapperspb.Bytes([]byte{0xa0}),
		"long account": wrapperspb.Bytes(append([]byte{0xa1, 0x01, 0x79, 0x01, 0x00}, make([]byte, 256)...)), "text": "hello",
	} {
		if reply, err := l.cfg.System.Root.RequestFuture(l.pid, m, 50*time.Millisecond).Result(); err == nil {
			t.Errorf("%s got the reply %v", name, reply)
		}
	}
	if r := l.Take("acc", 1); !r.Allowed {
		t.Errorf("afterwards: got %+v", r)
	}
}

// The windows of accounts that send no more requests are dropped.
func TestSweep(t *testing.T) {
	l, c := newLimiter(t, "here", nil)
	for i := range 1_000 {
		l.Take(events.AccountID(string(rune('a'+i%26))+time.Duration(i).String()), 10)
	}
	c.at.Add(2 * time.Minute.Milliseconds())
	for i := range 1_000 {
		l.Take(events.AccountID("new"+time.Duration(i).String()), 10)
	}
	c.at.Add(2 * time.Minute.Milliseconds())
	left := 0
	for i := range l.windows.buckets {
		b := &l.windows.buckets[i]
		b.window("the only one", events.At(c.now()))
		left += len(b.accounts)
	}
	if left != len(l.windows.buckets) {
		t.Errorf("%d accounts are remembered, want one in each bucket", left)
	}
}
