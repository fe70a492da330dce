package main

import (
	"bytes"
	"image/png"
	"strings"
	"testing"
	"time"

	"platen.dev/events/testkit"
)

// A look at a file is a picture of one of its first pages, for the members who may have the file, and spends no download.
func TestDashboardLooks(t *testing.T) {
	testkit.Long(t)
	n := startDashboard(t)
	p := n.demo(t, "business")
	path := func(id string) string { return "/dashboard/jobs/" + id }
	done := func(body map[string]any) string {
		t.Helper()
		id := n.submit(t, body).String()
		testkit.Eventually(t, "the job is done", func() bool { return strings.Contains(p.get(path(id)).body, "3 of 3 downloads left") })
		return id
	}
	id := done(map[string]any{"html": strings.Repeat(`<p style="break-after: page">Page</p>`, 5), "options": map[string]any{"landscape": true}})
	for page, want := range map[string]int{
		"1": 200, "4": 200, "5": 404, "0": 404, "-1": 404, "01": 404, "+1": 404, "1e0": 404, "": 404, "99999999999999999999": 404,
	} {
		if got := p.get(path(id) + "/pages/" + page + ".png"); got.status != want {
			t.Errorf("page %q: %d", page, got.status)
		}
	}
	for _, other := range []string{"/pages", "/pages/", "/pages/1", "/pages/1.pdf", "/pages/1.png/", "/pages/1.png/x", "/cancel/"} {
		if got := p.get(path(id) + other); got.status != 404 {
			t.Errorf("%s: %d", other, got.status)
		}
	}
	got := p.get(path(id) + "/pages/2.png")
	picture, err := png.Decode(strings.NewReader(got.body))
	if err != nil || got.header.Get("Content-Type") != "image/png" || got.header.Get("Cache-Control") != "private, no-store" {
		t.Fatalf("%v %v", got.header, err)
	}
	if size := picture.Bounds().Size(); size.X != 800 || size.Y >= size.X {
		t.Errorf("the picture of a page in landscape is %v", size)
	}
	if shown := p.get(path(id)).body; !strings.Contains(shown, "3 of 3 downloads left") {
		t.Error("a look spends a download")
	}
	locked := done(map[string]any{"html": "<p>x</p>", "options": map[string]any{"user_password": "secret"}})
	if got := p.get(path(locked) + "/pages/1.png"); got.status != 422 {
		t.Errorf("a file with a password: %d", got.status)
	}
	if got := n.demo(t, "pro").get(path(id) + "/pages/1.png"); got.status != 404 || strings.HasPrefix(got.body, "\x89PNG") {
		t.Errorf("another account: %d", got.status)
	}
	if got := n.member(t, n.account(t), "bill@example.com", "billing").get(path(id) + "/pages/1.png"); got.status != 403 {
		t.Errorf("who may not download: %d", got.status)
	}
	if got := n.person(t).get(path(id) + "/pages/1.png"); got.status != 303 {
		t.Errorf("nobody: %d", got.status)
	}
	n.ahead.Add(int64(24*time.Hour + time.Minute))
	if got := p.get(path(id) + "/pages/1.png"); got.status != 404 || bytes.Contains([]byte(got.body), []byte("PNG\r\n")) {
		t.Errorf("expired, and remembered: %d", got.status)
	}
}
