package job

import (
	"reflect"
	"slices"
	"testing"

	"platen.dev/events"
)

// Effects are begun and forgotten as a job goes through its phases.
func TestChanges(t *testing.T) {
	id := events.JobID{1}
	queued := State{Phase: Queued, Account: "acc", Content: 7, MaxFile: 9, Lane: events.Slow}
	rendering := queued
	rendering.Phase, rendering.Attempt, rendering.Node = Rendering, 5, "n1"
	expired := State{Phase: Expired, Account: "acc", File: "f"}
	deleted := State{Phase: Deleted, Account: "acc"}
	render := Render{Account: "acc", Job: id, Content: 7, MaxFile: 9, Lane: events.Slow}
	remove := DeleteFile{Account: "acc", Job: id, Name: "f", Report: true}
	stored, delayed := rendering, rendering
	stored.Stored = "content"
	delayed.Phase, delayed.Stored = Delayed, "content"
	drop := []Effect{DeleteFile{Account: "acc", Job: id, Name: "content"}}
	for name, tc := range map[string]struct {
		before, after State
		evs           []events.Event
		begin         []Effect
		forget        []EffectKey
	}{
		"queued":                   {State{}, queued, []events.Event{events.JobQueued{}}, []Effect{render}, nil},
		"started":                  {queued, rendering, []events.Event{events.RenderStarted{}}, nil, []EffectKey{render.Key()}},
		"still queued":             {queued, queued, nil, nil, nil},
		"a stale file":             {queued, queued, []events.Event{events.RenderDiscarded{Name: "old"}}, []Effect{DeleteFile{Account: "acc", Job: id, Name: "old"}}, nil},
		"done":                     {rendering, State{Phase: Done}, []events.Event{events.JobDone{}}, nil, nil},
		"expired":                  {State{Phase: Done, Account: "acc", File: "f"}, expired, []events.Event{events.FileExpired{}}, []Effect{remove}, nil},
		"deleted":                  {expired, deleted, []events.Event{events.FileDeleted{}}, nil, []EffectKey{remove.Key()}},
		"forgotten":                {deleted, State{}, []events.Event{events.JobForgotten{}}, nil, nil},
		"stored, to be repeated":   {stored, delayed, []events.Event{events.RenderRequeued{}}, nil, nil},
		"stored, uploading":        {stored, State{Phase: Uploading, Account: "acc", Stored: "content"}, []events.Event{events.UploadBegun{}}, []Effect{Deliver{Account: "acc", Job: id, Number: 1}}, nil},
		"stored, done":             {stored, State{Phase: Done, Account: "acc", Stored: "content"}, []events.Event{events.JobDone{}}, drop, nil},
		"stored, failed":           {delayed, State{Phase: Failed, Account: "acc", Stored: "content"}, []events.Event{events.JobFailed{}}, drop, nil},
		"stored, and done already": {State{Phase: Done, Stored: "content"}, State{Phase: Deleted, Stored: "content"}, nil, nil, nil},
		"queued, then failed":      {queued, State{Phase: Failed}, []events.Event{events.JobFailed{}}, nil, []EffectKey{render.Key()}},
	} {
		begin, forget := Changes(id, tc.before, tc.after, tc.evs)
		if !reflect.DeepEqual(begin, tc.begin) || !reflect.DeepEqual(forget, tc.forget) {
			t.Errorf("%s: begins %+v and forgets %+v, want %+v and %+v", name, begin, forget, tc.begin, tc.forget)
		}
	}
}

// Only a rendering job is held by a node. The command that takes it away names the attempt.
func TestHeld(t *testing.T) {
	id := events.JobID{1}
	for phase := Absent; phase <= Deleted; phase++ {
		hold, held := Held(id, State{Phase: phase, Node: "n1", Attempt: 5})
		want := Hold{Node: "n1", Lose: events.LoseRender{Job: id, Attempt: 5}}
		if held != (phase == Rendering) || held && hold != want {
			t.Errorf("phase %d: got %+v, %t", phase, hold, held)
		}
	}
}

// A new owner looks at every job that has something pending or held, and Kinds has each kind.
func TestUnsettled(t *testing.T) {
	id := events.JobID{1}
	for phase := Absent; phase <= Deleted; phase++ {
		s := State{Phase: phase, Account: "acc", File: "f", Node: "n1", Attempt: 5}
		_, held := Held(id, s)
		pending := Pending(id, s)
		if (held || len(pending) > 0) && !Unsettled(s) {
			t.Errorf("phase %d is settled with %+v pending, held %t", phase, pending, held)
		}
		for _, e := range pending {
			if !slices.Contains(Kinds(), e.Key().Kind) {
				t.Errorf("Kinds lacks %q", e.Key().Kind)
			}
		}
	}
	for _, phase := range []Phase{Absent, Done, Failed, Deleted} {
		if Unsettled(State{Phase: phase}) {
			t.Errorf("phase %d is unsettled", phase)
		}
	}
}

// A job needs its stored content while it is active, and its result while somebody may get it.
func TestFiles(t *testing.T) {
	want := map[Phase][]string{
		Queued: {"content"}, Delayed: {"content"}, Rendering: {"content"}, Uploading: {"content", "file"}, Done: {"file"},
	}
	for phase := Absent; phase <= Uploading; phase++ {
		if got := (State{Phase: phase, File: "file", Stored: "content"}).Files(); !slices.Equal(got, want[phase]) {
			t.Errorf("phase %d: %q, want %q", phase, got, want[phase])
		}
	}
}
