package page

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// requester is a page that sends requests in every way: it has its own origin, another port, another
// name, and redirects to both.
const requester = `<p>TARGET</p>
	<link rel="icon" href="/favicon"><link rel="stylesheet" href="/style.css"><img src="/image"><img src="%[1]s/image"><img src="%[2]s/image"><img src="/away">
	<iframe src="/frame"></iframe><iframe src="%[1]s/frame"></iframe><iframe src="%[2]s/frame"></iframe>
	<iframe sandbox="allow-scripts" src="/sandboxed"></iframe><a id="a" href="/download" download></a>
	<script>
	const quiet = (url, how) => fetch(url, how).then(r => r.text()).catch(() => "")
	onload = async () => {
		await quiet("/fetch"); await quiet("/fetch", {headers: {"X-Own": "theirs"}})
		await quiet("%[1]s/fetch", {credentials: "include"}); await quiet("%[1]s/fetch", {headers: {"X-Page": "1"}})
		await quiet("%[2]s/fetch", {credentials: "include"}); await quiet("/back")
		await new Promise(done => { const x = new XMLHttpRequest(); x.onloadend = done; x.open("POST", "/xhr"); x.send("x") })
		await new Promise(done => { const w = new Worker("/worker.js"); w.onmessage = done; w.onerror = done })
		const r = await navigator.serviceWorker.register("/service.js").catch(() => 0)
		await new Promise(done => { const s = new WebSocket("ws://" + location.host + "/socket"); s.onclose = done; s.onerror = done })
		a.click()
		document.body.insertAdjacentHTML("beforeend", "<p id=done>DONE")
	}
	</script>`

// requesterPages returns the pages that requester requests from its origin.
func requesterPages(port, name *pagetest.Web, extra string) pagetest.Pages {
	typed := func(kind, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, text)
		}
	}
	pages := pagetest.Pages{
		"/":          fmt.Sprintf(requester, port.URL, name.LocalhostURL()) + extra,
		"/style.css": typed("text/css", `@font-face { font-family: f; src: url(/font) } p { font-family: f; background: url(/background) }`),
		"/worker.js": typed("text/javascript", `fetch("/byworker").finally(() => postMessage(1))`), "/service.js": typed("text/javascript", "fetch('/byservice')"),
		"/away": pagetest.Redirect(name.LocalhostURL() + "/bounced"), "/back": pagetest.Redirect(port.URL + "/backagain"),
		"/frame": `<img src="/inframe">`, "/sandboxed": `<script>fetch("/bysandboxed", {mode: "no-cors"})</script>`, "/download": http.HandlerFunc(download),
	}
	for _, path := range []string{"/favicon", "/image", "/fetch", "/xhr", "/byworker", "/font", "/background", "/inframe", "/bysandboxed", "/socket", "/byservice", "/returned"} {
		pages[path] = http.HandlerFunc(anyOrigin)
	}
	return pages
}

// Headers go to the target's origin with requests of its own documents and workers, and nowhere else: not to another
// port or name, and not along a redirect. They do not interfere with CORS.
func TestHeaders(t *testing.T) {
	slot := openSlot(t)
	var target *pagetest.Web
	other := pagetest.NewWeb(t, pagetest.Pages{
		"/image": http.HandlerFunc(anyOrigin), "/fetch": http.HandlerFunc(anyOrigin), "/bounced": http.HandlerFunc(anyOrigin), "/inframe": http.HandlerFunc(anyOrigin),
		"/backagain": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			http.Redirect(w, r, target.URL+"/returned", http.StatusFound)
		}),
		"/frame": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `<img src="/inframe"><img src="%s/foreign">`, target.URL)
		}),
		"/landing": `<p>LANDED</p>`,
	})
	pages := requesterPages(other, other, "")
	pages["/foreign"], pages["/leave"] = http.HandlerFunc(anyOrigin), pagetest.Redirect(other.URL+"/landing")
	target = pagetest.NewWeb(t, pages)
	job := Print{
		URL: target.URL, Headers: []contract.Header{{Name: "X-Own", Value: "ours"}, {Name: "accept-language", Value: "tlh"}},
		Auth: Auth{"bearer", "token"}, Load: contract.Load{WaitFor: "#done", WaitAfter: 300},
	}
	testkit.Contains(t, printed(t, slot, job), "TARGET", "DONE")
	for _, path := range []string{"/", "/style.css", "/image", "/away", "/frame", "/inframe", "/sandboxed", "/bysandboxed", "/fetch", "/back", "/xhr", "/worker.js", "/byworker", "/font", "/background", "/download"} {
		headers := target.Headers(path)
		if len(headers) == 0 {
			t.Errorf("%s was not requested", path)
		}
		for _, h := range headers {
			if fmt.Sprint(h["X-Own"], h["Accept-Language"], h["Authorization"]) != "[ours] [tlh] [Bearer token]" {
				t.Errorf("%s got %v", path, h)
			}
		}
	}
	for _, path := range []string{"/foreign", "/returned", "/socket", "/service.js", "/byservice"} {
		for _, h := range target.Headers(path) {
			if h.Get("X-Own") == "ours" {
				t.Errorf("%s of the target got %v", path, h)
			}
		}
	}
	for _, path := range []string{"/image", "/fetch", "/bounced", "/backagain", "/frame", "/inframe"} {
		headers := other.Headers(path)
		if len(headers) == 0 {
			t.Errorf("%s of the other origin was not requested, so this proves nothing", path)
		}
		for _, h := range headers {
			if h.Get("X-Own") != "" || h.Get("Accept-Language") != "en-US,en" || h.Get("Authorization") != "" || strings.Contains(strings.ToLower(h.Get("Access-Control-Request-Headers")), "x-own") {
				t.Errorf("%s of the other origin got %v", path, h)
			}
		}
	}
	if h := target.Headers("/favicon"); len(h) != 0 {
		t.Errorf("an icon was asked for with %v", h)
	}

	job.URL, job.Load = target.URL+"/leave", contract.Load{}
	testkit.Contains(t, printed(t, slot, job), "LANDED")
	if h := other.Headers("/landing"); len(h) != 1 || h[0].Get("X-Own") != "" {
		t.Errorf("the page that the target leads to got %v", h)
	}
}

// The same host with another scheme is another origin.
func TestHeadersKeepToScheme(t *testing.T) {
	slot := openSlot(t)
	plain := pagetest.NewWeb(t, pagetest.Pages{"/landing": `<p>LANDED`})
	secure := pagetest.NewSecureWeb(t, pagetest.Pages{"/": `<p>TARGET<img src="/image">`, "/image": http.HandlerFunc(anyOrigin), "/down": pagetest.Redirect(plain.URL + "/landing")})
	job := Print{URL: secure.URL, Headers: []contract.Header{{Name: "X-Own", Value: "ours"}}}
	testkit.Contains(t, trusting(t, slot, job), "TARGET")
	job.URL += "/down"
	testkit.Contains(t, trusting(t, slot, job), "LANDED")
	for _, path := range []string{"/", "/image", "/down"} {
		if h := secure.Headers(path); len(h) == 0 || h[0].Get("X-Own") != "ours" {
			t.Errorf("%s got %v", path, h)
		}
	}
	if h := plain.Headers("/landing"); len(h) != 1 || h[0].Get("X-Own") != "" {
		t.Errorf("over http it got %v", h)
	}
}

// Cookies are sent according to their domain, path and flags, whatever sends the request; no other job has them.
func TestCookies(t *testing.T) {
	slot := openSlot(t)
	others := func() *pagetest.Web {
		return pagetest.NewWeb(t, pagetest.Pages{"/image": http.HandlerFunc(anyOrigin), "/fetch": http.HandlerFunc(anyOrigin), "/bounced": http.HandlerFunc(anyOrigin), "/frame": `<img src="/inframe">`, "/inframe": http.HandlerFunc(anyOrigin), "/backagain": "x"})
	}
	port, name := others(), others()
	target := pagetest.NewWeb(t, requesterPages(port, name, `<p id="c"></p><script>c.textContent = "SEES " + document.cookie</script>`))
	job := Print{URL: target.URL, Load: contract.Load{WaitFor: "#done", WaitAfter: 300}, Cookies: []contract.Cookie{
		{Name: "all", Value: "1"},
		{Name: "http", Value: `2 "x"`, HTTPOnly: true, SameSite: "strict"},
		{Name: "path", Value: "3", Path: "/frame"},
		{Name: "lax", Value: "4", SameSite: "lax"},
	}}
	text := printed(t, slot, job)
	testkit.Contains(t, text, "DONE", "SEES all=1", "lax=4")
	if strings.Contains(text, "http=") {
		t.Errorf("script sees %q", text)
	}
	for _, path := range []string{"/", "/style.css", "/image", "/away", "/frame", "/inframe", "/fetch", "/xhr", "/worker.js", "/byworker", "/font", "/background", "/socket", "/service.js", "/byservice", "/download"} {
		headers := target.Headers(path)
		if len(headers) == 0 {
			t.Errorf("%s was not requested", path)
		}
		for _, h := range headers {
			got := h.Get("Cookie")
			if !strings.Contains(got, "all=1") || !strings.Contains(got, `http=2 "x"`) || strings.Contains(got, "path=") != (path == "/frame") {
				t.Errorf("%s got %q", path, got)
			}
		}
	}
	for _, path := range []string{"/image", "/fetch", "/bounced", "/frame", "/inframe"} {
		headers := name.Headers(path)
		if len(headers) == 0 {
			t.Errorf("%s of another host was not requested", path)
		}
		for _, h := range headers {
			if h.Get("Cookie") != "" {
				t.Errorf("%s of another host got %q", path, h.Get("Cookie"))
			}
		}
	}
	if h := port.Headers("/image"); len(h) != 1 || !strings.Contains(h[0].Get("Cookie"), "all=1") { // a host has its cookies on every port
		t.Errorf("another port got %v", h)
	}
	before := len(target.Headers("/"))
	testkit.Contains(t, printed(t, slot, Print{URL: target.URL}), "SEES")
	if h := target.Headers("/"); len(h) != before+1 || h[before].Get("Cookie") != "" {
		t.Errorf("a later job has %v", h)
	}
}

// A cookie of a domain goes to the hosts below it.
func TestCookieOfDomain(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": "<p>x"})
	at := strings.Replace(web.URL, "127.0.0.1", "localhost", 1)
	for _, c := range []contract.Cookie{{Name: "a", Value: "1", Domain: "localhost"}, {Name: "a", Value: "1", Domain: ".localhost"}, {Name: "a", Value: "1"}} {
		mustPrint(t, slot, Print{URL: at, Cookies: []contract.Cookie{c}})
	}
	for _, h := range web.Headers("/") {
		if h.Get("Cookie") != "a=1" {
			t.Errorf("got %v", h)
		}
	}
	for _, c := range []contract.Cookie{ // at the bounds of the contract, which must not be beyond those of the browser
		{Name: "a", Path: "/" + strings.Repeat("x", 1_023)},
		{Name: "a", Path: "/" + strings.Repeat("é", 170) + "xxx"},
		{Name: "a", Path: "/" + strings.Repeat(" ", 340) + "xxx"},
		{Name: "a", Value: strings.Repeat("x", 4_095)},
		{Name: "__Host-Http-a", Secure: true, HTTPOnly: true},
		{Name: "__http-a", Secure: true, HTTPOnly: true},
	} {
		mustPrint(t, slot, Print{URL: at, Cookies: []contract.Cookie{c}})
	}
	for _, c := range []contract.Cookie{
		{Name: "__Http-a", Secure: true},
		{Name: "a", Path: "/x "},
		{Name: "a", Path: "/" + strings.Repeat("é", 171)},
		{Name: "__Host-a", Value: "1"},
		{Name: "a;b", Value: "1"},
		{Name: "a", Value: "1\n"},
	} {
		if _, err := slot.Print(t.Context(), Print{URL: at, Cookies: []contract.Cookie{c}}); !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for _, h := range []contract.Header{{Name: "Host", Value: "x"}, {Name: "a b", Value: "x"}, {Name: "a", Value: "x\r\ny: z"}} {
		if _, err := slot.Print(t.Context(), Print{URL: at, Headers: []contract.Header{h}}); !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: %v", h, err)
		}
	}
}

// Errors do not reveal credentials, even if the page's own errors contain them.
func TestCredentialsAreNotTold(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<script>throw Error("I got %s, %s and " + document.cookie)</script>`, r.Header.Get("X-Token"), r.Header.Get("Authorization"))
	})})
	job := Print{URL: web.URL, Auth: Auth{"bearer", "planted-1"}, Headers: []contract.Header{{Name: "X-Token", Value: "planted-2"}}, Cookies: []contract.Cookie{{Name: "a", Value: "planted-3"}}}
	for _, load := range []contract.Load{{FailOnScriptError: true}, {WaitForFunction: "(() => { throw document.cookie })()", Timeout: 1000}} {
		job.Load = load
		_, err := slot.Print(t.Context(), job)
		if err == nil || Reason(err) == "" || strings.Contains(err.Error()+Reason(err), "planted") {
			t.Errorf("%+v: %v because %s", load, err, Reason(err))
		}
	}
}

// A download has headers and cookies as any other request has: another origin gets no headers, and another host no cookies, however the download begins.
func TestDownloadsKeepToOrigin(t *testing.T) {
	testkit.Long(t)
	slot := openSlot(t)
	for way, html := range map[string]string{
		"link":     `<a id="a" download href="%[1]s"></a><script>onload = () => a.click()</script>`,
		"visit":    `<a id="a" href="%[1]s"></a><script>onload = () => a.click()</script>`,
		"script":   `<script>onload = () => location = "%[1]s"</script>`,
		"form":     `<form id="a" method="post" action="%[1]s"></form><script>onload = () => a.submit()</script>`,
		"frame":    `<iframe src="%[1]s"></iframe>`,
		"redirect": `<a id="a" download href="/away"></a><script>onload = () => a.click()</script>`,
	} {
		for _, at := range []string{"target", "port", "name"} {
			t.Run(way+" to "+at, func(t *testing.T) {
				asked := make(chan struct{}, 9)
				file := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					download(w, r)
					asked <- struct{}{}
				})
				pages := pagetest.Pages{"/file": file, "/asked": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					select {
					case <-asked:
					case <-r.Context().Done():
					}
				})}
				target, other := pagetest.NewWeb(t, pages), pagetest.NewWeb(t, pagetest.Pages{"/file": file})
				server, url := other, other.URL
				switch at {
				case "target":
					server, url = target, target.URL
				case "name":
					url = other.LocalhostURL()
				}
				url += "/file"
				pages["/away"] = pagetest.Redirect(url)
				pages["/"] = fmt.Sprintf(html, url) + `<p>TARGET<script>fetch("/asked").then(() => document.body.insertAdjacentHTML("beforeend", "<p id=done>DONE"))</script>`
				job := Print{
					URL: target.URL, Headers: []contract.Header{{Name: "X-Own", Value: "ours"}}, Auth: Auth{"bearer", "token"},
					Cookies: []contract.Cookie{{Name: "all", Value: "1"}}, Load: contract.Load{WaitFor: "#done"},
				}
				testkit.Contains(t, printed(t, slot, job), "TARGET", "DONE")
				want := map[string]string{"target": "[ours] [Bearer token] [all=1]", "port": "[] [] [all=1]", "name": "[] [] []"}[at]
				for _, h := range server.Headers("/file") {
					if got := fmt.Sprint(h["X-Own"], h["Authorization"], h["Cookie"]); got != want {
						t.Errorf("it is asked for with %s, not %s", got, want)
					}
				}
			})
		}
	}
}
