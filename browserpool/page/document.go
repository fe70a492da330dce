package page

import (
	"errors"
	"fmt"
	"time"

	"platen.dev/events/contract"
)

// Load says when a document counts as loaded (docs/API.md, Render options). The zero value
// is its load event within contract.DefaultLoadTimeout.
type Load struct {
	// Timeout is the budget for everything but WaitAfter, at most
	// contract.MaxLoadTimeout; 0 means contract.DefaultLoadTimeout.
	Timeout time.Duration
	// WaitUntil is one of contract.LoadMoments; empty means contract.UntilLoad. A page
	// that is never idle is taken as it is when the timeout ends.
	WaitUntil string
	// WaitSelector is a CSS selector that must then match something before the timeout.
	// HTML, which runs no script, does not change any more: there it must match at once.
	WaitSelector string
	// WaitAfter is a pause at the end, at most contract.MaxWaitAfter, which does not
	// count as loading.
	WaitAfter time.Duration
}

func (l Load) validate() error {
	switch {
	case l.Timeout < 0 || l.Timeout > contract.MaxLoadTimeout:
		return fmt.Errorf("%w: load timeout %v is not within %v", ErrOptions, l.Timeout, contract.MaxLoadTimeout)
	case l.WaitAfter < 0 || l.WaitAfter > contract.MaxWaitAfter:
		return fmt.Errorf("%w: wait after load %v is not within %v", ErrOptions, l.WaitAfter, contract.MaxWaitAfter)
	}
	switch l.WaitUntil {
	case "", contract.UntilCommit, contract.UntilDOM, contract.UntilLoad, contract.UntilIdle:
		return nil
	default:
		return fmt.Errorf("%w: wait until %q", ErrOptions, l.WaitUntil)
	}
}

// document is what prints and captures have in common: what is to be loaded, how, and
// on what it is shown.
type document struct {
	html, url string
	auth      Auth
	load      Load
	limits    Limits
	media     string // the CSS medium: print or screen
	viewport  Size
	// below is how much of a visit, in pixels from its top, is brought into view once it has
	// loaded; 0 for nothing.
	below int
}

func (d document) validate() error {
	if err := errors.Join(d.load.validate(), d.limits.validate()); err != nil {
		return err
	}
	if d.url == "" {
		return nil
	}
	if d.html != "" {
		return fmt.Errorf("%w: both HTML and URL", ErrOptions)
	}
	// Other schemes would not go through the egress proxy: a browser that is told to by
	// its debugger shows local files too.
	if _, err := contract.ParsePageURL(d.url); err != nil {
		return fmt.Errorf("%w: URL %w", ErrOptions, err)
	}
	return d.auth.validate()
}
