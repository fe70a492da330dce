// Package doctor examines a host before a node runs there. Each check examines one thing that a node needs,
// changes nothing, and says what to do if something is wrong.
package doctor

import (
	"context"
	"fmt"
	"time"
)

// Verdict is the state of a checked thing.
type Verdict string

// The verdicts. A node starts in spite of a warning, and does without something or does it worse.
const (
	OK      Verdict = "ok"
	Warning Verdict = "warning"
	Failure Verdict = "failure"
)

// Finding is one result of a check.
type Finding struct {
	Check   string  `json:"check"`
	Verdict Verdict `json:"verdict"`
	// Text describes the state, Do says in one sentence what to do about it; Do is empty if all is
	// well.
	Text string `json:"text"`
	Do   string `json:"do"`
}

// Check examines one thing. Run returns within seconds after ctx has ended.
type Check struct {
	Name string
	Run  func(ctx context.Context) []Finding
}

// limit bounds one check.
const limit = 30 * time.Second

// Examine runs the checks one after another, and reports each finding at once.
func Examine(ctx context.Context, checks []Check, tell func(Finding)) (worst Verdict) {
	worst = OK
	for _, c := range checks {
		within, cancel := context.WithTimeout(ctx, limit)
		for _, f := range c.Run(within) {
			f.Check = c.Name
			tell(f)
			if f.Verdict == Failure || f.Verdict == Warning && worst == OK {
				worst = f.Verdict
			}
		}
		cancel()
	}
	return worst
}

func ok(format string, args ...any) Finding {
	return Finding{Verdict: OK, Text: fmt.Sprintf(format, args...)}
}

func warn(do, format string, args ...any) Finding {
	return Finding{Verdict: Warning, Text: fmt.Sprintf(format, args...), Do: do}
}

func fail(do, format string, args ...any) Finding {
	return Finding{Verdict: Failure, Text: fmt.Sprintf(format, args...), Do: do}
}
