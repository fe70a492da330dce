package dashboard

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"platen.dev/edge/dashboard/page"
)

// A carriage return in what a receiver has answered ends a line of the event stream, as a line feed does: what follows stays part of the page.
func TestCarriageReturnsInLivePages(t *testing.T) {
	var sent bytes.Buffer
	w, shown := bufio.NewWriter(&sent), []byte(nil)
	view := page.JobPage{Webhook: true, Ended: true, Attempts: []page.Attempt{{Number: 1, Status: 500, Answer: "first\rsecond\r\nthird"}}}
	if !(&site{}).writeEvent(w, view, &shown) {
		t.Fatal("nothing is written")
	}
	if strings.Contains(sent.String(), "\r") || !strings.Contains(sent.String(), "first\ndata: second\ndata: third") {
		t.Errorf("sent %q", sent.String())
	}
}
