package node

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/actors/retention"
	"platen.dev/store"
	"platen.dev/store/s3test"
)

const results = "s3://" + s3test.Bucket + "/platen"

// baseOnS3 returns the base of a node with its results on a server.
func baseOnS3(t *testing.T, server *s3test.Server) *base {
	t.Helper()
	cfg := NewConfig()
	cfg.Data, cfg.Files = t.TempDir(), results
	cfg.S3 = S3Config{Endpoint: server.URL, Region: s3test.Region, PathStyle: true}
	b := &base{cfg: cfg, id: "node-1", logger: slog.New(slog.DiscardHandler)}
	t.Cleanup(func() {
		if err := b.close(cfg.Drain(), cfg.StopLimit()); err != nil {
			t.Error(err)
		}
	})
	return b
}

func openResults(t *testing.T, b *base) store.Files {
	t.Helper()
	files, err := openFiles(t.Context(), b, "results", results)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A node tries its store on S3 before it starts, and leaves nothing there. Its space is not
// watched.
func TestFilesOnS3(t *testing.T) {
	server := s3test.Start(t)
	b := baseOnS3(t, server)
	openResults(t, b)
	space := watchSpace(b)
	if left := server.Keys(); len(left) > 0 {
		t.Errorf("left on the server: %v", left)
	}
	if disks := space.disks(); len(disks) != 1 || disks[0].name != "data" {
		t.Errorf("watched: %+v", disks)
	}
}

// The file part of the probe of suspended rendering fails while S3 is down, and succeeds when it is
// back.
func TestProbeOnS3(t *testing.T) {
	server := s3test.Start(t)
	b := baseOnS3(t, server)
	files := openResults(t, b)
	content := make([]byte, probeBytes)
	server.Intercept(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		s3test.Refuse(w, http.StatusServiceUnavailable, "ServiceUnavailable")
	})
	if err := store.Probe(t.Context(), files, "x", content); err == nil || !strings.Contains(err.Error(), "ServiceUnavailable (503)") {
		t.Errorf("while S3 is down: %v", err)
	}
	server.Intercept(nil)
	if err := store.Probe(t.Context(), files, "x", content); err != nil {
		t.Errorf("when S3 is back: %v", err)
	}
	if left := server.Keys(); len(left) > 0 {
		t.Errorf("left on the server: %v", left)
	}
}

// A node does not start on a store that lacks something it needs, and says what is missing.
func TestBadFilesOnS3(t *testing.T) {
	for want, refuses := range map[string]func(*http.Request) bool{
		"put probe-node-1":                  func(r *http.Request) bool { return r.Method == http.MethodPut },
		"open probe-node-1":                 func(r *http.Request) bool { return r.Method == http.MethodGet && !r.URL.Query().Has("list-type") },
		"list files":                        func(r *http.Request) bool { return r.URL.Query().Has("list-type") },
		"delete probe-node-1":               func(r *http.Request) bool { return r.Method == http.MethodDelete },
		"the credentials need s3:GetObject": func(*http.Request) bool { return true },
	} {
		server := s3test.Start(t)
		server.Intercept(func(w http.ResponseWriter, r *http.Request) {
			if refuses(r) {
				s3test.Refuse(w, http.StatusForbidden, "AccessDenied")
				return
			}
			server.Serve(w, r)
		})
		if _, err := openFiles(t.Context(), baseOnS3(t, server), "results", results); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// AWS answers 403, not 404, for missing objects if the credentials may not list. So such a store is
// refused at the start; so is one that does not delete, or returns something else.
func TestFilesOnS3ThatDoOtherThings(t *testing.T) {
	for want, do := range map[string]func(s *s3test.Server, w http.ResponseWriter, r *http.Request){
		"was deleted: open": func(s *s3test.Server, w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && len(s.Keys()) == 0 {
				s3test.Refuse(w, http.StatusForbidden, "AccessDenied")
				return
			}
			s.Serve(w, r)
		},
		"still there": func(s *s3test.Server, w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				w.WriteHeader(http.StatusNoContent)
				return
			}
			s.Serve(w, r)
		},
		"checksum": func(s *s3test.Server, w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && !r.URL.Query().Has("list-type") {
				s.Corrupt("platen/probe-node-1")
			}
			s.Serve(w, r)
		},
	} {
		server := s3test.Start(t)
		server.Intercept(func(w http.ResponseWriter, r *http.Request) { do(server, w, r) })
		if _, err := openFiles(t.Context(), baseOnS3(t, server), "results", results); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// The sweep finds the old files on S3 that no job owns.
func TestOrphansOnS3(t *testing.T) {
	server := s3test.Start(t)
	b := baseOnS3(t, server)
	files := openResults(t, b)
	for _, name := range []string{"lost.pdf", "lost.png", "owned.pdf", "young.pdf"} {
		if _, err := files.Put(t.Context(), name, bytes.NewReader([]byte("x")), 1); err != nil {
			t.Fatal(err)
		}
		if name != "young.pdf" {
			server.SetStored("platen/"+name, time.Now().Add(-retention.OrphanAge-time.Minute))
		}
	}
	orphans := retention.Orphans{
		Files: files, Now: time.Now, Settle: func(context.Context) (func(string) bool, error) { return func(string) bool { return true }, nil },
		Owned: func(name string) (bool, error) { return name == "owned.pdf", nil },
	}
	if swept, err := orphans.Sweep(t.Context()); err != nil || swept.Deleted != 2 {
		t.Errorf("%+v, want 2 files deleted; %v", swept, err)
	}
	if left := server.Keys(); !slices.Equal(left, []string{"platen/owned.pdf", "platen/young.pdf"}) {
		t.Errorf("left: %v", left)
	}
}
