package edge

import (
	"context"
	"testing"

	"platen.dev/events/apikey"
)

// A key issued by another node a moment ago works here with its first request. A key without an account costs one look
// at the log, not one per request.
func TestUnknownKeys(t *testing.T) {
	d := newFixture(t)
	d.known = false
	if a := d.do("GET", "/jobs/x", ""); a.StatusCode != 404 {
		t.Errorf("a key of a moment ago: %d %s", a.StatusCode, a.body)
	}
	before := d.caughtUp
	unknown, _ := apikey.New(apikey.Live, 1)
	for range 5 {
		if a := d.do("GET", "/jobs/x", "", "X-API-Key", unknown); a.StatusCode != 401 {
			t.Errorf("a key that no account has: %d %s", a.StatusCode, a.body)
		}
	}
	if looks := (d.caughtUp - before) / 4; looks != 1 { // there are 4 partitions
		t.Errorf("five requests made the read models catch up %d times", looks)
	}
	d.caught = context.DeadlineExceeded
	another, _ := apikey.New(apikey.Live, 1)
	if a := d.do("GET", "/jobs/x", "", "X-API-Key", another); a.StatusCode != 503 || a.Header.Get("Retry-After") == "" {
		t.Errorf("while the read models lag: %d %s", a.StatusCode, a.body)
	}
}
