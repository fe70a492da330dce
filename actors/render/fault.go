package render

import (
	"errors"

	"platen.dev/actors/render/attempt"
	"platen.dev/browserpool"
	"platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/store"
)

// errInfrastructure marks errors that neither the page nor the caller caused.
var errInfrastructure = errors.New("infrastructure")

// errDelivery is the error of a step that this version does not have yet.
var errDelivery = errors.New("this version cannot deliver to the caller's storage")

// faultOf translates a step's error into a fault of the job; nil stays nil.
func (w *work) faultOf(err error) *attempt.Fault {
	if err == nil {
		return nil
	}
	code, retryable := classify(err)
	if code == events.RenderFailed && !retryable && w.submission.Content.Invoice != nil {
		code = events.EInvoiceFailed
	}
	return &attempt.Fault{Code: code, Retryable: retryable}
}

func classify(err error) (code events.ErrorCode, retryable bool) {
	switch {
	case errors.Is(err, page.ErrTimeout):
		return events.PageTimeout, false
	case errors.Is(err, page.ErrTooLarge), errors.Is(err, store.ErrTooLarge):
		return events.FileTooLarge, false
	case errors.Is(err, page.ErrBlocked):
		return events.SSRFBlocked, false
	case errors.Is(err, page.ErrNavigation):
		return events.NavigationFailed, false
	case errors.Is(err, page.ErrSelector):
		return events.SelectorTimeout, false
	case errors.Is(err, errDelivery):
		return events.DeliveryFailed, false
	case page.Retryable(err):
		return events.BrowserCrashed, true
	case errors.Is(err, errInfrastructure), errors.Is(err, browserpool.ErrClosed):
		return events.RenderFailed, true
	}
	return events.RenderFailed, false
}
