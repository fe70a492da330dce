package job

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/contract"
)

var theFile = events.File{Name: "f.pdf", Size: 1234, Pages: 2}

// uploading is a job whose file is to be uploaded.
func uploading() State {
	s := Evolve(State{}, "acc", events.JobQueued{Job: theJob, Content: 42, Delivered: true, Webhook: events.Sealed{1}}, 0)
	s = Evolve(s, "acc", events.RenderStarted{Job: theJob, Attempt: 5, Node: "n"}, 0)
	for _, ev := range Decide(s, events.Command{Body: events.FinishRender{Job: theJob, Attempt: 5, File: theFile}}, 0) {
		s = Evolve(s, "acc", ev, 0)
	}
	return s
}

func reported(s State, number, status int, code events.ErrorCode, now events.Instant) (State, []events.Event) {
	report := events.ReportUpload{Job: theJob, UploadAttempt: events.UploadAttempt{Number: number, Status: status}, Code: code}
	evs := Decide(s, events.Command{At: now, Body: report}, 0)
	for _, ev := range evs {
		s = Evolve(s, "acc", ev, now)
	}
	return s, evs
}

// If the storage always fails, four attempts are made and the file is then deleted.
func TestUploadSchedule(t *testing.T) {
	s, now := uploading(), events.Instant(1000)
	pauses := contract.UploadPauses()
	for i := range len(pauses) + 1 {
		want := []Effect{Deliver{Account: "acc", Job: theJob, Content: 42, File: theFile, Number: i + 1}}
		if pending := Pending(theJob, s); !reflect.DeepEqual(pending, want) || !s.Active() || !Unsettled(s) {
			t.Fatalf("attempt %d: pending %+v, active %t", i+1, pending, s.Active())
		}
		s, _ = reported(s, i+1, 503, "", now)
		if i == len(pauses) {
			break
		}
		if wait := time.Duration(s.Due-now) * time.Millisecond; wait != pauses[i] {
			t.Errorf("the pause after attempt %d is %s, want %s", i+1, wait, pauses[i])
		}
		if early := wakened(s, s.Due-1); len(Pending(theJob, early)) > 0 || !Unsettled(early) {
			t.Errorf("attempt %d begins early", i+2)
		}
		now = s.Due
		s = wakened(s, now)
	}
	want := []Effect{DeleteFile{Account: "acc", Job: theJob, Name: "f.pdf", Report: true}, Notify{Account: "acc", Job: theJob, Number: 1}}
	if pending := Pending(theJob, s); s.Phase != Failed || !reflect.DeepEqual(s.Upload, Upload{}) || !reflect.DeepEqual(pending, want) {
		t.Errorf("after the last attempt: %+v, pending %+v", s, pending)
	}
}

// The answer determines what follows an attempt.
func TestReportUpload(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		code   events.ErrorCode
		phase  Phase
		failed events.ErrorCode
	}{
		"the first success":       {200, "", Deleted, ""},
		"the last success":        {299, "", Deleted, ""},
		"an informational status": {199, "", Failed, events.DeliveryFailed},
		"a redirect":              {307, "", Failed, events.DeliveryFailed},
		"forbidden":               {403, "", Failed, events.DeliveryFailed},
		"a slow request":          {408, "", Uploading, ""},
		"too many":                {429, "", Uploading, ""},
		"the last client error":   {499, "", Failed, events.DeliveryFailed},
		"a server error":          {500, "", Uploading, ""},
		"no response":             {0, "", Uploading, ""},
		"nothing to upload":       {0, events.ContentLost, Failed, events.ContentLost},
	} {
		s, evs := reported(uploading(), 1, c.status, c.code, 5000)
		if s.Phase != c.phase || len(evs) == 0 {
			t.Errorf("%s: phase %d, %+v", name, s.Phase, evs)
		}
		for _, ev := range evs {
			if e, is := ev.(events.JobFailed); is && e.Code != c.failed {
				t.Errorf("%s: fails with %s, want %s", name, e.Code, c.failed)
			}
		}
		if _, is := evs[len(evs)-1].(events.JobFailed); is != (c.failed != "") {
			t.Errorf("%s: %+v", name, evs)
		}
	}
}

// A delivered job is done with the file's size and without an expiry. Its file is deleted, and its
// status stays for 30 days.
func TestDelivered(t *testing.T) {
	s, evs := reported(uploading(), 1, 200, "", 5000)
	done := events.JobDone{Job: theJob, File: theFile}
	if len(evs) != 2 || !reflect.DeepEqual(evs[1], events.Event(done)) {
		t.Fatalf("got %+v", evs)
	}
	remove := DeleteFile{Account: "acc", Job: theJob, Name: "f.pdf", Report: true}
	if pending := Pending(theJob, s); !slices.Contains(pending, Effect(remove)) || s.Active() {
		t.Errorf("pending %+v, active %t", pending, s.Active())
	}
	due := s.Due
	for _, name := range []string{"other.pdf", "f.pdf", "f.pdf"} {
		for _, ev := range Decide(s, events.Command{Body: events.ForgetFile{Job: theJob, Name: name}}, 0) {
			s = Evolve(s, "acc", ev, 9000)
		}
	}
	if s.File != "" || s.Phase != Deleted || s.Due != due || due != events.Instant(5000).Add(contract.StatusLife) {
		t.Errorf("after the deletion: %+v", s)
	}
}

// Reports that come twice, late or early change nothing, nor do other attempts to render the job.
func TestReportUploadTwice(t *testing.T) {
	waiting, _ := reported(uploading(), 1, 500, "", 5000)
	again := wakened(waiting, waiting.Due)
	ended, _ := reported(uploading(), 1, 200, "", 5000)
	for name, c := range map[string]struct {
		s      State
		number int
	}{"again": {waiting, 1}, "early": {waiting, 2}, "of the one before": {again, 1}, "of the one after": {again, 3}, "after the end": {ended, 2}} {
		if _, evs := reported(c.s, c.number, 200, "", 9000); len(evs) > 0 {
			t.Errorf("%s: %+v", name, evs)
		}
	}
	for _, body := range []events.CommandBody{
		events.StartRender{Job: theJob, Attempt: 6},
		events.FinishRender{Job: theJob, Attempt: 5, File: theFile},
		events.LoseRender{Job: theJob, Attempt: 5},
		events.ForgetFile{Job: theJob, Name: "f.pdf"},
		events.WakeJob{Job: theJob},
	} {
		if evs := Decide(uploading(), events.Command{At: 1 << 40, Body: body}, 0); len(evs) > 0 {
			t.Errorf("%T: %+v", body, evs)
		}
	}
}
