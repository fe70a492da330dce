package conformance

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/contract"
	limits "platen.dev/events/contract"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/logtest"
)

// Defaults. What the API fills in is in the command that submits the job.

var defaultRows = []row{
	{"options/defaults", "PdfOptions", "A4, upright, with backgrounds, without header and footer, fitted", func(t *testing.T, s *server) {
		for _, options := range []any{nil, object{}, object{"format": nil, "print_background": nil, "margin": object{"top": nil}}} {
			s.filledIn(t, htmlToPDF, options, func(c events.Content) bool {
				return reflect.DeepEqual(c.Print, events.PrintOptions{Paper: contract.Paper{Format: "A4"}})
			})
		}
	}},
	{"options/watermark-defaults", "WatermarkOptions", "pale grey, of 60 pixels, rising by 45 degrees", func(t *testing.T, s *server) {
		s.filledIn(t, htmlToPDF, object{"watermark": object{"text": "x"}}, func(c events.Content) bool {
			return *c.Print.Watermark == events.Watermark{Text: "x", Color: "rgba(200, 200, 200, 0.3)", FontSize: "60px", Rotation: -45}
		})
	}},
	{"options/permission-defaults", "Extensions", "what permissions leave out is allowed", func(t *testing.T, s *server) {
		for _, given := range []object{{}, {"printing": nil, "copying": true}} {
			s.filledIn(t, htmlToPDF, object{"user_password": "x", "permissions": given}, func(c events.Content) bool {
				return *c.Print.Denied == events.Denied{}
			})
		}
	}},
	{"render/default-timeout", "RenderOptions", "30,000 ms to load unless another time is given: the browser's default", func(t *testing.T, s *server) {
		s.filledIn(t, htmlToPDF, nil, func(c events.Content) bool {
			return c.Load == nil && limits.DefaultLoadTimeout == 30*time.Second
		})
	}},
	{"image/defaults", "Image options", "PNG of 1024 × 768, not the full page", func(t *testing.T, s *server) {
		for _, options := range []any{nil, object{}, object{"viewport": object{}}} {
			s.filledIn(t, htmlToImage, options, func(c events.Content) bool {
				return *c.Image == contract.Image{Format: "png", Width: 1024, Height: 768}
			})
		}
	}},
}

// filledIn checks the command that submits a job.
func (s *server) filledIn(t *testing.T, path string, options any, right func(events.Content) bool) {
	t.Helper()
	c := s.customer(t, events.PlanPro)
	id := c.post(path, object{"html": "x", "options": options}).accepted()
	found := false
	logtest.Each(t, s.Log(), events.TopicCommands, events.Partition(c.account, s.Log().Partitions()), func(r eventlog.Record) {
		command, err := events.DecodeSubmission(r.Value)
		if errors.Is(err, events.ErrNewer) { // another command
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if submit, ok := command.Body.(events.Submission); ok && submit.Job == id {
			found = true
			if !right(submit.Content) {
				t.Errorf("%s with options %v is submitted with %+v", path, options, submit.Content)
			}
		}
	})
	if !found {
		t.Errorf("no command submits job %s", id)
	}
}
