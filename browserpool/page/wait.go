package page

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	// pollInterval is how often a page is asked for what it may still change.
	pollInterval = 50 * time.Millisecond
	// searchTimeout is how long the first search may take even after the load timeout.
	searchTimeout = time.Second
)

// await waits until the document has reached a moment. It fails for a document that breaks off.
func (p *page) await(ctx context.Context, until string) error {
	for {
		if p.progress.brokenOff() {
			return p.checkDocument(ctx)
		}
		yes, again := p.progress.reached(until)
		if yes {
			return nil
		}
		if err := p.waitFor(ctx, p.progress.changed, again); err != nil {
			return err
		}
	}
}

// waitFor waits for a token or, if length is positive, until that much time has passed.
// It fails when the page or ctx ends first.
func (p *page) waitFor(ctx context.Context, token <-chan struct{}, length time.Duration) error {
	var timeout <-chan time.Time
	if length > 0 {
		timer := time.NewTimer(length)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-token:
		return nil
	case <-timeout:
		return nil
	case <-p.session.Ended():
		return p.session.Cause()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// awaitSelector waits until an element matches, at most until within ends. It searches
// at least once.
func (p *page) awaitSelector(ctx, within context.Context, selector string) error {
	first, cancel := context.WithTimeoutCause(ctx, searchTimeout, errBudget)
	defer cancel()
	found, err := p.matches(first, selector)
	for err == nil && !found {
		if p.kind != forVisit {
			return noMatch(selector)
		}
		if p.progress.brokenOff() {
			return p.checkDocument(ctx)
		}
		if err = p.waitFor(within, nil, pollInterval); err == nil {
			found, err = p.matches(within, selector)
		}
	}
	if errors.Is(err, errBudget) && ctx.Err() == nil {
		return Because(fmt.Errorf("%w in time", ErrSelector), "Nothing matched the selector %q in time.", clip(selector))
	}
	return err
}

// clip shortens a caller's text for a sentence.
func clip(text string) string {
	const longest = 200
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + clipMark
}

// selects reports whether an element of the document matches a selector.
const selects = `(document, selector) => document.querySelector(selector) !== null`

// matches reports whether an element of the document matches now. In a document that is
// replaced during the search, none does.
func (p *page) matches(ctx context.Context, selector string) (found bool, err error) {
	err = p.query(ctx, selects, selector, &found)
	return found, err
}

// query runs one of our scripts with a selector. If it throws, the selector cannot be parsed.
func (p *page) query(ctx context.Context, script, selector string, result any) error {
	_, err := p.run(ctx, script, selector, result)
	if errors.Is(err, errScript) {
		return notCSS(selector)
	}
	return err
}

func notCSS(selector string) error {
	return Because(fmt.Errorf("%w: it cannot be parsed", ErrSelector), "The selector %q is not valid CSS.", clip(selector))
}

func noMatch(selector string) error {
	return Because(ErrSelector, "Nothing in the document matches the selector %q.", clip(selector))
}
