package main

import (
	"cmp"
	"net/http"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"
)

// jobEnd is the input of an operation that is the end of a job. Its outcome is void if nobody
// knows whether the job began.
type jobEnd struct{}

// turn is the input of an operation that is one of many equal ones.
type turn struct{ kind, number int }

const (
	turnAccepted = iota
	turnRefused
	turnUnknown
	turnEnded
	turnMaybeEnded
	turnKinds
)

func kindOf(op porcupine.Operation) int {
	o := op.Output.(outcome)
	switch _, ended := op.Input.(jobEnd); {
	case ended && o.void:
		return turnMaybeEnded
	case ended:
		return turnEnded
	case o.status == 0:
		return turnUnknown
	case o.status == http.StatusAccepted:
		return turnAccepted
	default:
		return turnRefused
	}
}

// inTurns prepares the history of simultaneous requests. It makes every operation begin at that
// moment, which makes nothing impossible that was possible. So equal operations differ only in
// their ends, and have to be tried only in the order of those: otherwise the search would try them
// in every order.
func (h *history) inTurns() {
	slices.SortStableFunc(h.ops, func(a, b porcupine.Operation) int { return cmp.Compare(a.Return, b.Return) })
	var next [turnKinds]int
	for i, op := range h.ops {
		kind := kindOf(op)
		h.ops[i].Call, h.ops[i].Input = 0, turn{kind, next[kind]}
		next[kind]++
	}
}

// runningState is the number of jobs under way, and whose turn it is.
type runningState struct {
	jobs int
	next [turnKinds]int
}

// running is the model of an account that may have limit jobs at once, for the operations
// of a history in turns.
func running(limit int) porcupine.NondeterministicModel {
	submitted := counter(limit, http.StatusTooManyRequests, "CONCURRENCY_LIMIT_EXCEEDED")
	jobs := func(now int, kind int, output any) []any {
		switch {
		case kind < turnEnded:
			return submitted.Step(now, nil, output)
		case kind == turnEnded && now == 0:
			return nil
		case kind == turnEnded:
			return []any{now - 1}
		default:
			return []any{now, max(0, now-1)}
		}
	}
	return porcupine.NondeterministicModel{
		Init: func() []any { return []any{runningState{}} },
		Step: func(state, input, output any) (after []any) {
			s, this := state.(runningState), input.(turn)
			if s.next[this.kind] != this.number {
				return nil
			}
			s.next[this.kind]++
			for _, n := range jobs(s.jobs, this.kind, output) {
				s.jobs = n.(int)
				after = append(after, s)
			}
			return after
		},
	}
}

// The model accepts everything that may happen, and nothing else, also with many requests.
func TestRunningModel(t *testing.T) {
	accepted := func(end int64) porcupine.Operation {
		return porcupine.Operation{Return: end, Output: outcome{status: 202}}
	}
	refused := func(end int64) porcupine.Operation {
		return porcupine.Operation{Return: end, Output: outcome{status: 429, code: "CONCURRENCY_LIMIT_EXCEEDED"}}
	}
	ended := func(end int64) porcupine.Operation {
		return porcupine.Operation{Input: jobEnd{}, Return: end, Output: outcome{}}
	}
	lost := func() porcupine.Operation { return porcupine.Operation{Return: 1 << 62, Output: outcome{}} }
	var many []porcupine.Operation
	for i := range int64(20) {
		many = append(many, accepted(10+i), refused(11+i), ended(100+i), lost())
	}
	for name, tc := range map[string]struct {
		ops   []porcupine.Operation
		legal bool
	}{
		"as many as may be":         {[]porcupine.Operation{accepted(1), accepted(1), refused(2)}, true},
		"one too many":              {[]porcupine.Operation{accepted(1), accepted(1), accepted(2)}, false},
		"one after an end":          {[]porcupine.Operation{accepted(1), accepted(1), ended(2), accepted(3)}, true},
		"refused with room":         {[]porcupine.Operation{accepted(1), refused(2)}, false},
		"refused because of a lost": {[]porcupine.Operation{accepted(1), lost(), refused(2)}, true},
		"an end of nothing":         {[]porcupine.Operation{ended(1)}, false},
		"many":                      {many, true},
	} {
		limit := 2
		if name == "many" {
			limit = 20
		}
		h := history{ops: tc.ops}
		h.inTurns()
		if result := h.judge(running(limit)); (result == porcupine.Ok) != tc.legal || result == porcupine.Unknown {
			t.Errorf("%s: got %s, want legal to be %v", name, result, tc.legal)
		}
	}
}
