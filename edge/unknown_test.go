package edge

import (
	"context"
	"testing"

	"platen.dev/edge/apikey"
)

// A key that was issued at another node a moment ago is known here with its first
// request; one that nobody has costs one look, not one for every request.
func TestStrangers(t *testing.T) {
	d := newFixture(t)
	d.known = false
	if a := d.do("GET", "/jobs/x", ""); a.StatusCode != 404 {
		t.Errorf("a key of a moment ago: %d %s", a.StatusCode, a.body)
	}
	before := d.caughtUp
	nobodys, _ := apikey.New(apikey.Live, 1)
	for range 5 {
		if a := d.do("GET", "/jobs/x", "", "X-API-Key", nobodys); a.StatusCode != 401 {
			t.Errorf("a key that nobody has: %d %s", a.StatusCode, a.body)
		}
	}
	if looks := (d.caughtUp - before) / 4; looks != 1 { // the fixture has 4 partitions
		t.Errorf("five requests made the read models catch up %d times", looks)
	}
	d.caught = context.DeadlineExceeded
	another, _ := apikey.New(apikey.Live, 1)
	if a := d.do("GET", "/jobs/x", "", "X-API-Key", another); a.StatusCode != 503 || a.Header.Get("Retry-After") == "" {
		t.Errorf("while nothing can be said of a key: %d %s", a.StatusCode, a.body)
	}
}
