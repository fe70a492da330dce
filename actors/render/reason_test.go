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

// A failed attempt says why, and a finished one reports its warnings: in sentences that are short and can be shown.
func TestReasons(t *testing.T) {
	because := page.Because(page.ErrNavigation, "The name %s\x1b[1m does not resolve.", strings.Repeat("a", 1000))
	s := newFixture(t)
	s.print = func(p page.Print) (page.Result, error) {
		if strings.Contains(p.HTML, "fails") {
			return page.Result{}, errors.Join(because)
		}
		return page.Result{PDF: []byte("page"), Warnings: []page.Warning{{Code: contract.PageCut, Detail: "It is\ntoo wide."}}}, nil
	}
	s.submit("fails")
	fail := s.told(2)[1].(events.FailRender)
	if fail.Code != events.NavigationFailed || len([]rune(fail.Detail)) != contract.MaxDetail || strings.Contains(fail.Detail, "\x1b") {
		t.Errorf("told %+v, with a detail of %d characters", fail, len([]rune(fail.Detail)))
	}
	testkit.Receive(t, s.pages, "the page")
	s.pages <- struct{}{}
	s.submit("x")
	finish := s.told(2)[1].(events.FinishRender)
	if len(finish.Warnings) != 1 || finish.Warnings[0] != (events.Warning{Code: "PAGE_CUT", Detail: "It is too wide."}) {
		t.Errorf("told %+v", finish)
	}
}
