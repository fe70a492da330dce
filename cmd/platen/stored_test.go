package main

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// stored are the files with content of unfinished jobs.
func (m *machine) stored(t *testing.T) []string {
	t.Helper()
	var all []string
	walk(t, filepath.Join(m.data, "files"), func(path string, _ fs.FileInfo) {
		if strings.HasSuffix(path, events.StoredExtension) {
			all = append(all, path)
		}
	})
	return all
}

// Large content is kept, encrypted, over the death of its node, and deleted when its job ends, done, failed or cancelled.
func TestLargeContentIsDeleted(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	m := newMachine(t, "--dev")
	p := m.start(t)
	from := client{m.devKey(t, events.PlanPro)}
	word := "confidential"
	body := func(html string) map[string]any {
		return map[string]any{
			"html": html, "html_mode": "full", "render": map[string]any{"wait_after_load_ms": 4000},
			"assets": []any{map[string]any{"name": "a.txt", "content": base64.StdEncoding.EncodeToString([]byte(strings.Repeat(word, 100_000)))}},
		}
	}
	ask := `<p id="p"></p><script>fetch("a.txt").then(r => r.text()).then(t => p.textContent = "BYTES " + t.length)</script>`
	id, _, err := from.post(p.address+"/html-to-pdf", body(ask))
	if err != nil {
		t.Fatal(err)
	}
	files := m.stored(t)
	if len(files) != 1 {
		t.Fatalf("%q are stored", files)
	}
	sealed, err := os.ReadFile(files[0])
	if err != nil || bytes.Contains(sealed, []byte(word)) || len(sealed) < 1_200_000 {
		t.Errorf("%d bytes are stored, %v", len(sealed), err)
	}
	p.kill()
	p = m.start(t)
	if got := m.stored(t); len(got) != 1 {
		t.Errorf("%q are stored after the death of the node", got)
	}
	ended := func(id events.JobID, want events.Status) {
		t.Helper()
		testkit.Eventually(t, "the job ends", func() bool {
			s, _, err := from.status(p.address, id)
			return err == nil && s == want
		})
		testkit.Eventually(t, "its content is deleted", func() bool { return len(m.stored(t)) == 0 })
	}
	ended(id, events.StatusDone)
	_, pdf, err := from.do("GET", p.address+"/jobs/"+id.String()+"/download", nil)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Contains(t, testkit.PDFText(t, pdf), "BYTES 1200000")
	failing, _, err := from.post(p.address+"/html-to-pdf", body(`<script>location = "/missing"</script>`))
	if err != nil {
		t.Fatal(err)
	}
	ended(failing, events.StatusFailed)
	cancelled, _, err := from.post(p.address+"/html-to-pdf", body(ask))
	if err != nil {
		t.Fatal(err)
	}
	if status, text, err := from.do("POST", p.address+"/jobs/"+cancelled.String()+"/cancel", nil); status/100 != 2 {
		t.Errorf("cancel: %d %s, %v", status, text, err)
	}
	ended(cancelled, events.StatusFailed)
	p.stop(t)
}
