package schema

import (
	"fmt"
	"slices"
	"strings"
)

// decoder is one pass over a JSON tree: its position and its findings.
type decoder struct {
	// path leads from the root of the violations' locations to the current value.
	path       []any
	violations []Violation
	// found also counts the violations beyond MaxViolations.
	found int
	gates []Gate
}

// enter goes one step down, to a member's name or an element's index.
func (d *decoder) enter(step any) { d.path = append(d.path, step) }

// leave ascends again.
func (d *decoder) leave() { d.path = d.path[:len(d.path)-1] }

// refuse reports a violation at the current value.
func (d *decoder) refuse(kind, format string, args ...any) {
	d.found++
	if len(d.violations) < MaxViolations {
		d.violations = append(d.violations, Violation{Loc: slices.Clone(d.path), Msg: fmt.Sprintf(format, args...), Type: kind})
	}
}

// refuseAt reports a violation one step below the current value.
func (d *decoder) refuseAt(step any, kind, format string, args ...any) {
	d.enter(step)
	d.refuse(kind, format, args...)
	d.leave()
}

// full reports whether further violations would not be told.
func (d *decoder) full() bool { return len(d.violations) == MaxViolations }

// gate notes that the current value needs a plan.
func (d *decoder) gate(plan string) {
	steps := make([]string, 0, len(d.path))
	for _, step := range d.path[1:] { // without "body"
		steps = append(steps, fmt.Sprint(step))
	}
	d.gates = append(d.gates, Gate{Path: strings.Join(steps, "."), Plan: plan})
}

// plural is the ending of a noun after a number.
func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
