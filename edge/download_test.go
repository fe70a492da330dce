package edge

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/projections"
	"platen.dev/store"
	"platen.dev/store/s3test"
)

// onS3 has a fixture download one file from S3, and returns its path and its content.
func (d *fixture) onS3(t *testing.T, server *s3test.Server) (path string, content []byte) {
	t.Helper()
	s3, err := store.OpenS3(t.Context(), store.S3Config{Endpoint: server.URL, Region: s3test.Region, PathStyle: true, Bucket: s3test.Bucket})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s3.Close)
	content = bytes.Repeat([]byte("%PDF-1.4 "), 400_000)
	if _, err := s3.Put(t.Context(), "f.pdf", bytes.NewReader(content), int64(len(content))); err != nil {
		t.Fatal(err)
	}
	id := events.NewJobID()
	d.files = s3
	d.jobs[id] = projections.Job{
		Account: "acc", Status: events.StatusDone, Expires: events.At(time.Now().Add(time.Hour)), File: events.File{Name: "f.pdf", Size: int64(len(content))},
	}
	return "/jobs/" + id.String() + "/download", content
}

// download returns the content that a client receives, and its error.
func (d *fixture) download(path string) (got []byte, err error) {
	req, err := http.NewRequest(http.MethodGet, d.url+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-API-Key", d.secret)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	got, err = io.ReadAll(resp.Body)
	return got, errors.Join(err, resp.Body.Close())
}

// A file on S3 arrives whole. If its connection breaks, or its content has changed, the client's connection is cut: the
// part that it received cannot be mistaken for the file.
func TestDownloadFromS3(t *testing.T) {
	server, d := s3test.Start(t), newFixture(t)
	path, content := d.onS3(t, server)
	if got, err := d.download(path); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes of %d, %v", len(got), len(content), err)
	}
	server.Intercept(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		_, _ = w.Write(content[:len(content)/2])
		panic(http.ErrAbortHandler)
	})
	if got, err := d.download(path); err == nil || len(got) >= len(content) {
		t.Errorf("of a connection that breaks: %d bytes of %d, %v", len(got), len(content), err)
	}
	server.Intercept(nil)
	server.Corrupt("f.pdf")
	if got, err := d.download(path); err == nil || len(got) >= len(content) {
		t.Errorf("of a file that has changed: %d bytes of %d, %v", len(got), len(content), err)
	}
}

// While S3 refuses, no download is counted.
func TestDownloadWhileS3Refuses(t *testing.T) {
	server, d := s3test.Start(t), newFixture(t)
	path, _ := d.onS3(t, server)
	server.Intercept(func(w http.ResponseWriter, _ *http.Request) { s3test.Refuse(w, http.StatusForbidden, "AccessDenied") })
	if a := d.do(http.MethodGet, path, ""); a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
		t.Errorf("got %d %s", a.StatusCode, a.body)
	}
	if len(d.commands) > 0 {
		t.Errorf("commands were sent: %v", d.commands)
	}
}

// A file that has been cut short in a directory is not sent as the whole one, and no download is counted.
func TestDownloadOfAFileCutShort(t *testing.T) {
	d := newFixture(t)
	id := events.NewJobID()
	d.jobs[id] = projections.Job{Account: "acc", Status: events.StatusDone, Expires: events.At(time.Now().Add(time.Hour)), File: events.File{Name: "f.pdf", Size: 17}}
	if a := d.do(http.MethodGet, "/jobs/"+id.String()+"/download", ""); a.StatusCode != http.StatusInternalServerError {
		t.Errorf("got %d %s", a.StatusCode, a.body)
	}
	if len(d.commands) > 0 {
		t.Errorf("commands were sent: %v", d.commands)
	}
}

// A file that has just been made is not from the future of its answer, and its Last-Modified is what conditions are held against.
func TestLastModified(t *testing.T) {
	d := newFixture(t)
	id, now := events.NewJobID(), time.Now()
	d.jobs[id] = projections.Job{
		Account: "acc", Status: events.StatusDone, Finished: events.At(now), Expires: events.At(now.Add(time.Hour)), File: events.File{Name: "f.pdf", Size: 16},
	}
	path := "/jobs/" + id.String() + "/download"
	header := d.do("HEAD", path, "").Header
	made, err := http.ParseTime(header.Get("Last-Modified"))
	answered, wrong := http.ParseTime(header.Get("Date"))
	if err != nil || wrong != nil || made.After(answered) || !made.Equal(now.Add(-2*time.Second).Truncate(time.Second)) {
		t.Errorf("ended at %s, answered at %s, made at %s", now, header.Get("Date"), header.Get("Last-Modified"))
	}
	since := func(at time.Time) string { return at.UTC().Format(http.TimeFormat) }
	for _, tc := range []struct {
		name, value string
		want        int
	}{
		{"If-Modified-Since", since(made), 304},
		{"If-Modified-Since", since(made.Add(-time.Second)), 200},
		{"If-Unmodified-Since", since(made), 200},
		{"If-Unmodified-Since", since(made.Add(-time.Second)), 412},
	} {
		if a := d.do("GET", path, "", tc.name, tc.value); a.StatusCode != tc.want {
			t.Errorf("%s: %s, made at %s: %d, want %d", tc.name, tc.value, header.Get("Last-Modified"), a.StatusCode, tc.want)
		}
	}
}
