package page

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/cdp"

	"platen.dev/browserpool/chromium"
)

// Errors of a job; tell them apart with errors.Is.
var (
	// ErrOptions refuses contradictory or invalid options, before a page does anything.
	ErrOptions = errors.New("invalid options")
	// ErrCrashed means that the page's renderer crashed. The job may be tried again.
	ErrCrashed = errors.New("page crashed")
	// ErrBrowserGone means that the browser ended under the job. The job may be tried again.
	ErrBrowserGone = errors.New("browser ended")
	// ErrTimeout means that the document exceeded its load, print or capture budget.
	ErrTimeout = errors.New("page exceeded its time budget")
	// ErrTooLarge means that the output exceeded its size limit, or the document one of its Limits.
	ErrTooLarge = errors.New("document exceeds a size limit")
	// ErrRender means that the browser refused to render the document.
	ErrRender = errors.New("browser could not render")
	// ErrOutput means that the browser could not hand over what it has printed, which it keeps in
	// a file: the disk of its temporary directory is full. The document is not to blame.
	ErrOutput = errors.New("browser could not deliver its output")
	// ErrNavigation means that the main document did not arrive: the name does not exist,
	// nothing answers, the certificate is not valid, or the HTTP status is 400 or more.
	ErrNavigation = errors.New("page could not be reached")
	// ErrBlocked means that the main document, or one it leads to, is at an address
	// that the egress policy refuses.
	ErrBlocked = errors.New("address of the page is blocked")
	// ErrSelector means that nothing matched the selector in time, or that it is not a valid selector.
	ErrSelector = errors.New("selector matched nothing")
	// ErrFunction means that the expression to wait for did not become true in time, or is not an expression.
	ErrFunction = errors.New("function did not become true")
	// ErrResource means that a part of the page is missing, and the job does not want it without.
	ErrResource = errors.New("part of the page is missing")
	// ErrScript means that a script of the page threw an uncaught error, and the job does not tolerate that.
	ErrScript = errors.New("script of the page failed")
	// ErrPageRanges means that the document has none of the requested pages.
	ErrPageRanges = errors.New("no page is within the page ranges")
)

// Retryable reports whether the same job may succeed when it is tried again.
func Retryable(err error) bool {
	return errors.Is(err, ErrCrashed) || errors.Is(err, ErrBrowserGone)
}

var (
	// errBudget is the cause of a context whose load, print or capture budget ran out.
	errBudget = errors.New("budget ran out")
	// errTraffic ends a job whose document carried too much.
	errTraffic = fmt.Errorf("%w: too many bytes loaded", ErrTooLarge)
)

// final are the errors that callers already understand, the end of their own context included.
var final = []error{
	context.Canceled, context.DeadlineExceeded, ErrTooLarge, ErrNavigation, ErrBlocked, ErrSelector, ErrFunction, ErrResource, ErrScript, ErrPageRanges,
	ErrRender, ErrOutput,
}

// overBudget names the step that took too long.
var overBudget = map[string]string{
	"load":    "The page was not loaded in time.",
	"finish":  "The page did not answer in time: a script of it may run without end.",
	"print":   "Laying the document out and printing it took too long.",
	"capture": "The page was not captured in time.",
}

// stepError translates the error of one step of a job into this package's errors, and keeps its reason.
func stepError(step string, err error) error {
	sentence := Reason(err)
	if sentence == "" && errors.Is(err, errBudget) {
		sentence = overBudget[step]
	}
	err = translated(step, err)
	if sentence == "" || Reason(err) == sentence {
		return err
	}
	return Because(err, "%s", sentence)
}

func translated(step string, err error) error {
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
	case slices.ContainsFunc(final, func(target error) bool { return errors.Is(err, target) }):
		return fmt.Errorf("%s: %w", step, err)
	default:
		return fmt.Errorf("%s: %w: %w", step, ErrRender, err)
	}
}

// browserMessage is the message with which the browser refused a call; it is empty
// for any other kind of error.
func browserMessage(err error) string {
	var refused *cdp.Error
	if errors.As(err, &refused) {
		return refused.Message
	}
	return ""
}
