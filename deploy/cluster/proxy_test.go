package cluster

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// What the proxy answers while no node is ready is the problem that a node would answer: programs need no second way to read it.
func TestProxyAnswersAsANode(t *testing.T) {
	m := regexp.MustCompile(`(?m)http-error status 503 content-type application/problem\+json lf-string '([^']+)' hdr Retry-After 2 hdr X-Request-Id (\S+)$`).
		FindStringSubmatch(read(t, "roles/proxy/templates/haproxy.cfg"))
	if m == nil {
		t.Fatal("the proxy has no answer of its own")
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(m[1]), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"type": "https://platen.dev/docs/errors#unavailable", "title": "Temporarily unavailable", "status": 503.0, "error": "UNAVAILABLE",
		"detail": "No node is ready; nothing was accepted. Try again.", "request_id": m[2], "retry_after_seconds": 2.0,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !strings.Contains(read(t, "../../edge/problem.go"), `status: 503, slug: "unavailable", code: "UNAVAILABLE", title: "Temporarily unavailable"`) {
		t.Error("a node's UNAVAILABLE is another")
	}
}
