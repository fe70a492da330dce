package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"platen.dev/events"
)

var requestID = regexp.MustCompile(`"request_id":"[^"]*"`)

// To an account, another's job is like one that does not exist, at every endpoint that the API describes.
func TestForeignJobs(t *testing.T) {
	n := startInProcessNode(t)
	id, unknown := n.submit(t, map[string]any{"html": "<p>x</p>"}).String(), events.NewJobID().String()
	other, address := client{n.machine.devKey(t, events.PlanPro)}, "http://"+n.Address()
	ask := func(c client, method, path, job string) (status int, body string) {
		t.Helper()
		status, b, err := c.do(method, address+strings.ReplaceAll(path, "{job_id}", job), nil)
		if err != nil {
			t.Fatal(err)
		}
		return status, strings.ReplaceAll(requestID.ReplaceAllString(string(b), ""), job, "JOB")
	}
	var described struct{ Paths map[string]map[string]any }
	_, document, err := n.client.do("GET", address+"/openapi.json", nil)
	if err == nil {
		err = json.Unmarshal(document, &described)
	}
	if err != nil {
		t.Fatal(err)
	}
	endpoints, own := 0, 0
	for path, methods := range described.Paths {
		if !strings.Contains(path, "{job_id}") {
			continue
		}
		for method := range methods {
			endpoints++
			method = strings.ToUpper(method)
			status, body := ask(other, method, path, id)
			if wantStatus, want := ask(other, method, path, unknown); status != 404 || status != wantStatus || body != want {
				t.Errorf("%s %s: another account's job is %d %s, one that does not exist %d %s", method, path, status, body, wantStatus, want)
			}
			if status, _ := ask(n.client, method, path, id); status != 404 {
				own++
			}
		}
	}
	if endpoints < 6 || own == 0 {
		t.Errorf("%d endpoints, %d of which know the account's own job", endpoints, own)
	}
}
