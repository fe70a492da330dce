package main

import (
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// tooMany is more jobs than an account may have under way, or a node has pages.
const tooMany = 60

// An account with as many never-finishing pages as its plan allows does not keep another one from
// rendering: the other's jobs are done while none of those is.
func TestANeighbourThatNeverFinishes(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // nodes in processes of their own
	site := newGatedSite(t)
	free := web(t)
	m := newMachine(t, "--dev", "--egress-allow", "127.0.0.0/8")
	p := m.start(t)
	bad, quiet := client{m.devKey(t, events.PlanBusiness)}, client{m.devKey(t, events.PlanPro)}
	var held []events.JobID
	for i := range tooMany {
		patient := map[string]any{"page_load_timeout_ms": 120_000}
		operation, body := "url-to-pdf", map[string]any{"url": site.URL, "render": patient}
		if i%2 == 1 {
			operation, body = "html-to-pdf", map[string]any{"html": `<p>x<img src="` + site.URL + `">`, "render": patient}
		}
		id, status, err := bad.post(p.address+"/"+operation, body)
		if status == 202 {
			held = append(held, id)
		} else if status != 429 {
			t.Fatalf("%s: %d %v", operation, status, err)
		}
	}
	site.awaitHeld(t, 2)
	for range 3 {
		for operation, body := range map[string]map[string]any{"html-to-pdf": {"html": "<p>quiet"}, "url-to-pdf": {"url": free.URL + "/page"}} {
			if e := quiet.run(t, p.address, operation, body); e.Status != events.StatusDone {
				t.Errorf("the quiet account's %s ended with %s", operation, e.Error)
			}
		}
	}
	for _, id := range held {
		if status, _, err := bad.status(p.address, id); status == events.StatusDone || status == events.StatusFailed {
			t.Errorf("a job that never finishes is %s, %v", status, err)
		}
	}
	t.Logf("%d jobs of the neighbour were under way", len(held))
	p.kill()
}
