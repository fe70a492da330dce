package page

import (
	"context"
	"strings"
	"testing"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
	"platen.dev/events/testkit"
)

// A warm page that prints large documents one after another does not grow with each: what
// the last one left goes before the next takes as much again.
func TestAWarmPageDoesNotGrow(t *testing.T) {
	testkit.Long(t)
	const most = 190 << 20 // the first document takes 120 MiB
	browser := ownBrowser(t, chromium.Options{})
	s := openSlotIn(t, browser, newGate(egress.Policy{}))
	row := `<tr style="background: #eef3f8"><td style="padding: 4px">12:00</td><td>1.20 m</td><td>2.20 m</td><td>990 hPa</td><td>wind 7 kn</td></tr>`
	html := "<!doctype html>" + strings.Repeat(`<h2>Station</h2><table style="width: 100%; border-collapse: collapse">`+strings.Repeat(row, 24)+"</table>", 60)
	for range 4 {
		if _, err := s.Print(context.Background(), Print{HTML: html}); err != nil {
			t.Fatal(err)
		}
		for pid, used := range chromium.ReadUsage(map[int]bool{browser.PID(): true})[browser.PID()] {
			if used.Bytes > most {
				t.Errorf("process %d has %d MiB", pid, used.Bytes>>20)
			}
		}
	}
}
