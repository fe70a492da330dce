package browserpool

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen.dev/browserpool/egress"
)

// blank is a picture of one colour, a bit per pixel, made without holding it.
func blank(width, height int) []byte {
	var data bytes.Buffer
	pixels, _ := zlib.NewWriterLevel(&data, zlib.BestSpeed)
	row := make([]byte, 1+(width+7)/8)
	for range height {
		_, _ = pixels.Write(row)
	}
	_ = pixels.Close()
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height))
	picture := []byte("\x89PNG\r\n\x1a\n")
	for _, part := range []struct {
		kind string
		data []byte
	}{{"IHDR", append(header, 1, 0, 0, 0, 0)}, {"IDAT", data.Bytes()}, {"IEND", nil}} {
		picture = binary.BigEndian.AppendUint32(picture, uint32(len(part.data)))
		body := append([]byte(part.kind), part.data...)
		picture = binary.BigEndian.AppendUint32(append(picture, body...), crc32.ChecksumIEEE(body))
	}
	return picture
}

// drip sends a byte now and then, and never ends.
func drip(kind, start string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, start)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			_, err := fmt.Fprint(w, " ")
			if err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
	}
}

// flood sends as fast as it can, and never ends.
func flood(kind, start string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, start)
		for part := make([]byte, 64<<10); ; {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	}
}

func hugeHeader(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("X-Huge", strings.Repeat("x", 1<<20))
	fmt.Fprint(w, "<p>TEXT")
}

// Hostile pages end in the right error within their budget; the job beside them
// is not disturbed, and nothing of them is left.
func TestHostilePages(t *testing.T) {
	temp := t.TempDir()
	pool := openPool(t, Config{Slots: 2, AllowEgress: loopback, TempDir: temp, EgressLimits: egress.Limits{Total: 8 << 20}})
	huge := blank(12_000, 12_000)
	web := newWeb(t, pages{
		"/loop":         `<p>TEXT<script>for (;;);</script>`,
		"/nodes":        `<script>document.write("<b>x</b>".repeat(50_000))</script>`,
		"/hidden":       `<script>window.kept = []; for (let i = 0; i < 1_100_000; i++) kept.push(document.createTextNode(i))</script>`,
		"/pages":        `<script>document.write("<p style='break-after: page'>x".repeat(10_000))</script>`,
		"/tall":         `<div style="height: 30000000px">x</div>`,
		"/picture":      `<p>TEXT<img width="9" height="9" src="/huge.png">`,
		"/faked":        `<p>TEXT<img width="9" height="9" src="/huge.png"><script>Object.defineProperty(HTMLImageElement.prototype, "naturalWidth", {value: 1}); Array.prototype.reduce = () => [0, 0]</script>`,
		"/huge.png":     http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(huge) }),
		"/alerts":       `<p>TEXT<script>for (;;) { alert(1); confirm(2); prompt(3); print() }</script>`,
		"/unload":       `<p>TEXT<script>onbeforeunload = () => "stay"; onload = () => { for (let i = 0; ; i++) location = "/unload?" + i }</script>`,
		"/dripping":     drip("text/html", "<p>TEXT"),
		"/drips":        `<p>TEXT<img src="/drip.png">`,
		"/drip.png":     drip("image/png", "\x89PNG\r\n\x1a\n"),
		"/redirects":    redirect("/redirects"),
		"/script-moves": `<script>location = "/script-moves?" + Math.random()</script>`,
		"/header":       http.HandlerFunc(hugeHeader),
		"/flood":        flood("text/html", "<p>TEXT"),
		"/floods":       `<p>TEXT<img src="/flood.png">`,
		"/flood.png":    flood("image/png", "\x89PNG\r\n\x1a\n"),
		"/upload":       `<p>TEXT<script>const b = new Blob([new Uint8Array(16 << 20)]); fetch("/sink", {method: "POST", body: b}); onload = () => new Promise(() => {})</script><img src="/stuck">`,
		"/sink":         http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }),
		"/stuck":        http.HandlerFunc(stuck),
		"/good":         good,
	})
	before := countTargets(t, pool)
	for path, want := range map[string]error{
		"/loop":  ErrTimeout,
		"/nodes": ErrTooLarge, "/hidden": ErrTooLarge, "/pages": ErrTooLarge, "/tall": ErrTooLarge, "/picture": ErrTooLarge, "/faked": ErrTooLarge,
		"/alerts": ErrTimeout, "/unload": ErrTimeout, "/dripping": ErrTimeout, "/drips": ErrTimeout,
		"/redirects": ErrNavigation, "/script-moves": ErrTimeout, "/header": ErrNavigation,
		"/flood": ErrTooLarge, "/floods": ErrTooLarge, "/upload": ErrTooLarge,
	} {
		meets(t, pool, web, path, want)
	}
	unscathed(t, pool, before, temp)
}

// A page that asks for more memory than a process may have ends by itself. The bound
// is low here, so that a busy machine fills it soon, too.
func TestMemoryBombs(t *testing.T) {
	temp := t.TempDir()
	pool := openPool(t, Config{Slots: 2, AllowEgress: loopback, TempDir: temp, MaxData: 512 << 20})
	web := newWeb(t, pages{
		"/good": good,
		// What cannot be allocated is an error in the script, and the page prints.
		"/memory":        `<p>TEXT<script>const all = []; for (;;) all.push(new Uint8Array(1 << 24).fill(1))</script>`,
		"/heap":          `<p>TEXT<script>const all = []; for (;;) all.push([1.5, all.length, {}, "x" + all.length])</script>`,
		"/worker-memory": `<p>TEXT<script>new Worker(URL.createObjectURL(new Blob(["const all = []; for (;;) all.push(new Uint8Array(1 << 24).fill(1))"]))); for (;;);</script>`,
	})
	before := countTargets(t, pool)
	meets(t, pool, web, "/memory", nil)
	meets(t, pool, web, "/heap", ErrCrashed)
	meets(t, pool, web, "/worker-memory", ErrTimeout)
	unscathed(t, pool, before, temp)
}

// good is the page of the job beside a hostile one.
const good = `<p>GOOD<script>document.write("RAN")</script>`

// meets prints a hostile page, which must end as wanted, and good ones beside it. What
// shall run out of time gets little; nothing else may, on however busy a machine.
func meets(t *testing.T, pool *Pool, web *web, path string, want error) {
	t.Helper()
	job := Print{URL: web.URL + path, Load: Load{Timeout: patience}, PrintTimeout: patience, Limits: Limits{Nodes: 100_000}}
	if want == ErrTimeout {
		job.Load.Timeout = time.Second
	}
	start := time.Now()
	done := make(chan error, 1)
	go func() {
		_, err := pool.Print(t.Context(), job)
		done <- err
	}()
	for range 3 {
		wants(t, printed(t, pool, Print{URL: web.URL + "/good"}), "GOOD", "RAN")
	}
	err := await(t, done, path)
	if !errors.Is(err, want) || Retryable(err) != (want == ErrCrashed) {
		t.Errorf("%s: got %v, want %v", path, err, want)
	}
	t.Logf("%s: %v after %v", path, err, time.Since(start))
}

// unscathed tells that nothing of what the pool met did it harm, and that nothing is left.
func unscathed(t *testing.T, pool *Pool, before int, temp string) {
	t.Helper()
	if after := countTargets(t, pool); after > 2*before { // each page may have one open for its next visit
		t.Errorf("%d targets, at first %d", after, before)
	}
	if stats := pool.Stats(); stats.Restarts+stats.Discarded != 0 || stats.Leased+stats.Waiting != 0 && stats.Leased != 1 {
		t.Errorf("the pool suffered: %+v", stats)
	}
	closePool(t, pool)
	noZombies(t)
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) != 0 {
		t.Errorf("profiles left: %v", left)
	}
}

// The same for what HTML without script can do.
func TestHostileHTML(t *testing.T) {
	pool := openPool(t, Config{Slots: 2, AllowEgress: loopback, EgressLimits: egress.Limits{Total: 8 << 20}})
	web := newWeb(t, pages{"/flood.png": flood("image/png", "\x89PNG\r\n\x1a\n"), "/drip.png": drip("image/png", "\x89PNG\r\n\x1a\n")})
	picture := base64.StdEncoding.EncodeToString(blank(12_000, 12_000))
	for name, c := range map[string]struct {
		html string
		want error
	}{
		"pages":   {strings.Repeat("<p style='break-after: page'>x", 10_000), ErrTooLarge},
		"tall":    {`<div style="height: 30000000px">x</div>`, ErrTooLarge},
		"picture": {`<p>TEXT<IMG width="9" height="9" src="data:image/png;base64,` + picture + `">`, ErrTooLarge},
		"flood":   {`<p>TEXT<img src="` + web.URL + `/flood.png">`, ErrTooLarge},
		"drip":    {`<p>TEXT<img src="` + web.URL + `/drip.png">`, nil},
	} {
		start := time.Now()
		job := Print{HTML: c.html, PrintTimeout: patience, LoadTimeout: patience}
		if c.want == nil { // it prints with what has come until then
			job.LoadTimeout = time.Second
		}
		_, err := pool.Print(t.Context(), job)
		if !errors.Is(err, c.want) || Retryable(err) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
		t.Logf("%s: %v after %v", name, err, time.Since(start))
	}
	wants(t, printed(t, pool, Print{HTML: "<p>GOOD"}), "GOOD")
	eventually(t, pool, "its pages back", func(s Stats) bool { return s.Leased == 0 && s.Restarts == 0 })
}

// Each limit lets pass what is just within it.
func TestLimits(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: loopback})
	ten := base64.StdEncoding.EncodeToString(blank(10, 10))
	img := `<img src="data:image/png;base64,` + ten + `">`
	web := newWeb(t, pages{"/pictures": img + img, "/nodes": `<script>document.write("<b></b>".repeat(2000))</script>`, "/paper": strings.Repeat("<p style='break-after: page'>x", 10) + "<p>x"})
	for name, c := range map[string]struct {
		job    Print
		within bool
	}{
		"11 pages of 11":          {Print{URL: web.URL + "/paper", Limits: Limits{Pages: 11}}, true},
		"11 pages of 10":          {Print{URL: web.URL + "/paper", Limits: Limits{Pages: 10}}, false},
		"1 page of 1":             {Print{HTML: "x", Limits: Limits{Pages: 1}}, true},
		"2 pages of 1":            {Print{HTML: `<p style="break-after: page">x<p>y`, Limits: Limits{Pages: 1}}, false},
		"2,000 nodes of 10,000":   {Print{URL: web.URL + "/nodes", Limits: Limits{Nodes: 10_000}}, true},
		"2,000 nodes of 1,000":    {Print{URL: web.URL + "/nodes", Limits: Limits{Nodes: 1_000}}, false},
		"100 pixels of 100":       {Print{URL: web.URL + "/pictures", Limits: Limits{PicturePixels: 100}}, true},
		"100 pixels of 99":        {Print{URL: web.URL + "/pictures", Limits: Limits{PicturePixels: 99}}, false},
		"200 pixels of 200":       {Print{URL: web.URL + "/pictures", Limits: Limits{Pixels: 200}}, true},
		"200 pixels of 199":       {Print{URL: web.URL + "/pictures", Limits: Limits{Pixels: 199}}, false},
		"HTML, 100 pixels of 100": {Print{HTML: img, Limits: Limits{PicturePixels: 100}}, true},
		"HTML, 100 pixels of 99":  {Print{HTML: img, Limits: Limits{PicturePixels: 99}}, false},
	} {
		_, err := pool.Print(t.Context(), c.job)
		if c.within && err != nil || !c.within && !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: got %v", name, err)
		}
		if c.job.Limits.Pages > 0 {
			continue
		}
		_, err = pool.Capture(t.Context(), Capture{HTML: c.job.HTML, URL: c.job.URL, Limits: c.job.Limits})
		if c.within && err != nil || !c.within && !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s, captured: got %v", name, err)
		}
	}
	if _, err := pool.Print(t.Context(), Print{HTML: "x", Limits: Limits{Pages: -1}}); !errors.Is(err, ErrOptions) {
		t.Errorf("a negative limit: got %v, want ErrOptions", err)
	}
}

// What a job carries over the network is told, and is its own only.
func TestTraffic(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: loopback})
	body := strings.Repeat("x", 10_000)
	web := newWeb(t, pages{"/": body})
	for range 2 {
		if got := mustPrint(t, pool, Print{URL: web.URL}).Traffic; got < 10_000 || got > 20_000 {
			t.Errorf("a page of 10,000 bytes took %d", got)
		}
		if got := mustPrint(t, pool, Print{HTML: "x"}).Traffic; got != 0 {
			t.Errorf("no network took %d bytes", got)
		}
	}
}
