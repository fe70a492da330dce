package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/store/s3test"
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

// largeWord is what the file of a largeBody says, and askBytes a document that says how large the file is.
const (
	largeWord = "confidential"
	askBytes  = `<p id="p"></p><script>fetch("a.txt").then(r => r.text()).then(t => p.textContent = "BYTES " + t.length)</script>`
)

// largeBody is a request with a document, and a file of 1,200,000 bytes.
func largeBody(html string) map[string]any {
	return map[string]any{
		"html": html, "html_mode": "full", "render": map[string]any{"wait_after_load_ms": 4000},
		"assets": []any{map[string]any{"name": "a.txt", "content": base64.StdEncoding.EncodeToString([]byte(strings.Repeat(largeWord, 100_000)))}},
	}
}

// Large content is kept, encrypted, despite the death of its node, and deleted when its job ends: done, failed or cancelled.
func TestLargeContentIsDeleted(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	m := newMachine(t, "--dev")
	p := m.start(t)
	from := client{m.devKey(t, events.PlanPro)}
	id, _, err := from.post(p.address+"/html-to-pdf", largeBody(askBytes))
	if err != nil {
		t.Fatal(err)
	}
	files := m.stored(t)
	if len(files) != 1 {
		t.Fatalf("%q are stored", files)
	}
	sealed, err := os.ReadFile(files[0])
	if err != nil || bytes.Contains(sealed, []byte(largeWord)) || len(sealed) < 1_200_000 {
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
	failing, _, err := from.post(p.address+"/html-to-pdf", largeBody(`<script>location = "/missing"</script>`))
	if err != nil {
		t.Fatal(err)
	}
	ended(failing, events.StatusFailed)
	cancelled, _, err := from.post(p.address+"/html-to-pdf", largeBody(askBytes))
	if err != nil {
		t.Fatal(err)
	}
	if status, text, err := from.do("POST", p.address+"/jobs/"+cancelled.String()+"/cancel", nil); status/100 != 2 {
		t.Errorf("cancel: %d %s, %v", status, text, err)
	}
	ended(cancelled, events.StatusFailed)
	p.stop(t)
}

// Large content on S3 is read by whichever node renders its job, even if the node that accepted the request has died, and deleted when the job ends.
func TestLargeContentOnS3(t *testing.T) {
	testkit.Long(t)
	server := s3test.Start(t)
	tables := fmt.Sprintf("[s3]\nendpoint = %q\nregion = %q\npath_style = true\n", server.URL, s3test.Region)
	c := startClusterWith(t, "", nodetest.Broker(t), tables, "--files", "s3://"+s3test.Bucket+"/results")
	kept := func(extension string) (n int) {
		for _, key := range server.Keys() {
			if strings.HasSuffix(key, extension) {
				n++
			}
		}
		return n
	}
	jobs := make([]events.JobID, len(c.customers))
	for i, from := range c.customers {
		var err error
		if jobs[i], _, err = from.post(c.nodes[0].address+"/html-to-pdf", largeBody(askBytes)); err != nil {
			t.Fatal(err)
		}
	}
	if n := kept(events.StoredExtension); n != len(jobs) {
		t.Errorf("the content of %d of %d jobs is stored", n, len(jobs))
	}
	c.nodes[0].kill()
	for i, from := range c.customers {
		awaitStatus(t, c.nodes[1], from, jobs[i], events.StatusDone)
		_, pdf, err := from.do("GET", c.nodes[2].address+"/jobs/"+jobs[i].String()+"/download", nil)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Contains(t, testkit.PDFText(t, pdf), "BYTES 1200000")
	}
	testkit.Eventually(t, "the content is deleted, and the results are kept", func() bool {
		return kept(events.StoredExtension) == 0 && kept(".pdf") == len(jobs)
	})
	for _, p := range c.nodes[1:] {
		p.stop(t)
	}
}
