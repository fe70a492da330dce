package render

import (
	"errors"
	"strings"
	"testing"

	"platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// A failed attempt says why, a finished one what was done nevertheless, once all nodes can read it:
// in sentences that are short and can be shown.
func TestReasonsNeedTheLevel(t *testing.T) {
	because := page.Because(page.ErrNavigation, "The name %s\x1b[1m does not resolve.", strings.Repeat("a", 1000))
	warned := page.Result{PDF: []byte("page"), Warnings: []page.Warning{{Code: contract.PageCut, Detail: "It is\ntoo wide."}}}
	for level, says := range map[events.Level]bool{events.LevelReasons - 1: false, events.LevelReasons: true} {
		s := newFixtureWith(t, func(c *Config) { c.Level = func(int32) events.Level { return level } })
		s.print = func(p page.Print) (page.Result, error) {
			if strings.Contains(p.HTML, "fails") {
				return page.Result{}, errors.Join(because)
			}
			return warned, nil
		}
		s.submit("fails")
		fail := s.told(2)[1].(events.FailRender)
		if (fail.Detail != "") != says || fail.Code != events.NavigationFailed {
			t.Errorf("level %d: told %+v", level, fail)
		}
		if says && (len([]rune(fail.Detail)) != contract.MaxDetail || strings.Contains(fail.Detail, "\x1b")) {
			t.Errorf("detail %q of %d characters", fail.Detail, len([]rune(fail.Detail)))
		}
		testkit.Receive(t, s.pages, "the page")
		s.pages <- struct{}{}
		s.submit("x")
		finish := s.told(2)[1].(events.FinishRender)
		if says && (len(finish.Warnings) != 1 || finish.Warnings[0] != events.Warning{Code: "PAGE_CUT", Detail: "It is too wide."}) || !says && finish.Warnings != nil {
			t.Errorf("level %d: told %+v", level, finish)
		}
	}
}
