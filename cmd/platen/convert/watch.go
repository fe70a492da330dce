package convert

import (
	"context"
	"os"
	"time"
)

// lookEvery is how often the inputs are checked.
const lookEvery = 250 * time.Millisecond

// stamp distinguishes a changed file from its earlier state.
type stamp struct {
	at   time.Time
	size int64
}

func stampOf(file string) stamp {
	info, err := os.Stat(file)
	if err != nil {
		return stamp{}
	}
	return stamp{info.ModTime(), info.Size()}
}

// stampsOf returns the stamps of the inputs.
func stampsOf(all []conversion) map[string]stamp {
	seen := map[string]stamp{}
	for _, c := range all {
		seen[c.input] = stampOf(c.input)
	}
	return seen
}

// watchAll converts files whenever they differ from what was seen, until ctx ends. Failures are reported, and tried again with the next change.
func (s settings) watchAll(ctx context.Context, by client, all []conversion, seen map[string]stamp) {
	s.problem.Text("watching; Ctrl-C ends it\n")
	for wait(ctx, lookEvery) == nil {
		for _, c := range all {
			now := stampOf(c.input)
			if now == seen[c.input] || now == (stamp{}) {
				continue
			}
			seen[c.input] = now
			if err := s.convert(ctx, by, c); err != nil && ctx.Err() == nil {
				s.problem.Printf("%s: %v\n", c.input, err)
			}
		}
	}
}
