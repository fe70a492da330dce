package main

import (
	"bytes"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"platen.dev/cmd/platen/node"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/logtest"
	"platen.dev/events/testkit"
)

// planted is in every secret of TestPlantedSecrets, and shown is not secret.
const planted, shown = "Kr0kodil", "Elefant"

// No secret of a caller or an operator is anywhere in what a node stores, writes or shows in a
// whole run: log records, replica rows, files, lines at the lowest level, metrics, responses.
func TestPlantedSecrets(t *testing.T) {
	testkit.Long(t)
	b := openBucket(t, net.IPv4(127, 0, 0, 5))
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<p>page</p>")) }))
	t.Cleanup(site.Close)
	m := newMachine(t, "--dev", "--egress-allow", "127.0.0.0/8")
	m.env = []string{"SSL_CERT_FILE=" + b.trusted}
	p := m.start(t)
	from := client{m.devKey(t, events.PlanBusiness)}
	m.admin(t, "webhook", "headers", "set", "acc_dev_business", "Authorization", "Bearer "+planted)
	secret := strings.TrimSpace(m.admin(t, "webhook", "secret", "show", "acc_dev_business"))
	rotated := strings.Fields(m.admin(t, "webhook", "secret", "rotate", "acc_dev_business"))[0]
	m.admin(t, "seal", "rotate")
	b.answers = []int{503, 200, 403} // the first file is tried again, the second one refused
	hook := b.url + "/hook?token=" + planted
	access := map[string]any{"headers": map[string]any{"X-Token": planted}, "cookies": []any{map[string]any{"name": "session", "value": planted}}}
	var said []byte // all responses
	for _, c := range []struct {
		path string
		body map[string]any
	}{
		{"html-to-pdf", map[string]any{"html": "<p>" + shown, "options": map[string]any{"user_password": planted}}},
		{"url-to-pdf", map[string]any{"url": site.URL, "auth": map[string]any{"type": "basic", "value": "reader:" + planted}}},
		{"url-to-pdf", map[string]any{"url": site.URL, "auth": map[string]any{"type": "bearer", "value": planted}}},
		{"url-to-pdf", map[string]any{"url": site.URL, "render": access}},
		{"url-to-pdf", map[string]any{"url": site.URL, "render": map[string]any{"headers": access["headers"], "cookies": access["cookies"], "wait_for_function": "(() => { throw document.cookie })()", "page_load_timeout_ms": 500}}},
		{"html-to-pdf", map[string]any{"html": "<p>delivered", "delivery": map[string]any{"url": b.url + "/file?signature=" + planted}}},
		{"html-to-pdf", map[string]any{"html": "<p>refused", "delivery": map[string]any{"url": b.url + "/other?signature=" + planted}}},
		{"url-to-pdf", map[string]any{"url": "http://127.0.0.1:1/", "auth": map[string]any{"type": "bearer", "value": planted}}},
	} {
		c.body["webhook_url"] = hook
		id, status, err := from.post(p.address+"/"+c.path, c.body)
		if status != 202 {
			t.Fatalf("submit: %d %v", status, err)
		}
		b.webhook(t, id)
		for _, path := range []string{"", "/download", "/webhooks"} {
			_, answer, err := from.do("GET", p.address+"/jobs/"+id.String()+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			said = append(said, answer...)
		}
		said = append(said, m.admin(t, "webhook", "attempts", id.String())...)
	}
	_, metrics, err := from.do("GET", p.address+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	said = append(append(said, metrics...), m.dump(t)...)
	p.stop(t)
	h := hunt{t: t, secrets: []string{planted, secret, rotated, from.key}}
	h.look("responses, metrics and the dump of the log", said)
	h.look("what the node wrote", []byte(p.out.Text()))
	m.withLog(t, func(l eventlog.Log) {
		for _, topic := range []string{events.TopicCommands, events.TopicJournal} {
			for partition := range l.Partitions() {
				logtest.Each(t, l, topic, partition, func(r eventlog.Record) { h.look(topic, append(r.Key, r.Value...)) })
			}
		}
		replica := openReplica(t, l, t.TempDir())
		if err := replica.Scan(nil, func(key, value []byte) bool { h.look("replica", slices.Concat(key, value)); return true }); err != nil {
			t.Fatal(err)
		}
	})
	h.lookInto(m.data)
	h.lookInto(m.temp)
	if h.seen == 0 {
		t.Error("the text that is not secret was not found either")
	}
}

// hunt looks for secrets.
type hunt struct {
	t       *testing.T
	secrets []string
	seen    int // how often the text that is not secret was found
}

func (h *hunt) look(where string, b []byte) {
	for _, secret := range h.secrets {
		if i := bytes.Index(b, []byte(secret)); i >= 0 {
			h.t.Errorf("%s: %q is in …%q…", where, secret, b[max(0, i-60):min(len(b), i+60)])
		}
	}
	h.seen += bytes.Count(b, []byte(shown))
}

// lookInto looks into all files of a directory but that with the keys of the demo accounts.
func (h *hunt) lookInto(dir string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || path == node.DevKeysPath(dir) {
			return err
		}
		b, err := os.ReadFile(path)
		h.look(path, b)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}
