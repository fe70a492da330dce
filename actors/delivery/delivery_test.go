package delivery

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen.dev/actors/command"
	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
	"platen.dev/store"
)

// A URL that cannot be decrypted here counts as a failed attempt, with its reason, so that it is retried by the schedule and given up. A fault of the
// node does not count: it is retried soon. A file that is not the whole one fails the job.
func TestUnsealableURL(t *testing.T) {
	l, err := embedded.Open(embedded.Config{Dir: filepath.Join(t.TempDir(), "log"), Partitions: 1, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	id := events.NewJobID()
	submission := events.Submission{
		SubmitJob: events.SubmitJob{Job: id, Key: "k", Operation: events.HTMLToPDF},
		Content:   events.Content{HTML: "x", Delivery: &events.Delivery{URL: events.Sealed("sealed")}},
	}
	if err := command.AppendWait(t.Context(), l, events.NewCommand("acc", time.Now(), submission)); err != nil {
		t.Fatal(err)
	}
	broken, unsealed := errors.New("broken"), errors.New("sealed with another key, or damaged")
	cfg := Config{
		Log: l, Now: time.Now, Logger: testkit.Silent(),
		Unseal: func(events.JobID, events.Sealed) (string, error) { return "https://storage.example/", unsealed },
		Open:   func(context.Context, string) (*store.File, error) { return nil, broken },
	}
	e := job.Deliver{Account: "acc", Job: id, Number: 1}
	report, err := cfg.attempt(t.Context(), 0, e)
	if err != nil || report.Code != "" || report.Status != 0 || report.Error != "the URL cannot be decrypted" {
		t.Errorf("a URL that cannot be decrypted: %+v, %v", report, err)
	}
	unsealed = nil
	if report, err := cfg.attempt(t.Context(), 0, e); !errors.Is(err, broken) {
		t.Errorf("a store that fails: %+v, %v", report, err)
	}
	cfg.Open = func(context.Context, string) (*store.File, error) {
		return &store.File{ReadCloser: io.NopCloser(strings.NewReader("%PDF")), Size: 4}, nil
	}
	e.File = events.File{Name: "f.pdf", Size: 5}
	if report, err := cfg.attempt(t.Context(), 0, e); err != nil || report.Code != events.RenderFailed {
		t.Errorf("a file that was cut short: %+v, %v", report, err)
	}
	root := filepath.Join(t.TempDir(), "files")
	files, err := store.OpenDir(root)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Open, e.File.Name = files.Open, "lost.pdf"
	if report, err := cfg.attempt(t.Context(), 0, e); err != nil || report.Code != events.RenderFailed {
		t.Errorf("a file that is lost: %+v, %v", report, err)
	}
	if err := errors.Join(os.RemoveAll(root), os.Mkdir(root, 0o700)); err != nil {
		t.Fatal(err)
	}
	if report, err := cfg.attempt(t.Context(), 0, e); err == nil || report.Code != "" {
		t.Errorf("a store whose disk is not mounted: %+v, %v", report, err)
	}
}
