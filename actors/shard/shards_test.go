package shard

import (
	"strings"
	"testing"
	"time"

	"platen.dev/actors/job"
)

// Hosts that do not last are replaced ever more slowly, up to a bound. One that lasts
// resets the delay.
func TestStrikes(t *testing.T) {
	now := time.UnixMilli(1_770_000_000_000)
	s := &supervisor{cfg: Config{Now: func() time.Time { return now }}, spawns: map[int32]spawned{7: {at: now}}}
	for _, want := range []int{500, 1000, 2000, 4000, 8000, 8000} {
		if got := s.strike(7); got != time.Duration(want)*time.Millisecond {
			t.Errorf("waits %s, want %dms", got, want)
		}
	}
	now = now.Add(calm)
	if got := s.strike(7); got != respawnDelay {
		t.Errorf("after a calm, waits %s, want %s", got, respawnDelay)
	}
}

// idle is a performer that does nothing.
type idle struct{}

func (idle) Perform(int32, job.Effect) {}
func (idle) Resume(int32, job.Effect)  {}
func (idle) Forget(job.EffectKey)      {}
func (idle) ForgetAll(int32)           {}

// A node does not start without a performer of every kind of effect.
func TestStartWithoutPerformer(t *testing.T) {
	for _, missing := range job.Kinds() {
		performers := Performers{}
		for _, kind := range job.Kinds() {
			if kind != missing {
				performers[kind] = idle{}
			}
		}
		_, err := Start(nil, Config{Effects: performers})
		if err == nil || !strings.Contains(err.Error(), string(missing)) {
			t.Errorf("got %v, want an error that names the effect %q", err, missing)
		}
	}
}
