package render

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"platen.dev/actors/command"
	"platen.dev/actors/render/attempt"
	"platen.dev/browserpool"
	"platen.dev/browserpool/page"
	"platen.dev/document"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/store"
)

// errInfrastructure marks errors of something that the node depends on. They do not spend the job's
// attempts, and after a few of them the node suspends rendering. Every dependency of an attempt
// must mark its errors so and be tested by Config.Probe.
var errInfrastructure = errors.New("infrastructure")

// localFaults are errors of the node's own system: lack of disk, memory, files or programs.
var localFaults = []error{
	unix.ENOSPC, unix.EDQUOT, unix.EROFS, unix.EIO, unix.ENOMEM, unix.EMFILE, unix.ENFILE, unix.EAGAIN,
	fs.ErrPermission, exec.ErrNotFound,
}

// faultOf translates a step's error into a fault of the job; nil stays nil.
func (w *work) faultOf(err error) *attempt.Fault {
	if err == nil {
		return nil
	}
	if infrastructure(err) {
		return &attempt.Fault{Code: events.RenderFailed, Retryable: true, Infrastructure: true}
	}
	code, retryable := classify(err)
	if code == events.RenderFailed && !retryable && w.submission.Content.Invoice != nil {
		code = events.EInvoiceFailed
	}
	if refused := new(conformanceError); errors.As(err, refused) && w.submission.Content.Print.Conforms() {
		code = events.NotConforming
	}
	if errors.As(err, new(mismatchError)) {
		code = events.EInvoiceMismatch
	}
	return &attempt.Fault{Code: code, Retryable: retryable, Detail: contract.Detail(w.reason(err))}
}

// reason says why an error that is not Platen's own ended the attempt; "" if its code says it all.
func (w *work) reason(err error) string {
	var refused conformanceError
	var mismatch mismatchError
	var lacking lackingError
	switch {
	case errors.As(err, &lacking):
		return "The page made of the invoice lacks " + lacking.terms + "."
	case errors.As(err, &mismatch):
		return "The page does not say what the XML says: " + mismatch.Error() + "."
	case errors.As(err, &refused):
		return "The document cannot be " + w.standard() + ": " + strings.TrimSuffix(refused.Error(), ".") + "."
	case errors.Is(err, document.ErrChanged):
		return "The document changes while it is printed, so that first and last page cannot have a header and footer of their own."
	case errors.Is(err, store.ErrTooLarge):
		return fmt.Sprintf("The file is larger than %d bytes.", w.limit)
	}
	return page.Reason(err)
}

// infrastructure reports whether something that the node depends on has failed.
func infrastructure(err error) bool {
	is := func(fault error) bool { return errors.Is(err, fault) }
	return is(errInfrastructure) || is(page.ErrOutput) || slices.ContainsFunc(localFaults, is)
}

// causes maps errors that end a job to codes: the first match counts.
var causes = []struct {
	err  error
	code events.ErrorCode
}{
	{page.ErrTimeout, events.PageTimeout},
	{page.ErrTooLarge, events.FileTooLarge},
	{store.ErrTooLarge, events.FileTooLarge},
	{page.ErrBlocked, events.SSRFBlocked},
	{page.ErrNavigation, events.NavigationFailed},
	{page.ErrSelector, events.SelectorTimeout},
	{page.ErrFunction, events.FunctionTimeout},
	{page.ErrResource, events.ResourceFailed},
	{page.ErrScript, events.ScriptFailed},
	{page.ErrPageRanges, events.PageRangeEmpty},
	{command.ErrLost, events.ContentLost},
}

func classify(err error) (code events.ErrorCode, retryable bool) {
	for _, c := range causes {
		if errors.Is(err, c.err) {
			return c.code, false
		}
	}
	if page.Retryable(err) {
		return events.BrowserCrashed, true
	}
	return events.RenderFailed, errors.Is(err, browserpool.ErrClosed)
}
