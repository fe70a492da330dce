package page

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// maxScriptErrors is how many errors of a page are kept: each may yet be handled.
const maxScriptErrors = 1000

// scriptErrors tracks uncaught errors of the scripts of a page, its workers and its frames; it reports the first.
type scriptErrors struct {
	mu  sync.Mutex // guards what follows
	all []scriptError
	// beyond is the sentence of the first error that is not kept, "" for none: whether it is handled later is not known.
	beyond string
}

type scriptError struct {
	session  string // the target's: each numbers its errors on its own
	id       int
	sentence string
}

// observe takes an event of the page or of one of its targets. A rejected promise that is handled later is not an error.
func (s *scriptErrors) observe(event cdp.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var e struct {
		ExceptionID int                            `json:"exceptionId"` // of one that is revoked
		Details     *proto.RuntimeExceptionDetails `json:"exceptionDetails"`
	}
	switch {
	case json.Unmarshal(event.Params, &e) != nil:
	case e.Details == nil:
		s.all = slices.DeleteFunc(s.all, func(one scriptError) bool { return one.session == event.SessionID && one.id == e.ExceptionID })
	case len(s.all) < maxScriptErrors:
		s.all = append(s.all, scriptError{event.SessionID, e.Details.ExceptionID, sentenceOf(e.Details)})
	case s.beyond == "":
		s.beyond = sentenceOf(e.Details)
	}
}

// first is the sentence about the first error; "" for none.
func (s *scriptErrors) first() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) == 0 {
		return s.beyond
	}
	return s.all[0].sentence
}

// sentenceOf says what was thrown, and where.
func sentenceOf(d *proto.RuntimeExceptionDetails) string {
	what := d.Text
	if d.Exception != nil && d.Exception.Description != "" {
		what = d.Exception.Description
	} else if d.Exception != nil && !d.Exception.Value.Nil() {
		what = d.Exception.Value.String()
	}
	what, _, _ = strings.Cut(what, "\n") // the stack follows
	return fmt.Sprintf("A script of the page failed: %s (line %d of %s).", clip(what), d.LineNumber+1, showURL(d.URL))
}
