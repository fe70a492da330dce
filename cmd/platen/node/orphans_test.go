package node

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"platen.dev/actors/retention"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// The sweep deletes old files that no job owns, and leaves those of jobs, young ones, and files
// that are not Platen's.
func TestOrphanFiles(t *testing.T) {
	cfg := NewConfig()
	cfg.Data, cfg.Listen, cfg.Partitions, cfg.Browser.Slots = t.TempDir(), "127.0.0.1:0", 2, 1
	n, err := Start(t.Context(), cfg, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	job := events.NewJobID()
	for _, body := range []events.CommandBody{
		events.CreateAccount{Plan: events.PlanFree},
		events.IssueKey{Key: events.Key{ID: "k"}},
		events.Submission{SubmitJob: events.SubmitJob{Job: job, Key: "k", Operation: events.HTMLToPDF, Test: true}},
	} {
		if reply, err := n.Commands().Do("acc", body); err != nil || reply.Code != events.Accepted {
			t.Fatalf("%T: %v %v", body, reply, err)
		}
	}
	var owned string
	testkit.Eventually(t, "the job is done", func() bool {
		j, _, err := n.Replica().Job("acc", job)
		owned = j.File.Name
		return err == nil && j.Status == events.StatusDone
	})
	young := events.NewJobID().String() + "-young.pdf"
	old := map[string]bool{ // and whether the file is left
		owned:                                    true,
		job.String() + "-refused.pdf":            false,
		events.NewJobID().String() + "-lost.png": false,
		"probe-node":                             false,
		"notes.txt":                              true,
	}
	for name := range old {
		if name != owned {
			put(t, n, name)
		}
		makeOld(t, n, name)
	}
	put(t, n, young)
	if deleted, err := n.orphans().Sweep(t.Context()); err != nil || deleted != 3 {
		t.Errorf("%d files were deleted, want 3; %v", deleted, err)
	}
	old[young] = true
	for name, left := range old {
		f, err := n.files.Open(t.Context(), name)
		if (err == nil) != left {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			_ = f.Close()
		}
	}
}

func put(t *testing.T, n *Node, name string) {
	t.Helper()
	if _, err := n.files.Put(t.Context(), name, bytes.NewReader([]byte("x")), 1); err != nil {
		t.Fatal(err)
	}
}

// makeOld sets back the time of a stored file.
func makeOld(t *testing.T, n *Node, name string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(n.cfg.Data, "files", "*", name))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%s is at %q, %v", name, paths, err)
	}
	then := time.Now().Add(-retention.OrphanAge - time.Minute)
	if err := os.Chtimes(paths[0], then, then); err != nil {
		t.Fatal(err)
	}
}
