package page

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

var credentials = []struct {
	auth   Auth
	header string
}{
	{Auth{"basic", "näme:pass:word"}, "Basic " + base64.StdEncoding.EncodeToString([]byte("näme:pass:word"))},
	{Auth{"bearer", "t0ken-._~+/="}, "Bearer t0ken-._~+/="},
}

// guarded serves its page to requests with the credentials.
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

// anyOrigin permits requests of any origin, with credentials.
func anyOrigin(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	w.Header().Set("Access-Control-Allow-Credentials", "true")
	w.Header().Set("Access-Control-Allow-Headers", "authorization, x-own")
	_, _ = w.Write(pagetest.Pixel)
}

// Credentials go to the target's origin with every request, and nowhere else.
func TestAuth(t *testing.T) {
	slot := openSlot(t)
	for _, c := range credentials {
		t.Run(c.auth.Type, func(t *testing.T) {
			other := pagetest.NewWeb(t, pagetest.Pages{
				"/image": http.HandlerFunc(anyOrigin), "/fetch": http.HandlerFunc(anyOrigin), "/bounced": http.HandlerFunc(anyOrigin),
				"/frame": `<p>frame</p><img src="/inframe">`, "/inframe": http.HandlerFunc(anyOrigin), "/challenge": http.HandlerFunc(challenge),
				"/landing": `<p>LANDED</p><img src="/image">`,
			})
			target := pagetest.NewWeb(t, pagetest.Pages{
				"/":       guarded(c.header, fmt.Sprintf(targetPage, other.URL, other.LocalhostURL())),
				"/image":  guarded(c.header, "x"),
				"/fetch":  guarded(c.header, "SECRET"),
				"/bounce": pagetest.Redirect(other.URL + "/bounced"),
				"/moved":  pagetest.Redirect("/"),
				"/away":   pagetest.Redirect(other.URL + "/landing"),
			})
			for _, path := range []string{"", "/moved"} {
				text := printed(t, slot, Print{URL: target.URL + path, Auth: c.auth, Load: contract.Load{WaitFor: "#done"}})
				testkit.Contains(t, text, "TARGET", "SECRET", "DONE")
			}
			testkit.Contains(t, printed(t, slot, Print{URL: target.URL + "/away", Auth: c.auth}), "LANDED")
			if _, err := slot.Capture(t.Context(), Capture{URL: target.URL, Auth: c.auth}); err != nil {
				t.Error(err)
			}
			for _, path := range []string{"/", "/image", "/fetch", "/bounce", "/moved", "/away"} {
				for _, header := range target.Headers(path) {
					if got := header.Get("Authorization"); got != c.header {
						t.Errorf("%s of the target got %q", path, got)
					}
				}
				if len(target.Headers(path)) == 0 {
					t.Errorf("%s of the target was not requested", path)
				}
			}
			for _, path := range []string{"/image", "/fetch", "/bounced", "/frame", "/inframe", "/challenge", "/landing"} {
				headers := other.Headers(path)
				if len(headers) == 0 {
					t.Errorf("%s of the other origin was not requested, so this proves nothing", path)
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

// targetPage sends requests to its own origin and to two others, in several ways each.
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

// The same host with another scheme or another name is another origin.
func TestAuthKeepsToSchemeAndName(t *testing.T) {
	slot := openSlot(t)
	var target *pagetest.Web
	target = pagetest.NewWeb(t, pagetest.Pages{
		"/name": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, target.LocalhostURL()+"/landing", http.StatusFound)
		}),
		"/script":  `<script>location = "` + "//localhost:" + `" + location.port + "/landing"</script>`,
		"/landing": `<p>LANDED`,
	})
	for _, path := range []string{"/name", "/script"} {
		testkit.Contains(t, printed(t, slot, Print{URL: target.URL + path, Auth: Auth{"bearer", "token"}}), "LANDED")
	}
	if headers := target.Headers("/landing"); len(headers) != 2 || headers[0].Get("Authorization")+headers[1].Get("Authorization") != "" {
		t.Errorf("under another name it got %v", headers)
	}
}

// A page's own credentials are not replaced, and no job has those of an earlier one.
func TestAuthOfOthers(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/":    `<script>onload = () => fetch("/own", {headers: {Authorization: "Own x"}}).then(() => document.body.innerHTML = "<p id=done>DONE")</script>`,
		"/own": "x", "/next": guarded("Basic "+base64.StdEncoding.EncodeToString([]byte("a:b")), "x"),
	})
	testkit.Contains(t, printed(t, slot, Print{URL: web.URL, Auth: Auth{"basic", "a:b"}, Load: contract.Load{WaitFor: "#done"}}), "DONE")
	if got := web.Headers("/own")[0].Get("Authorization"); got != "Own x" {
		t.Errorf("the page's own credentials arrive as %q", got)
	}
	mustPrint(t, slot, Print{URL: web.URL + "/next", Auth: Auth{"basic", "a:b"}})
	if _, err := slot.Print(t.Context(), Print{URL: web.URL + "/next"}); err == nil {
		t.Error("a job without credentials has those of an earlier job")
	}
}

// Requests through a tunnel are guarded too: the browser adds the credentials, to those
// for the target only, and only once it trusts the target's certificate.
func TestAuthThroughTunnel(t *testing.T) {
	slot := openSlot(t)
	other := pagetest.NewSecureWeb(t, pagetest.Pages{"/image": http.HandlerFunc(anyOrigin), "/landing": "<p>LANDED"})
	target := pagetest.NewSecureWeb(t, pagetest.Pages{
		"/":     guarded("Bearer token", `<p>TARGET<img src="/image"><img src="`+other.URL+`/image">`),
		"/away": pagetest.Redirect(other.URL + "/landing"),
	})
	job := Print{URL: target.URL, Auth: Auth{"bearer", "token"}}
	if _, err := slot.Print(t.Context(), job); !errors.Is(err, ErrNavigation) {
		t.Errorf("without a valid certificate: got %v, want ErrNavigation", err)
	}
	if len(target.Headers("/")) != 0 {
		t.Error("a server without a valid certificate got a request")
	}

	testkit.Contains(t, trusting(t, slot, job), "TARGET")
	job.URL += "/away"
	testkit.Contains(t, trusting(t, slot, job), "LANDED")
	for _, path := range []string{"/", "/image", "/away"} {
		if headers := target.Headers(path); len(headers) == 0 || headers[0].Get("Authorization") != "Bearer token" {
			t.Errorf("%s of the target got %v", path, headers)
		}
	}
	for _, path := range []string{"/image", "/landing"} {
		if headers := other.Headers(path); len(headers) == 0 || headers[0].Get("Authorization") != "" {
			t.Errorf("%s of the other got %v", path, headers)
		}
	}
}

// trusting prints a URL on a page that trusts every certificate, and returns its text.
func trusting(t *testing.T, slot *slot, job Print) string {
	t.Helper()
	p, err := openPage(t.Context(), slot.browser, slot.gate, forVisit)
	if err != nil {
		t.Fatal(err)
	}
	defer p.dispose()
	if err := (proto.SecuritySetIgnoreCertificateErrors{Ignore: true}).Call(p.session.With(t.Context())); err != nil {
		t.Fatal(err)
	}
	d, params, err := job.resolve()
	if err != nil {
		t.Fatal(err)
	}
	result, err := press{p, job}.print(t.Context(), d, params)
	if err != nil {
		t.Fatal(err)
	}
	return testkit.PDFText(t, result.PDF)
}

// No part of a credential that a page was sent stays in a sentence, however the page repeats it: in part, in its header's form, percent-encoded, or cut off.
func TestCensorsParts(t *testing.T) {
	token := strings.Repeat("eyJhbGciOi", 40)
	thrown := func(text string) error {
		exception := &proto.RuntimeRemoteObject{Description: "Error: no access with " + text}
		return Because(ErrScript, "%s", sentenceOf(&proto.RuntimeExceptionDetails{Text: "Uncaught", Exception: exception}))
	}
	basic, key, session := Auth{"basic", "user:correct-horse=&"}, Auth{"basic", "sk_live_4711:"}, contract.Cookie{Name: "session", Value: "a/b c%25d+e"}
	packed := strings.TrimPrefix(basic.header(), "Basic ")
	for name, c := range map[string]struct {
		access Access
		sent   string
		secret string
	}{
		"clipped":          {Access{Auth: Auth{"bearer", token}}, token, token[:100]},
		"password":         {Access{Auth: basic}, "correct-horse=&", "correct-horse"},
		"base64":           {Access{Auth: basic}, packed, packed[:len(packed)-2]},
		"encoded":          {Access{Auth: basic}, url.QueryEscape("correct-horse=&"), "correct-horse"},
		"encoded base64":   {Access{Auth: basic}, url.QueryEscape(packed), packed[:len(packed)-4]},
		"without password": {Access{Auth: key}, "sk_live_4711", "sk_live_4711"},
		"clipped, encoded": {Access{Auth: Auth{"bearer", strings.Repeat("/+=", 100)}}, url.QueryEscape(strings.Repeat("/+=", 100)), "%2F%2B"},
		"cookie":           {Access{Cookies: []contract.Cookie{session}}, session.Value, "c%25d"},
		"encoded cookie":   {Access{Cookies: []contract.Cookie{session}}, "a%2fb%20c%25d+e", "c%25d"},
		"header":           {Access{Headers: []contract.Header{{Name: "Authorization", Value: "Token t0ken-of-a-header"}}}, "t0ken-of-a-header", "t0ken-of-a-header"},
	} {
		got := Reason(c.access.censor(thrown(c.sent)))
		if strings.Contains(got, c.secret) || !strings.HasPrefix(got, "A script of the page failed: Error: no access with …") {
			t.Errorf("%s: got %q", name, got)
		}
	}
	short := Access{Auth: Auth{"basic", "me:acc"}}
	if got, want := Reason(short.censor(thrown("acc"))), Reason(thrown("acc")); got != want {
		t.Errorf("got %q, want %q: a word of ordinary text is not a secret", got, want)
	}
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
