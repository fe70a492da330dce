package browserpool

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"
)

var credentials = []struct {
	auth   Auth
	header string
}{
	{Auth{"basic", "näme:pass:word"}, "Basic " + base64.StdEncoding.EncodeToString([]byte("näme:pass:word"))},
	{Auth{"bearer", "t0ken-._~+/="}, "Bearer t0ken-._~+/="},
}

// guarded shows its page to who has the credentials.
func guarded(header, page string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != header {
			challenge(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page)
	}
}

// open answers anybody's fetch, and reads credentials where it is allowed to.
func open(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	w.Header().Set("Access-Control-Allow-Credentials", "true")
	w.Header().Set("Access-Control-Allow-Headers", "authorization, x-own")
	_, _ = w.Write(pixel)
}

// Credentials go to the target's origin with every request, and nowhere else.
func TestAuth(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: loopback})
	for _, c := range credentials {
		t.Run(c.auth.Type, func(t *testing.T) {
			other := newWeb(t, pages{
				"/image": http.HandlerFunc(open), "/fetch": http.HandlerFunc(open), "/bounced": http.HandlerFunc(open),
				"/frame": `<p>frame</p><img src="/inframe">`, "/inframe": http.HandlerFunc(open), "/challenge": http.HandlerFunc(challenge),
				"/landing": `<p>LANDED</p><img src="/image">`,
			})
			target := newWeb(t, pages{
				"/":       guarded(c.header, fmt.Sprintf(targetPage, other.URL, other.local())),
				"/image":  guarded(c.header, "x"),
				"/fetch":  guarded(c.header, "SECRET"),
				"/bounce": redirect(other.URL + "/bounced"),
				"/moved":  redirect("/"),
				"/away":   redirect(other.URL + "/landing"),
			})
			for _, path := range []string{"", "/moved"} {
				text := printed(t, pool, Print{URL: target.URL + path, Auth: c.auth, Load: Load{WaitSelector: "#done"}})
				wants(t, text, "TARGET", "SECRET", "DONE")
			}
			wants(t, printed(t, pool, Print{URL: target.URL + "/away", Auth: c.auth}), "LANDED")
			if _, err := pool.Capture(t.Context(), Capture{URL: target.URL, Auth: c.auth}); err != nil {
				t.Error(err)
			}
			for _, path := range []string{"/", "/image", "/fetch", "/bounce", "/moved", "/away"} {
				for _, header := range target.headers(path) {
					if got := header.Get("Authorization"); got != c.header {
						t.Errorf("%s of the target got %q", path, got)
					}
				}
				if len(target.headers(path)) == 0 {
					t.Errorf("%s of the target was not asked for", path)
				}
			}
			for _, path := range []string{"/image", "/fetch", "/bounced", "/frame", "/inframe", "/challenge", "/landing"} {
				headers := other.headers(path)
				if len(headers) == 0 {
					t.Errorf("%s of the other origin was not asked for, which proves nothing", path)
				}
				for _, header := range headers {
					if got := header.Get("Authorization"); got != "" {
						t.Errorf("%s of the other origin got %q", path, got)
					}
				}
			}
		})
	}
}

// targetPage asks its own origin and two others, each in several ways.
const targetPage = `<p>TARGET <span id="p"></span></p><img src="/image">
	<img src="%[1]s/image"><img src="%[2]s/image"><img src="/bounce"><img src="%[1]s/challenge">
	<iframe src="%[1]s/frame"></iframe><iframe src="%[2]s/frame"></iframe>
	<script>
	const quiet = (url, how) => fetch(url, how).then(r => r.text()).catch(() => "")
	onload = async () => {
		p.textContent = await quiet("/fetch")
		await quiet("%[1]s/fetch", {credentials: "include"})
		await quiet("%[1]s/fetch", {headers: {"X-Own": "1"}})
		await quiet("%[2]s/fetch", {credentials: "include"})
		document.body.insertAdjacentHTML("beforeend", "<p id=done>DONE")
	}
	</script>`

// The same host by another scheme is another origin, and so is another name for it.
func TestAuthKeepsToSchemeAndName(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: loopback})
	var target *web
	target = newWeb(t, pages{
		"/name": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, target.local()+"/landing", http.StatusFound)
		}),
		"/script":  `<script>location = "` + "//localhost:" + `" + location.port + "/landing"</script>`,
		"/landing": `<p>LANDED`,
	})
	for _, path := range []string{"/name", "/script"} {
		wants(t, printed(t, pool, Print{URL: target.URL + path, Auth: Auth{"bearer", "token"}}), "LANDED")
	}
	if headers := target.headers("/landing"); len(headers) != 2 || headers[0].Get("Authorization")+headers[1].Get("Authorization") != "" {
		t.Errorf("under another name it got %v", headers)
	}
}

// A page's own credentials are not replaced, and no job has those of the one before.
func TestAuthOfOthers(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: loopback})
	web := newWeb(t, pages{
		"/":    `<script>onload = () => fetch("/own", {headers: {Authorization: "Own x"}}).then(() => document.body.innerHTML = "<p id=done>DONE")</script>`,
		"/own": "x", "/next": guarded("Basic "+base64.StdEncoding.EncodeToString([]byte("a:b")), "x"),
	})
	wants(t, printed(t, pool, Print{URL: web.URL, Auth: Auth{"basic", "a:b"}, Load: Load{WaitSelector: "#done"}}), "DONE")
	if got := web.headers("/own")[0].Get("Authorization"); got != "Own x" {
		t.Errorf("the page's own credentials arrive as %q", got)
	}
	mustPrint(t, pool, Print{URL: web.URL + "/next", Auth: Auth{"basic", "a:b"}})
	if _, err := pool.Print(t.Context(), Print{URL: web.URL + "/next"}); err == nil {
		t.Error("a job without credentials has those of the one before")
	}
}

// What goes through a tunnel is guarded like the rest: the browser adds the
// credentials, to the target only, and only once it trusts its certificate.
func TestAuthThroughTunnel(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: loopback})
	other := &web{asked: map[string][]http.Header{}}
	otherServer := newSecure(t, other.serve(pages{"/image": http.HandlerFunc(open), "/landing": "<p>LANDED"}))
	target := &web{asked: map[string][]http.Header{}}
	targetServer := newSecure(t, target.serve(pages{
		"/":     guarded("Bearer token", `<p>TARGET<img src="/image"><img src="`+otherServer.URL+`/image">`),
		"/away": redirect(otherServer.URL + "/landing"),
	}))
	job := Print{URL: targetServer.URL, Auth: Auth{"bearer", "token"}}
	if _, err := pool.Print(t.Context(), job); !errors.Is(err, ErrNavigation) {
		t.Errorf("without a valid certificate: got %v, want ErrNavigation", err)
	}
	if len(target.headers("/")) != 0 {
		t.Error("a server without a valid certificate was asked")
	}

	wants(t, trusting(t, pool, job), "TARGET")
	job.URL += "/away"
	wants(t, trusting(t, pool, job), "LANDED")
	for _, path := range []string{"/", "/image", "/away"} {
		if headers := target.headers(path); len(headers) == 0 || headers[0].Get("Authorization") != "Bearer token" {
			t.Errorf("%s of the target got %v", path, headers)
		}
	}
	for _, path := range []string{"/image", "/landing"} {
		if headers := other.headers(path); len(headers) == 0 || headers[0].Get("Authorization") != "" {
			t.Errorf("%s of the other got %v", path, headers)
		}
	}
}

// trusting prints a URL on a visit that trusts every certificate, and returns its text.
func trusting(t *testing.T, pool *Pool, job Print) string {
	t.Helper()
	lease, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Return()
	p, err := openVisit(t.Context(), lease.page.browser, pool.gate)
	if err != nil {
		t.Fatal(err)
	}
	defer p.dispose()
	if err := (proto.SecuritySetIgnoreCertificateErrors{Ignore: true}).Call(p.session.With(t.Context())); err != nil {
		t.Fatal(err)
	}
	from, params, err := job.resolve()
	if err != nil {
		t.Fatal(err)
	}
	result, err := p.run(t.Context(), job, from, params)
	if err != nil {
		t.Fatal(err)
	}
	return textOf(t, result.PDF)
}

func TestOrigin(t *testing.T) {
	for text, want := range map[string]string{
		"http://a/b?c": "http://a", "https://a:8443/": "https://a:8443", "http://[::1]:80/": "http://[::1]:80",
		"http://a@b/": "http://b", "data:,x": "", "blob:http://a/b": "", "file:///a": "", "http:///a": "", "::": "",
	} {
		if got := origin(text); got != want {
			t.Errorf("%s has the origin %q, want %q", text, got, want)
		}
	}
	if strings.Contains(origin("http://a\\@b/"), "a") {
		t.Error("a backslash makes another origin")
	}
}
