package page

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

func TestVisit(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/":        `<title>home</title><p id="p">STATIC</p><script>p.textContent = "RAN " + innerWidth</script>`,
		"/moved":   pagetest.Redirect("/"),
		"/js":      `<script>location = "/"</script><p>BEFORE`,
		"/refresh": `<meta http-equiv="refresh" content="0; url=/"><p>BEFORE`,
		"/missing": `<p>TEXT<img src="/nothing"><script src="http://127.0.0.1:1/refused.js"></script><iframe src="/nothing2"></iframe>`,
		"/wide":    `<!doctype html><body style="margin: 0"><div style="width: 1100px; text-align: right">EDGE</div>`,
		"/grown":   `<!doctype html><body style="margin: 0"><script>document.write('<div style="width: 1100px; text-align: right">EDGE</div>')</script>`,
		"/media":   byMedia,
		"/lazy":    `<!doctype html><body style="margin: 0"><div style="height: 7000px"></div><img loading="lazy" src="/pixel" width="50" height="50">`,
		"/pixel":   http.HandlerFunc(anyOrigin),
		"/draw": `<body style="margin: 0"><canvas id="c" width="400" height="400"></canvas>
			<script>const d = c.getContext("2d"); d.fillStyle = "blue"; d.fillRect(0, 0, 400, 400)</script>`,
		"/tall": `<body style="margin: 0"><script>document.body.style.height = "3000px"; document.body.style.background = "blue"</script>`,
	})

	t.Run("script runs", func(t *testing.T) {
		testkit.Contains(t, printed(t, slot, Print{URL: web.URL}), "RAN 720")
	})
	t.Run("redirects are followed", func(t *testing.T) {
		for _, path := range []string{"/moved", "/js", "/refresh"} {
			testkit.Contains(t, printed(t, slot, Print{URL: web.URL + path}), "RAN")
		}
	})
	t.Run("what is missing is left out", func(t *testing.T) {
		testkit.Contains(t, printed(t, slot, Print{URL: web.URL + "/missing"}), "TEXT")
	})
	t.Run("wide pages are fitted", func(t *testing.T) {
		for _, path := range []string{"/wide", "/grown"} {
			at := edge(t, mustPrint(t, slot, Print{URL: web.URL + path}).PDF)
			const limit = 568 // the paper's width without a margin of whole points
			if at > limit || at < limit-20 {
				t.Errorf("%s: the right edge is at %v pt, want just within %v", path, at, limit)
			}
		}
	})
	t.Run("captures", func(t *testing.T) {
		picture, _ := mustCapture(t, slot, Capture{URL: web.URL + "/media"})
		shows(t, picture, 500, 500, green)
		picture, _ = mustCapture(t, slot, Capture{URL: web.URL + "/draw", Options: contract.Image{Width: 500, Height: 500, Format: "jpeg"}})
		shows(t, picture, 200, 200, blue)
		shows(t, picture, 450, 450, white)
		picture, result := mustCapture(t, slot, Capture{URL: web.URL + "/tall", Options: contract.Image{FullPage: true}})
		if result.Height != 3000 {
			t.Errorf("%d high, want 3000", result.Height)
		}
		shows(t, picture, 1000, 2999, color.RGBA{0, 0, 255, 255})
	})
	t.Run("pictures below the fold are not left out", func(t *testing.T) {
		if got := pixels(t, mustPrint(t, slot, Print{URL: web.URL + "/lazy"}).PDF); got != 1 {
			t.Errorf("%d pictures on paper, want 1", got)
		}
		picture, _ := mustCapture(t, slot, Capture{URL: web.URL + "/lazy", Options: contract.Image{FullPage: true}})
		shows(t, picture, 25, 7025, red)
	})
	t.Run("the warm page beside it is not used", func(t *testing.T) {
		before := slot.replaced
		mustPrint(t, slot, Print{URL: web.URL})
		mustPrint(t, slot, Print{HTML: "x"})
		if slot.replaced != before {
			t.Error("the pages were replaced")
		}
	})
}

// A page that fits into the window is printed, and captured, after scripts that wait for a frame, for its size or for visibility have drawn, without any requested wait.
func TestPagesThatFitAreDrawn(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<body style="margin: 0"><p id="a"></p><p id="b"></p><p id="c"></p><script>
		const drawn = (box, text) => { box.textContent = text; box.style.cssText = "margin: 0; height: 50px; background: blue" }
		requestAnimationFrame(() => requestAnimationFrame(() => drawn(a, "FRAME")))
		new ResizeObserver(() => drawn(b, "RESIZE")).observe(document.body)
		new IntersectionObserver(() => requestAnimationFrame(() => drawn(c, "INTERSECTION"))).observe(document.body)
	</script>`})
	for range 3 {
		testkit.Contains(t, printed(t, slot, Print{URL: web.URL}), "FRAME", "RESIZE", "INTERSECTION")
		picture, _ := mustCapture(t, slot, Capture{URL: web.URL})
		for _, y := range []int{40, 90, 140} {
			shows(t, picture, 500, y, color.RGBA{0, 0, 255, 255})
		}
	}
}

// Charts that wait for a frame, for their size or for visibility are drawn.
func TestObserversFire(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<p id="a"></p><p id="b"></p><p id="c"></p><script>
		requestAnimationFrame(() => requestAnimationFrame(() => { a.textContent = "FRAME"; a.className = "drawn" }))
		new ResizeObserver(() => { b.textContent = "RESIZE"; b.className = "drawn" }).observe(document.body)
		new IntersectionObserver(() => { c.textContent = "INTERSECTION"; c.className = "drawn" }).observe(document.body)
	</script>`})
	load := contract.Load{WaitFor: "#a.drawn ~ #b.drawn ~ #c.drawn"}
	testkit.Contains(t, printed(t, slot, Print{URL: web.URL, Load: load}), "FRAME", "RESIZE", "INTERSECTION")
	if _, err := slot.Capture(t.Context(), Capture{URL: web.URL, Load: load}); err != nil {
		t.Error(err)
	}
}

// Parts that wait for visibility are drawn wherever they are on the page, and the viewport is restored in the end.
func TestBelowTheFold(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<body style="margin: 0"><div style="height: 6000px">top</div><p id="chart"></p><div style="height: 1000px"></div><p id="end"></p><script>
		for (const [at, text] of [[chart, "CHART"], [end, "END"]])
			new IntersectionObserver(([e]) => e.isIntersecting && requestAnimationFrame(() => at.textContent = text + innerHeight)).observe(at)
		addEventListener("beforeprint", () => chart.append(" PRINTED" + innerWidth + "x" + innerHeight))
	</script>`})
	text := printed(t, slot, Print{URL: web.URL})
	testkit.Contains(t, text, "CHART", "END", "PRINTED720x720")
	one, err := slot.Capture(t.Context(), Capture{URL: web.URL, Options: contract.Image{FullPage: true}})
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(one.Data))
	if err != nil {
		t.Fatal(err)
	}
	if !inked(picture, image.Rect(0, 6000, 300, 6060)) {
		t.Error("the picture of the whole page does not show the chart")
	}
	if inked(picture, image.Rect(0, 3000, 300, 3060)) {
		t.Error("there is ink where nothing is")
	}
}

// The same holds for parts that wait with scripts outside script elements.
func TestBelowTheFoldHowever(t *testing.T) {
	slot := openSlot(t)
	const watch = `new IntersectionObserver(([e]) => e.isIntersecting && (chart.textContent = 'CHART')).observe(chart)`
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/handler": `<img src="data:," onerror="` + watch + `"><div style="height: 6000px"></div><p id="chart"></p>`,
		"/chart":   `<p id="chart">waits</p><script>` + watch + `</script>`,
	})
	elsewhere := strings.Replace(web.URL, "127.0.0.1", "localhost", 1)
	outer := pagetest.NewWeb(t, pagetest.Pages{"/": `<div style="height: 6000px"></div><iframe src="` + elsewhere + `/chart"></iframe>`})
	for name, url := range map[string]string{"a handler": web.URL + "/handler", "a frame of another site": outer.URL} {
		t.Run(name, func(t *testing.T) { testkit.Contains(t, printed(t, slot, Print{URL: url}), "CHART") })
	}
}

// inked reports whether a part of a picture is not entirely white.
func inked(picture image.Image, part image.Rectangle) bool {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if r, g, b, _ := picture.At(x, y).RGBA(); r+g+b < 3*0xffff {
				return true
			}
		}
	}
	return false
}

func TestNavigationErrors(t *testing.T) {
	testkit.Long(t)
	slot := openSlot(t)
	secure, closed := pagetest.NewSecureWeb(t, nil), closedPort(t)
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/404":      status(404),
		"/500":      status(500),
		"/401":      http.HandlerFunc(challenge),
		"/to404":    pagetest.Redirect("/404"),
		"/jsto404":  `<script>location = "/404"</script>`,
		"/loop":     pagetest.Redirect("/loop"),
		"/empty":    http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }),
		"/download": http.HandlerFunc(download),
		"/pdf":      typed("application/pdf", "%PDF-1.7"),
		"/hangup":   http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
		"/file":     pagetest.Redirect("file:///etc/passwd"),
		"/chrome":   pagetest.Redirect("chrome://version"),
		"/source":   pagetest.Redirect("view-source:http://127.0.0.1/"),
		"/blocked":  pagetest.Redirect("http://10.0.0.1/"),
		"/jsblock":  `<script>location = "http://169.254.169.254/"</script>`,
		"/blocked2": pagetest.Redirect("https://[::1]:9/"),
		"/slow404": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(404)
			_, _ = w.Write([]byte(`<img src="/stuck">`))
		}),
		"/stuck": pagetest.NoAnswer,
	})
	for _, c := range []struct {
		url    string
		want   error
		reason string // URL stands for the URL
	}{
		{"http://nobody.invalid/", ErrNavigation, "The name nobody.invalid does not resolve."},
		{"https://nobody.invalid/", ErrNavigation, "The name nobody.invalid does not resolve."},
		{"http://127.0.0.1:" + closed, ErrNavigation, "127.0.0.1 refuses connections to port " + closed + "."},
		{"https://127.0.0.1:" + closed, ErrNavigation, "127.0.0.1 refuses connections to port " + closed + "."},
		{secure.URL, ErrNavigation, "The certificate of URL/ is not valid (CERT_AUTHORITY_INVALID)."},
		{strings.Replace(web.URL, "http", "https", 1), ErrNavigation, "URL/ does not speak TLS, or no version of it that browsers accept."},
		{web.URL + "/404", ErrNavigation, "URL answered with HTTP status 404."},
		{web.URL + "/500", ErrNavigation, "URL answered with HTTP status 500."},
		{web.URL + "/401", ErrNavigation, "URL answered with HTTP status 401."},
		{web.URL + "/to404", ErrNavigation, web.URL + "/404 answered with HTTP status 404."},
		{web.URL + "/jsto404", ErrNavigation, web.URL + "/404 answered with HTTP status 404."},
		{web.URL + "/slow404", ErrNavigation, "URL answered with HTTP status 404."},
		{web.URL + "/loop", ErrNavigation, "URL redirects in a circle, or too often."},
		{web.URL + "/empty", ErrNavigation, "URL has no content: it answered with HTTP status 204."},
		{web.URL + "/download", ErrNavigation, "URL is a download of type application/octet-stream, not a page."},
		{web.URL + "/pdf", ErrNavigation, "URL is a download of type application/pdf, not a page."},
		{web.URL + "/hangup", ErrNavigation, "URL closed the connection without a response."},
		{web.URL + "/file", ErrNavigation, "URL redirects to something other than http and https."},
		{web.URL + "/chrome", ErrNavigation, "URL redirects to something other than http and https."},
		{web.URL + "/source", ErrNavigation, "URL could not be loaded (ABORTED)."},
		{web.URL + "/blocked", ErrBlocked, ""},
		{web.URL + "/blocked2", ErrBlocked, ""},
		{web.URL + "/jsblock", ErrBlocked, ""},
		{"http://10.0.0.1/", ErrBlocked, ""},
		{"https://10.0.0.1/", ErrBlocked, ""},
		{"http://[::1]/", ErrBlocked, ""},
		{"https://0xa9fea9fe/latest/meta-data", ErrBlocked, ""},
	} {
		start := time.Now()
		_, err := slot.Print(t.Context(), Print{URL: c.url, Load: contract.Load{Timeout: (20 * time.Second).Milliseconds()}})
		if !errors.Is(err, c.want) || Retryable(err) {
			t.Errorf("%s: got %v, want %v", c.url, err, c.want)
		}
		if want := strings.ReplaceAll(c.reason, "URL", c.url); Reason(err) != want {
			t.Errorf("%s: %q, want %q", c.url, Reason(err), want)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: it took %v to say %v", c.url, took, err)
		}
	}
	for _, url := range []string{
		"file:///etc/passwd", "view-source:" + web.URL, "chrome://version", "data:text/html,x", "javascript:1", "about:blank",
		"ftp://127.0.0.1/", "http://", "//127.0.0.1/", "127.0.0.1", "http://user:word@127.0.0.1/", " " + web.URL, "http://[", "HTTP:/x",
	} {
		if _, err := slot.Print(t.Context(), Print{URL: url}); !errors.Is(err, ErrOptions) {
			t.Errorf("%s: got %v, want ErrOptions", url, err)
		}
		if _, err := slot.Capture(t.Context(), Capture{URL: url}); !errors.Is(err, ErrOptions) {
			t.Errorf("capture of %s: got %v, want ErrOptions", url, err)
		}
	}
}

func challenge(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
	w.WriteHeader(http.StatusUnauthorized)
}

func download(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Disposition", `attachment; filename="x.bin"`)
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(make([]byte, 1000))
}

// closedPort returns a port without a listener.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

// status serves a page with an HTTP status.
func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		fmt.Fprint(w, "<p>status page")
	}
}
