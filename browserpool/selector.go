package browserpool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

const (
	// lookEvery is how often a page is searched for what it may still add.
	lookEvery = 50 * time.Millisecond
	// lookTimeout is what the first search may take even if the load timeout has ended.
	lookTimeout = time.Second
)

// unparsable is how the browser refuses what is no selector.
const unparsable = "DOM Error while querying"

// awaitSelector waits until something matches, at most until within ends. It
// looks at least once. The browser is asked in a way that runs no script, neither
// ours nor what a page may have put in the place of the usual functions.
func (p *page) awaitSelector(ctx, within context.Context, selector string) error {
	first, cancel := context.WithTimeoutCause(ctx, lookTimeout, errBudget)
	defer cancel()
	found, err := p.matches(first, selector)
	for err == nil && !found {
		if p.visiting == nil {
			return ErrSelector
		}
		if err = p.waitFor(within, nil, lookEvery); err == nil {
			found, err = p.matches(within, selector)
		}
	}
	if errors.Is(err, errBudget) && ctx.Err() == nil {
		return fmt.Errorf("%w in time", ErrSelector)
	}
	return err
}

// matches tells whether something in the document matches now. A document that
// is replaced while it is searched does not.
func (p *page) matches(ctx context.Context, selector string) (bool, error) {
	client, depth := p.session.With(ctx), 0
	document, err := proto.DOMGetDocument{Depth: &depth}.Call(client)
	if err != nil {
		return false, unlessRefused(err)
	}
	match, err := proto.DOMQuerySelector{NodeID: document.Root.NodeID, Selector: selector}.Call(client)
	if err != nil {
		return false, unlessRefused(err)
	}
	return match.NodeID != 0, nil
}

// unlessRefused drops what the browser answers about a document that is gone. It
// keeps its refusal of the selector, and whatever keeps it from answering.
func unlessRefused(err error) error {
	switch browserError(err) {
	case "":
		return err
	case unparsable:
		return fmt.Errorf("%w: it cannot be parsed", ErrSelector)
	default:
		return nil
	}
}
