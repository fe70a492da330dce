package main

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// bucket is a server of the caller's, on port 443, that keeps what is put and receives webhooks.
type bucket struct {
	url string
	// certificates of its authority are in the file trusted.
	trusted string

	mu       sync.Mutex // guards what follows
	answers  []int      // to the next requests; then 200
	files    map[string][]byte
	webhooks []string
	entered  chan struct{}
	gate     chan struct{} // unless nil, a PUT waits for it
}

// openBucket serves a bucket on port 443 of an address, or skips the test where that is not allowed.
func openBucket(t *testing.T, address net.IP) *bucket {
	t.Helper()
	c := testkit.MakeCertificates(t, address)
	pair, err := tls.LoadX509KeyPair(c.Server, c.Key)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(address.String(), "443"))
	if errors.Is(err, unix.EACCES) {
		t.Skip("NOTHING IS DELIVERED: this user may not listen on port 443, the only one that deliveries go to")
	}
	if err != nil {
		t.Fatal(err)
	}
	b := &bucket{url: "https://" + address.String(), trusted: c.Authority, files: map[string][]byte{}, entered: make(chan struct{}, 100)}
	s := httptest.NewUnstartedServer(b)
	_ = s.Listener.Close()
	s.Listener, s.TLS = listener, &tls.Config{Certificates: []tls.Certificate{pair}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return b
}

// ServeHTTP implements http.Handler.
func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	content, _ := io.ReadAll(r.Body)
	if r.Method == http.MethodPost {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.webhooks = append(b.webhooks, string(content))
		return
	}
	b.mu.Lock()
	gate := b.gate
	b.mu.Unlock()
	if gate != nil {
		b.entered <- struct{}{}
		<-gate
	}
	w.WriteHeader(b.put(r.RequestURI, content))
}

func (b *bucket) put(target string, content []byte) (status int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	status = http.StatusOK
	if len(b.answers) > 0 {
		status, b.answers = b.answers[0], b.answers[1:]
	}
	if status == http.StatusOK {
		b.files[target] = content
	}
	return status
}

// change changes the bucket with its lock held.
func (b *bucket) change(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

func (b *bucket) file(target string) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.files[target]
}

// webhook waits for the webhook of a job.
func (b *bucket) webhook(t *testing.T, id events.JobID) (fields map[string]any) {
	t.Helper()
	testkit.Eventually(t, "the webhook arrives", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, body := range b.webhooks {
			if strings.Contains(body, id.String()) {
				fields = map[string]any{}
				return json.Unmarshal([]byte(body), &fields) == nil
			}
		}
		return false
	})
	return fields
}

// deliver submits a job whose file goes to the bucket.
func (b *bucket) deliver(t *testing.T, p *process, from client, target string) events.JobID {
	t.Helper()
	body := map[string]any{"html": "<p>delivered</p>", "webhook_url": b.url + "/hook", "delivery": map[string]any{"mode": "presigned_put", "url": b.url + target}}
	id, status, err := from.post(p.address+"/html-to-pdf", body)
	if err != nil || status != 202 {
		t.Fatalf("submit: %d, %v", status, err)
	}
	return id
}

// awaitStatus waits until a job has a status, and returns what the API says of it.
func awaitStatus(t *testing.T, p *process, from client, id events.JobID, want events.Status) (fields map[string]any) {
	t.Helper()
	testkit.Eventually(t, "job "+id.String()+" is "+string(want), func() bool {
		_, answer, err := from.do("GET", p.address+"/jobs/"+id.String(), nil)
		fields = map[string]any{}
		return err == nil && json.Unmarshal(answer, &fields) == nil && fields["status"] == string(want)
	})
	return fields
}

// A file arrives in the caller's storage, and nowhere else: after temporary failures, and despite
// the death of the node in the middle of the upload. The storage's refusal ends the job.
func TestDelivery(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	b := openBucket(t, net.IPv4(127, 0, 0, 4))
	m := newMachine(t, "--dev", "--egress-allow", "127.0.0.4/32")
	m.env = []string{"SSL_CERT_FILE=" + b.trusted}
	p := m.start(t)
	from := client{m.devKey(t, events.PlanPro)}

	const target = "/results/report%2F1.pdf?X-Amz-Signature=a%2Fb"
	b.answers = []int{503}
	id := b.deliver(t, p, from, target)
	done := awaitStatus(t, p, from, id, events.StatusDone)
	metrics, _ := done["metrics"].(map[string]any)
	if content := b.file(target); !bytes.HasPrefix(content, []byte("%PDF-")) || metrics["file_size_bytes"] != float64(len(content)) || done["expires_at"] != nil {
		t.Errorf("%d bytes arrived; the job is %v", len(content), done)
	}
	if status, answer, err := from.do("GET", p.address+"/jobs/"+id.String()+"/download", nil); status != 404 || !bytes.Contains(answer, []byte("OUTPUT_DELIVERED_EXTERNALLY")) {
		t.Errorf("download: %d %s %v", status, answer, err)
	}
	hook := b.webhook(t, id)
	_, hasURL := hook["file_url"]
	_, expires := hook["expires_at"]
	if hook["type"] != "job.finished" || hook["status"] != "done" || hasURL || expires {
		t.Errorf("webhook %v", hook)
	}

	b.change(func() { b.answers = []int{403} })
	refused := b.deliver(t, p, from, "/refused")
	if failed := awaitStatus(t, p, from, refused, events.StatusFailed); failed["error_code"] != "DELIVERY_FAILED" || b.webhook(t, refused)["type"] != "job.failed" {
		t.Errorf("refused: %v", failed)
	}

	gate := make(chan struct{})
	b.change(func() { b.gate = gate })
	id = b.deliver(t, p, from, "/killed")
	<-b.entered
	awaitStatus(t, p, from, id, events.StatusUploading)
	p.kill()
	b.change(func() { b.gate = nil })
	p = m.start(t)
	awaitStatus(t, p, from, id, events.StatusDone)
	if !bytes.HasPrefix(b.file("/killed"), []byte("%PDF-")) { // the dead node's PUT waits still
		t.Error("the file did not arrive after the node's death")
	}
	close(gate)
	testkit.Eventually(t, "no file is left", func() bool {
		return len(storedFiles(filepath.Join(m.data, "files"))) == 0
	})
	p.stop(t)
}
