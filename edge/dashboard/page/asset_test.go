package page_test

import (
	"regexp"
	"testing"

	"platen.dev/edge/dashboard/page"
)

func TestAssets(t *testing.T) {
	for _, path := range page.Assets() {
		if !regexp.MustCompile(`^/dashboard/assets/[a-z]+-[0-9a-f]{16}\.(css|js|svg)$`).MatchString(path) {
			t.Errorf("got the address %s", path)
		}
		if body, kind, ok := page.Asset(path); len(body) == 0 || kind == "" || !ok {
			t.Errorf("%s: got %d bytes of %q", path, len(body), kind)
		}
	}
	for _, path := range []string{"", "/", "/dashboard/assets/", "/dashboard/assets/app.css", "/dashboard/assets/../page.go"} {
		if _, _, ok := page.Asset(path); ok {
			t.Errorf("there is something at %q", path)
		}
	}
}
