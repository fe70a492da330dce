package browserpool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/page"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// fill is a page that uses some MiB of memory and then loads a picture.
func fill(mib int, picture string) string {
	return fmt.Sprintf(`<p>TEXT<script>window.kept = []; for (let i = 0; i < %d; i++) kept.push(new Uint8Array(1 << 20).fill(1))</script><img src="%s">`, mib, picture)
}

// workers is a page with some threads and a picture.
func workers(n int, picture string) string {
	return fmt.Sprintf(`<p>TEXT<script>const url = URL.createObjectURL(new Blob(["onmessage = () => {}"]))
		for (let i = 0; i < %d; i++) window["w" + i] = new Worker(url)</script><img src="%s">`, n, picture)
}

const spin = `const end = performance.now() + %d; while (performance.now() < end);`

// A page that exceeds a bound ends with the error for it; a page within it does not.
func TestBounds(t *testing.T) {
	testkit.Long(t)
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/fill":  fill(400, ""),
		"/some":  fill(40, ""),
		"/spin":  `<p>TEXT<script>for (;;);</script>`,
		"/brief": `<p>TEXT<script>` + fmt.Sprintf(spin, 300) + `</script>`,
		"/both":  `<p>TEXT<script>for (let i = 0; i < 2; i++) new Worker(URL.createObjectURL(new Blob(["for (;;);"])))</script><img src="/never">`,
		"/crowd": workers(maxThreads, "/never"),
		"/few":   workers(20, ""),
		"/never": pagetest.NoAnswer,
	})
	pool := openPool(t, Config{Slots: 2, AllowEgress: pagetest.Loopback, PageBytes: 300 << 20, CPU: 2 * time.Second})
	for path, want := range map[string]error{
		"/fill": page.ErrTooLarge, "/some": nil, "/spin": page.ErrTimeout, "/brief": nil, "/both": page.ErrTimeout, "/crowd": page.ErrTooLarge, "/few": nil,
	} {
		// The pause gives the meter time to measure the page.
		job := page.Print{URL: web.URL + path, Load: contract.Load{Timeout: testkit.Patience.Milliseconds(), WaitAfter: (3 * meterEvery).Milliseconds()}, PrintTimeout: testkit.Patience}
		_, err := printWith(t.Context(), pool, job)
		if !errors.Is(err, want) || page.Retryable(err) {
			t.Errorf("%s: got %v, want %v", path, err, want)
		}
	}
	if text := printed(t, pool, page.Print{HTML: "<p>GOOD"}); !strings.Contains(text, "GOOD") {
		t.Errorf("the next document is %q", text)
	}
	if stats := pool.Stats(); stats.Restarts != 0 {
		t.Errorf("the browser was restarted: %+v", stats)
	}
}

// HTML without script can be heavy, too.
func TestHeavyHTML(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, CPU: time.Second / 2})
	_, err := printWith(t.Context(), pool, page.Print{HTML: heavy, PrintTimeout: testkit.Patience})
	if !errors.Is(err, page.ErrTimeout) || !strings.Contains(err.Error(), "processor time") {
		t.Errorf("got %v", err)
	}
	mustPrint(t, pool, page.Print{HTML: "next"})
	if stats := pool.Stats(); stats.Restarts != 0 {
		t.Errorf("the browser was restarted: %+v", stats)
	}
}

// Pages that use too much memory together cost the largest of them its browser, and no other.
func TestTotalMemory(t *testing.T) {
	pool := openPool(t, Config{Slots: 2, AllowEgress: pagetest.Loopback, PageBytes: 1 << 30, TotalBytes: 600 << 20})
	pictures := pagetest.NewPictures(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/large": fill(150, pictures.URL+"/held"), "/larger": fill(450, pictures.URL+"/held")})
	small := begin(t, t.Context(), pool, page.Print{HTML: pictures.Document("small")})
	testkit.Receive(t, pictures.Held, "the request of the small one")
	large := begin(t, t.Context(), pool, page.Print{URL: web.URL + "/large"})
	testkit.Receive(t, pictures.Held, "the request of the large one")
	larger := begin(t, t.Context(), pool, page.Print{URL: web.URL + "/larger"})
	if got := testkit.Receive(t, larger, "the largest"); !errors.Is(got.err, page.ErrCrashed) || !page.Retryable(got.err) {
		t.Errorf("the largest ended with %v", got.err)
	}
	pictures.Release()
	for name, done := range map[string]<-chan outcome{"small": small, "large": large} {
		if got := testkit.Receive(t, done, name); got.err != nil {
			t.Errorf("the %s one ended with %v", name, got.err)
		}
	}
}

// Pages that compute for a long time get the lowest priority, and are not reused.
func TestYield(t *testing.T) {
	testkit.Long(t)
	pool := openPool(t, Config{Slots: 1, AllowEgress: pagetest.Loopback})
	pictures := pagetest.NewPictures(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<p>TEXT<script>new Worker(URL.createObjectURL(new Blob(["for (;;);"])))</script><img src="` + pictures.URL + `/held">`})
	done := begin(t, t.Context(), pool, page.Print{URL: web.URL})
	testkit.Receive(t, pictures.Held, "the request")
	leases := pool.leases()
	if len(leases) != 1 {
		t.Fatalf("%d leases", len(leases))
	}
	pid := leases[0].in.browser.PID()
	eventually(t, pool, "the lowest priority", func(Stats) bool { return niceness(pid) == 19 })
	pictures.Release()
	if got := testkit.Receive(t, done, "the job"); got.err != nil {
		t.Error(got.err)
	}
	eventually(t, pool, "another browser", func(s Stats) bool { return s.RemotesDiscarded == 1 && s.RemoteBrowsers == 1 })
}

// niceness returns the niceness of a process, -1 if it is gone.
func niceness(pid int) (nice int) {
	stat, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "stat"))
	if err != nil {
		return -1
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	_, _ = fmt.Sscan(strings.Fields(rest)[16], &nice)
	return nice
}

// The processes of shared pages must be known, or they could not be measured.
func TestRenderersAreKnown(t *testing.T) {
	pool := openPool(t, Config{Slots: 3})
	if err := captureWith(t.Context(), pool, page.Capture{HTML: "<p>x"}); err != nil {
		t.Fatal(err)
	}
	known := map[int]bool{}
	for range 3 {
		lease, err := pool.Acquire(t.Context(), anyone(), laneOf(page.Print{}))
		if err != nil {
			t.Fatal(err)
		}
		defer lease.Return()
		for _, pid := range lease.pages.Renderers() {
			known[pid] = true
		}
		if r := read(lease, chromium.ReadUsage(map[int]bool{lease.in.browser.PID(): true})); r.Bytes == 0 || r.CPU == 0 || r.Threads == 0 {
			t.Errorf("a page uses %+v", r.Usage)
		}
	}
	if len(known) < 3 {
		t.Errorf("%d renderers of three sets are known", len(known))
	}
}
