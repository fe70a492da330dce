package browserpool

import (
	"errors"
	"fmt"
	"net/url"
	"time"
)

// The moments that a job may wait for; empty means UntilLoad.
const (
	// UntilCommit is when the answer has begun to arrive.
	UntilCommit = "commit"
	// UntilDOM is when the document is parsed.
	UntilDOM = "domcontentloaded"
	// UntilLoad is when all that the document embeds has come or failed.
	UntilLoad = "load"
	// UntilIdle is when, after UntilLoad, nothing was under way for half a second. A
	// page that is never idle is taken as it is when the load timeout ends.
	UntilIdle = "networkidle"
)

const (
	maxLoadTimeout = 120 * time.Second
	maxWaitAfter   = 10 * time.Second
	// idle is how long nothing must be under way.
	idle = 500 * time.Millisecond
)

// Load says when a document counts as loaded. The zero value is its load event
// within DefaultLoadTimeout.
type Load struct {
	// Timeout is the budget for all of it but WaitAfter, at most two minutes; 0
	// means DefaultLoadTimeout.
	Timeout time.Duration
	// WaitUntil is one of the moments above.
	WaitUntil string
	// WaitSelector is a CSS selector that must then match something before the
	// timeout. A document without script does not grow: there it must match at once.
	WaitSelector string
	// WaitAfter is a pause at the end, at most ten seconds, which does not count as loading.
	WaitAfter time.Duration
}

// Validate tells what is wrong with the options, naming the field, as ErrOptions.
func (l Load) Validate() error {
	switch {
	case l.Timeout < 0 || l.Timeout > maxLoadTimeout:
		return fmt.Errorf("%w: load timeout %v is not within %v", ErrOptions, l.Timeout, maxLoadTimeout)
	case l.WaitAfter < 0 || l.WaitAfter > maxWaitAfter:
		return fmt.Errorf("%w: wait after load %v is not within %v", ErrOptions, l.WaitAfter, maxWaitAfter)
	}
	switch l.WaitUntil {
	case "", UntilCommit, UntilDOM, UntilLoad, UntilIdle:
		return nil
	default:
		return fmt.Errorf("%w: wait until %q", ErrOptions, l.WaitUntil)
	}
}

// source is what prints and captures have in common: a document, and how and on
// what it is to be loaded.
type source struct {
	html, url string
	auth      Auth
	load      Load
	limits    Limits
	media     string
	size      Size
}

func (s source) validate() error {
	if err := errors.Join(s.load.Validate(), s.limits.validate()); err != nil {
		return err
	}
	if s.url == "" {
		return nil
	}
	if s.html != "" {
		return fmt.Errorf("%w: both HTML and URL", ErrOptions)
	}
	if err := checkURL(s.url); err != nil {
		return err
	}
	return s.auth.validate()
}

// checkURL refuses what would not go through the egress proxy: a browser that is
// told to by its debugger shows local files too.
func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return fmt.Errorf("%w: URL cannot be parsed", ErrOptions)
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%w: URL scheme %q", ErrOptions, u.Scheme)
	case u.Hostname() == "":
		return fmt.Errorf("%w: URL without a host", ErrOptions)
	case u.User != nil:
		return fmt.Errorf("%w: URL with credentials", ErrOptions)
	}
	return nil
}
