package perform

import (
	"fmt"
	"strings"
	"testing"

	"platen.dev/events"
)

// play plays a script on a queue: "a@h" adds an effect of account a for host h, "-" forgets the
// last one added, "?" begins whatever may begin, and "." ends the effect that began first.
func play(t *testing.T, l Limits, script string) (begun string) {
	t.Helper()
	q := newQueue(l)
	var last *effect
	var under []*effect
	for i, word := range strings.Fields(script) {
		switch word {
		case "-":
			last.forgotten = true
		case "?":
			for e := q.next(); e != nil; e = q.next() {
				under = append(under, e)
				begun += fmt.Sprintf("%s%d ", e.place.account, e.partition)
			}
			begun += "| "
		case ".":
			q.done(under[0])
			under = under[1:]
		default:
			account, host, _ := strings.Cut(word, "@")
			last = &effect{partition: int32(i), place: place{events.AccountID(account), host}}
			q.add(last)
		}
	}
	for _, e := range under {
		q.done(e)
	}
	if q.total != 0 || len(q.account)+len(q.host) != 0 {
		t.Errorf("%s: %d are under way in the end: %v %v", script, q.total, q.account, q.host)
	}
	return strings.TrimSpace(begun)
}

// Lines take turns, both kinds of limits hold, and a line at its limit holds up nobody else.
// Effects are numbered by their word in the script.
func TestQueue(t *testing.T) {
	for name, c := range map[string]struct {
		limits        Limits
		script, begun string
	}{
		"one line keeps its order":              {Limits{}, "a a a ?", "a0 a1 a2 |"},
		"lines take turns":                      {Limits{}, "a a a b b c ?", "a0 b3 c5 a1 b4 a2 |"},
		"the total is bounded":                  {Limits{Total: 2}, "a b c ? . ?", "a0 b1 | c2 |"},
		"an account is bounded":                 {Limits{PerAccount: 2}, "a a a b ? . ?", "a0 b3 a1 | a2 |"},
		"a host is bounded":                     {Limits{PerHost: 1}, "a@h b@h b@i ? . ?", "a0 b2 | b1 |"},
		"a host is bounded over its lines":      {Limits{PerHost: 2}, "a@h a@h b@h b@h ? . . ?", "a0 b2 | a1 b3 |"},
		"effects without a host are not":        {Limits{PerHost: 1}, "a a ?", "a0 a1 |"},
		"a host that hangs holds up nobody":     {Limits{PerHost: 1}, "a@h a@h a@h a@i b@i ? a@j ?", "a0 a3 | a6 |"},
		"what was forgotten is not begun":       {Limits{}, "a - a b - ?", "a2 |"},
		"a line that was forgotten comes again": {Limits{}, "a - ? a ?", "| a3 |"},
	} {
		if got := play(t, c.limits, c.script); got != c.begun {
			t.Errorf("%s: %s begins %q, want %q", name, c.script, got, c.begun)
		}
	}
}
