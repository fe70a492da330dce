package browserpool

import (
	"net/http"
	"testing"
	"time"

	"platen.dev/browserpool/page"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events"
)

// visitor leases pages for jobs by URL.
type visitor struct {
	*Pool
	t *testing.T
}

// visit runs a job of an account, and returns the pages that served it.
func (v visitor) visit(account events.AccountID, url string) *page.Set {
	v.t.Helper()
	lease, err := v.Acquire(v.t.Context(), account, events.Remote)
	if err != nil {
		v.t.Fatal(err)
	}
	if _, err := lease.Print(v.t.Context(), page.Print{URL: url}); err != nil {
		v.t.Fatal(err)
	}
	lease.Return()
	return lease.pages
}

// kept waits until n leases have ended with their browser kept.
func (v visitor) kept(n int64) {
	v.t.Helper()
	eventually(v.t, v.Pool, "the browser kept", func(s Stats) bool { return s.RemotesKept == n })
}

// An account whose jobs follow one another gets its last browser again, and no other account does, as long as others are available.
func TestAnAccountKeepsItsBrowser(t *testing.T) {
	v := visitor{openPool(t, Config{Slots: 1, Remotes: 3, KeepRemote: time.Hour, AllowEgress: pagetest.Loopback}), t}
	web := pagetest.NewWeb(t, pagetest.Pages{"/": "<p>TEXT"})
	v.visit("one", web.URL)
	one := v.visit("one", web.URL)
	v.kept(1)
	v.visit("other", web.URL)
	other := v.visit("other", web.URL)
	v.kept(2)
	if one == other {
		t.Error("another account has the pages of the first")
	}
	for i := range int64(2) {
		if v.visit("one", web.URL) != one {
			t.Error("the first account has other pages")
		}
		v.kept(3 + 2*i)
		if v.visit("other", web.URL) != other {
			t.Error("the other account has other pages")
		}
		v.kept(4 + 2*i)
	}
}

// If the number of browsers is at its limit, a kept one is given to another account, but its browser context is not.
func TestAKeptBrowserGivesWay(t *testing.T) {
	v := visitor{openPool(t, Config{Slots: 1, Remotes: 1, KeepRemote: time.Hour, AllowEgress: pagetest.Loopback}), t}
	cookies := make(chan string, 3)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookies <- r.Header.Get("Cookie")
		w.Header().Set("Set-Cookie", "a=1")
	})})
	v.visit("one", web.URL)
	v.visit("one", web.URL)
	v.kept(1)
	v.visit("other", web.URL)
	for range cap(cookies) {
		if cookie := <-cookies; cookie != "" {
			t.Errorf("the browser sent the cookie %q", cookie)
		}
	}
	if all := v.Stats().RemoteBrowsers; all != 1 {
		t.Errorf("%d browsers run, want 1", all)
	}
}

// A browser is kept for an account only after a job for the same site as the one before: its page's process belongs to one site.
func TestHabits(t *testing.T) {
	v := visitor{openPool(t, Config{Slots: 1, Remotes: 1, KeepRemote: time.Hour, AllowEgress: pagetest.Loopback}), t}
	here, there := pagetest.NewWeb(t, pagetest.Pages{"/": "<p>HERE"}), pagetest.NewWeb(t, pagetest.Pages{"/": "<p>THERE"})
	for _, url := range []string{here.URL, there.URL, there.URL, here.URL, there.URL, there.URL} {
		v.visit("one", url)
	}
	v.kept(2)
	v.visit("one", here.URL)
	v.visit("one", there.URL) // so that the last one counts
	v.kept(2)
}

// No browser is kept for an account whose jobs are too far apart.
func TestNoHabit(t *testing.T) {
	v := visitor{openPool(t, Config{Slots: 1, Remotes: 1, KeepRemote: 1, AllowEgress: pagetest.Loopback}), t}
	web := pagetest.NewWeb(t, pagetest.Pages{"/": "<p>TEXT"})
	for range 3 {
		v.visit("one", web.URL)
	}
	v.kept(0)
}

// A browser that uses more memory than its share of the limit of all leases is not kept.
func TestHeavyBrowsersAreNotKept(t *testing.T) {
	const share = 16 << 20 // less than any browser uses
	v := visitor{openPool(t, Config{Slots: 1, Remotes: 32, TotalBytes: 2 * 32 * share, PageBytes: 1 << 30, KeepRemote: time.Hour, AllowEgress: pagetest.Loopback}), t}
	web := pagetest.NewWeb(t, pagetest.Pages{"/": "<p>TEXT"})
	for range 3 {
		v.visit("one", web.URL)
	}
	v.kept(0)
}

// A browser that was told to close is not lent, even while its pages still exist.
func TestRetiredBrowsersAreNotLent(t *testing.T) {
	s := &scheduler{instances: []*instance{{remote: true, owner: "one", pages: stock{idle: []idlePages{{}}}, retired: true}}}
	if s.remote("one") != nil || s.longestKept(true) != nil {
		t.Error("a browser that closes would be lent")
	}
}
