package page

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// Embedded documents of other origins send the target no credentials, however they request it: as a picture, with
// script, as a frame, by a redirect, or from a frame of the target's origin that they write themselves. The target's
// own documents do.
func TestAuthNotForOtherDocuments(t *testing.T) {
	slot := openSlot(t)
	var target *pagetest.Web
	web := func(page string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, page, target.URL)
		}
	}
	other := pagetest.NewWeb(t, pagetest.Pages{
		"/frame": web(`<p>frame</p><img src="%[1]s/image"><iframe src="%[1]s/framed"></iframe>
			<iframe srcdoc="<img src='%[1]s/srcdoc'>"></iframe><iframe src="/bounce"></iframe>
			<link rel="stylesheet" href="%[1]s/style"><form action="%[1]s/posted" method="post" target="f" id="form"></form><iframe name="f"></iframe>
			<script>
			fetch("%[1]s/fetched", {mode: "no-cors", credentials: "include"})
			new Worker(URL.createObjectURL(new Blob(["fetch('%[1]s/worker', {mode: 'no-cors'})"])))
			const blank = document.createElement("iframe"); document.body.append(blank)
			blank.contentDocument.body.innerHTML = "<img src='%[1]s/blank'>"
			form.submit()
			</script>`),
		"/bounce": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, target.URL+"/bounced", http.StatusFound)
		}),
		"/image": pagetest.Redirect("/elsewhere"), "/elsewhere": http.HandlerFunc(anyOrigin),
	})
	foreign := []string{"/image", "/framed", "/srcdoc", "/bounced", "/style", "/posted", "/fetched", "/worker", "/blank"}
	pages := pagetest.Pages{
		"/": fmt.Sprintf(`<p>TARGET<img src="/own"><iframe src="/inner"></iframe><iframe srcdoc="<img src='/ownsrcdoc'>"></iframe>
			<iframe src="%[1]s/frame"></iframe><iframe src="%[2]s/frame"></iframe>
			<script>
			fetch("/ownfetch")
			new Worker(URL.createObjectURL(new Blob(["fetch('" + origin + "/ownworker')"])))
			</script>`, other.URL, other.LocalhostURL()),
		"/inner": `<p>inner</p><img src="/innerimage">`,
	}
	own := []string{"/", "/own", "/inner", "/innerimage", "/ownsrcdoc", "/ownfetch", "/ownworker"}
	for _, path := range append(foreign, own...) {
		if pages[path] == nil {
			pages[path] = http.HandlerFunc(anyOrigin)
		}
	}
	target = pagetest.NewWeb(t, pages)
	testkit.Contains(t, printed(t, slot, Print{URL: target.URL, Auth: Auth{"bearer", "token"}, Load: contract.Load{WaitUntil: contract.UntilIdle, Timeout: (3 * time.Second).Milliseconds()}}), "TARGET")
	for path, want := range paths(foreign, "", own, "Bearer token") {
		headers := target.Headers(path)
		if len(headers) == 0 {
			t.Errorf("%s was not requested, so this proves nothing", path)
		}
		for _, header := range headers {
			if got := header.Get("Authorization"); got != want {
				t.Errorf("%s got %q", path, got)
			}
		}
	}
}

func paths(foreign []string, none string, own []string, credentials string) map[string]string {
	want := map[string]string{}
	for _, path := range foreign {
		want[path] = none
	}
	for _, path := range own {
		want[path] = credentials
	}
	return want
}
