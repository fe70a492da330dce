package browserpool

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/cdp"

	"platen.dev/browserpool/chromium"
)

// What can become of a job; tell them apart with errors.Is.
var (
	// ErrCrashed tells that the page's renderer crashed. The job may be tried again.
	ErrCrashed = errors.New("page crashed")
	// ErrBrowserGone tells that the browser ended under the job. The job may be tried again.
	ErrBrowserGone = errors.New("browser ended")
	// ErrTimeout tells that the document exceeded its load or print budget.
	ErrTimeout = errors.New("page exceeded its time budget")
	// ErrTooLarge tells that the output exceeded its size limit, or the document one of its Limits.
	ErrTooLarge = errors.New("document exceeds a size limit")
	// ErrRender tells that the browser refused to render the document.
	ErrRender = errors.New("browser could not render")
	// ErrNavigation tells that the main document did not come: no such name, nobody
	// there, no valid certificate, or an HTTP status of 400 or more.
	ErrNavigation = errors.New("page could not be reached")
	// ErrBlocked tells that the main document, or one it leads to, is at an address
	// that the egress policy refuses.
	ErrBlocked = errors.New("address of the page is blocked")
	// ErrSelector tells that nothing matched the selector in time, or that it is none.
	ErrSelector = errors.New("selector matched nothing")
	// ErrOptions refuses options that make no sense, before a page is leased.
	ErrOptions = errors.New("invalid options")
	// ErrClosed answers every call to a pool that was closed.
	ErrClosed = errors.New("browser pool is closed")
)

// Retryable tells whether the same job may succeed when it is tried again.
func Retryable(err error) bool {
	return errors.Is(err, ErrCrashed) || errors.Is(err, ErrBrowserGone)
}

// errBudget is the cause of a context whose load or print budget ran out.
var errBudget = errors.New("budget ran out")

// plain are the errors that need no other name.
var plain = []error{context.Canceled, context.DeadlineExceeded, ErrTooLarge, ErrNavigation, ErrBlocked, ErrSelector, ErrRender}

// verdict names what happened in one step of a job, in the terms above. The
// caller's own cancellation is passed on as it is.
func verdict(step string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errBudget):
		return fmt.Errorf("%s: %w", step, ErrTimeout)
	case errors.Is(err, chromium.ErrOversized):
		return fmt.Errorf("%s: %w", step, ErrTooLarge)
	case errors.Is(err, chromium.ErrCrashed):
		return fmt.Errorf("%s: %w", step, ErrCrashed)
	case errors.Is(err, chromium.ErrGone), errors.Is(err, chromium.ErrDetached):
		return fmt.Errorf("%s: %w", step, ErrBrowserGone)
	case slices.ContainsFunc(plain, func(target error) bool { return errors.Is(err, target) }):
		return fmt.Errorf("%s: %w", step, err)
	default:
		return fmt.Errorf("%s: %w: %w", step, ErrRender, err)
	}
}

// browserError is the message with which the browser refused a call; empty when
// it is another kind of error.
func browserError(err error) string {
	var refused *cdp.Error
	if errors.As(err, &refused) {
		return refused.Message
	}
	return ""
}
