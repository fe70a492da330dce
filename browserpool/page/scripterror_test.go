package page

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/go-rod/rod/lib/cdp"
)

func thrown(session string, id int) cdp.Event {
	details := fmt.Sprintf(`{"exceptionDetails": {"exceptionId": %d, "text": "Uncaught Error: broken %d"}}`, id, id)
	return cdp.Event{SessionID: session, Method: "Runtime.exceptionThrown", Params: json.RawMessage(details)}
}

func revoked(session string, id int) cdp.Event {
	return cdp.Event{SessionID: session, Method: "Runtime.exceptionRevoked", Params: json.RawMessage(fmt.Sprintf(`{"exceptionId": %d}`, id))}
}

// A page, its workers and its frames each number their own errors: one that handles an error later leaves those of the others.
func TestScriptErrorsOfTargets(t *testing.T) {
	s := &scriptErrors{}
	s.observe(thrown("page", 1))
	s.observe(thrown("worker", 1))
	s.observe(revoked("worker", 1))
	if s.first() == "" {
		t.Error("the page's error is gone with that of its worker")
	}
	if s.observe(revoked("page", 1)); s.first() != "" {
		t.Errorf("got %q, although all is handled", s.first())
	}
}

// However many errors are handled later, one that is not is reported; as many as are kept may all be handled.
func TestManyScriptErrors(t *testing.T) {
	for _, c := range []struct {
		thrown, handled int
		fails           bool
	}{{21, 20, true}, {21, 21, false}, {maxScriptErrors, maxScriptErrors, false}, {maxScriptErrors + 1, maxScriptErrors, true}} {
		s := &scriptErrors{}
		for id := range c.thrown {
			s.observe(thrown("page", id))
		}
		for id := range c.handled {
			s.observe(revoked("page", id))
		}
		if got := s.first(); (got != "") != c.fails {
			t.Errorf("%d thrown, %d handled: got %q", c.thrown, c.handled, got)
		}
	}
}
