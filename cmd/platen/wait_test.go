package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// A node dies while a request waits for its file. The job continues, and the same request gets the
// file from the node's next start; it is charged once.
func TestWaitOverTheDeathOfTheNode(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	m := newMachine(t, "--dev")
	p := m.start(t)
	from := client{m.devKey(t, events.PlanPro)}
	body, err := json.Marshal(map[string]any{"html": "<p>waited for</p>", "wait": true, "render": map[string]any{"wait_after_load_ms": 5000}})
	if err != nil {
		t.Fatal(err)
	}
	send := func(address string) (*http.Response, []byte, error) {
		return from.request("POST", address+"/html-to-pdf", body, map[string]string{"Idempotency-Key": "once"})
	}
	usage := func() string { return m.admin(t, "account", "usage", "acc_dev_pro") }
	before := usage()
	broken := make(chan error, 1)
	go func() {
		_, _, err := send(p.address)
		broken <- err
	}()
	testkit.Eventually(t, "the job is accepted", func() bool { return usage() != before })
	p.kill()
	if err := <-broken; err == nil {
		t.Error("the request survived its node")
	}
	p = m.start(t)
	response, file, err := send(p.address)
	if err != nil || response.StatusCode != 200 || !bytes.HasPrefix(file, []byte("%PDF-")) || response.Header.Get("Idempotent-Replayed") != "true" {
		t.Fatalf("%v %v: %.200s", response, err, file)
	}
	id := response.Header.Get("X-Platen-Job-Id")
	if status, again, err := from.do("GET", p.address+"/jobs/"+id+"/download", nil); status != 200 || !bytes.Equal(again, file) {
		t.Errorf("download: %d %v", status, err)
	}
	p.stop(t)
}
