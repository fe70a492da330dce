package job

import (
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/contract"
)

// A file lives from the latest that true time may be, so that it does not expire at once when a clock that was held
// turns out to be right. Without that, it lives from the decision.
func TestLifeOfAFile(t *testing.T) {
	s := State{Phase: Rendering, Attempt: 5}
	at := events.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	for latest, want := range map[events.Instant]events.Instant{
		0: at.Add(contract.FileLife), at: at.Add(contract.FileLife), at - 1: at.Add(contract.FileLife),
		at.Add(60 * time.Hour): at.Add(60*time.Hour + contract.FileLife),
	} {
		evs := Decide(s, events.Command{At: at, Latest: latest, Body: events.FinishRender{Attempt: s.Attempt, File: events.File{Name: "f"}}}, 0)
		if done, ok := evs[0].(events.JobDone); !ok || done.Expires != want {
			t.Errorf("decided at %d, at the latest %d: %+v, want it to expire at %d", at, latest, evs[0], want)
		}
	}
}
