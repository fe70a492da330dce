package page

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/events/contract"
)

// scriptErrors tracks uncaught errors of a page's scripts; it reports the first.
type scriptErrors struct {
	mu  sync.Mutex // guards what follows
	all []scriptError
}

type scriptError struct {
	id       int
	sentence string
}

// observe takes an event of the page. A rejected promise that is handled later is no error.
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
		s.all = slices.DeleteFunc(s.all, func(one scriptError) bool { return one.id == e.ExceptionID })
	case len(s.all) < contract.MaxWarnings:
		s.all = append(s.all, scriptError{e.Details.ExceptionID, sentenceOf(e.Details)})
	}
}

// first is the sentence about the first error; "" for none.
func (s *scriptErrors) first() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) == 0 {
		return ""
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
