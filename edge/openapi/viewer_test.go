package openapi_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"regexp"
	"strings"
	"testing"

	"platen.dev/edge/openapi"
)

func viewer(t *testing.T) *openapi.Viewer {
	t.Helper()
	v, err := openapi.NewViewer(info)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var address = regexp.MustCompile(`(?:src|href)="([^"]*)"`)

// The page loads only what is here: its own files and the document.
func TestPage(t *testing.T) {
	v := viewer(t)
	page, ok := v.Asset("/docs")
	if !ok || !bytes.Contains(page.Body, []byte("<title>Platen 1.0.0</title>")) {
		t.Fatalf("got %s", page.Body)
	}
	for _, found := range address.FindAllStringSubmatch(string(page.Body), -1) {
		_, here := v.Asset(found[1])
		if !here && found[1] != openapi.DocumentPath && found[1] != info.Terms {
			t.Errorf("the page leads to %s", found[1])
		}
	}
	if inline := regexp.MustCompile(`<script>|<style|style=|javascript:| on[a-z]+=`).Find(page.Body); inline != nil {
		t.Errorf("the page holds %s, which its policy forbids", inline)
	}
	if policy := page.Headers["Content-Security-Policy"]; !strings.Contains(policy, "script-src 'self';") || strings.Contains(policy, "unsafe") {
		t.Errorf("got policy %s", policy)
	}
	if slash, _ := v.Asset("/docs/"); !bytes.Equal(slash.Body, page.Body) {
		t.Error("/docs/ is another page")
	}
}

func TestAssets(t *testing.T) {
	v := viewer(t)
	for path, want := range map[string]string{
		"/docs/swagger-ui-bundle.js": "text/javascript; charset=utf-8",
		"/docs/swagger-ui.css":       "text/css; charset=utf-8",
		"/docs/viewer.js":            "text/javascript; charset=utf-8",
		"/docs/viewer.css":           "text/css; charset=utf-8",
		"/docs/favicon-32x32.png":    "image/png",
	} {
		a, ok := v.Asset(path)
		if !ok || len(a.Body) == 0 || a.Headers["Content-Type"] != want || len(a.ETag) != 18 || a.Headers["Cache-Control"] == "" {
			t.Errorf("%s: got %d bytes, tag %s, %v", path, len(a.Body), a.ETag, a.Headers)
		}
	}
	for _, path := range []string{"/docs/../x", "/docs/page/viewer.js", "/docs/nothing.js", "/", ""} {
		if _, ok := v.Asset(path); ok {
			t.Errorf("there is something at %s", path)
		}
	}
}

func TestCompressed(t *testing.T) {
	a, _ := viewer(t).Asset("/docs/swagger-ui-bundle.js")
	r, err := gzip.NewReader(bytes.NewReader(a.Gzip))
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(r); err != nil || !bytes.Equal(body, a.Body) || a.Headers["Vary"] != "Accept-Encoding" {
		t.Errorf("got %d bytes, %v, %v", len(body), err, a.Headers)
	}
}
